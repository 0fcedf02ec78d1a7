// SPDX-License-Identifier: GPL-3.0-or-later
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <QJSEngine>
#include <QJSValue>

#include "engine/cursor/cursorjson.h"
#include "engine/cursor/paging.h"
#include "engine/cursor/strategies.h"

using namespace Qt::StringLiterals;

namespace watukuy::cursor {

namespace {

/// How long one call of a workspace's script may take (spec-engine 3).
constexpr auto scriptTime = std::chrono::seconds{1};

/// Interrupts an engine that is still busy when the time is over. The wait is on the monotonic clock.
class Watchdog {
public:
    explicit Watchdog(QJSEngine &engine)
        : m_thread([this, &engine] {
            std::unique_lock lock(m_mutex);
            if (!m_wake.wait_for(lock, scriptTime, [this] { return m_over; }))
                engine.setInterrupted(true);
        })
    {
    }

    ~Watchdog()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_over = true;
        }
        m_wake.notify_one();
        m_thread.join();
    }
    Q_DISABLE_COPY_MOVE(Watchdog)

private:
    std::mutex m_mutex;
    std::condition_variable m_wake;
    bool m_over = false;
    std::thread m_thread; // last: it uses the members above
};

/// One evaluation in an engine of its own: nothing of a page outlives it, and no I/O is installed.
class Script {
public:
    explicit Script(const QString &source)
        : m_source(source)
    {
    }

    void give(const QString &name, const QByteArray &json)
    {
        const QJSValue value = json.isEmpty() ? QJSValue(QJSValue::NullValue) : parsed(json);
        m_input.setProperty(name, value);
        m_engine.globalObject().setProperty(name, value);
    }

    void giveItems(const std::vector<QByteArray> &items)
    {
        QJSValue list = m_engine.newArray(static_cast<uint>(items.size()));
        for (size_t i = 0; i < items.size(); ++i)
            list.setProperty(static_cast<quint32>(i), parsed(items[i]));
        m_input.setProperty(u"items"_s, list);
        m_engine.globalObject().setProperty(u"items"_s, list);
    }

    /// What the expression gives, or, when that is a function, what it returns for the page.
    QJSValue run()
    {
        const Watchdog watchdog(m_engine);
        QJSValue result = m_engine.evaluate(u'(' + m_source + u"\n)"_s, u"cursor.advance"_s);
        if (result.isCallable())
            result = result.call({m_input});
        return result;
    }

    [[nodiscard]] bool wasInterrupted() const { return m_engine.isInterrupted(); }

    /// Nothing when the value has no JSON text (undefined, a function, a circle).
    std::optional<QByteArray> stringified(const QJSValue &value)
    {
        const QJSValue text = json(u"stringify"_s).call({value});
        return text.isString() ? std::optional{text.toString().toUtf8()} : std::nullopt;
    }

private:
    QJSValue json(const QString &function)
    {
        return m_engine.globalObject().property(u"JSON"_s).property(function);
    }

    QJSValue parsed(const QByteArray &text)
    {
        const QJSValue value = json(u"parse"_s).call({QJSValue(QString::fromUtf8(text))});
        // An item that is not quite JSON is quarantined elsewhere; here it must only keep its place.
        return value.isError() ? QJSValue(QJSValue::NullValue) : value;
    }

    QJSEngine m_engine;
    QJSValue m_input = m_engine.newObject();
    QString m_source;
};

Error scriptError(const QString &name, const QString &title, const QString &detail)
{
    return {
        ErrorKind::Workspace, name, title, detail,
        u"Correct `cursor.advance`: it gets {cursor, items, pageCursor, hasMore} and returns {cursor, done}."_s};
}

Error scriptTooSlow()
{
    return scriptError(u"ScriptTimeout"_s, u"The cursor's script took too long"_s,
                       u"`cursor.advance` was stopped after 1 s."_s);
}

Error scriptFailed(const QJSValue &result)
{
    return scriptError(u"ScriptError"_s, u"The cursor's script failed"_s,
                       u"`cursor.advance`, line %1: %2"_s.arg(result.property(u"lineNumber"_s).toInt())
                           .arg(result.toString()));
}

/// Moves the cursor by the workspace's own JavaScript.
class CustomStrategy final : public CursorStrategy {
public:
    explicit CustomStrategy(const CursorDefinition &definition)
        : m_initial(definition.initial.trimmed())
        , m_advance(definition.advance)
    {
    }

    [[nodiscard]] bool endsAnyListing() const override { return true; }

    /// Syntax is known before the first page.
    [[nodiscard]] std::optional<Error> check() const
    {
        if (m_advance.trimmed().isEmpty()) {
            return scriptError(u"ScriptMissing"_s, u"The cursor strategy `custom` has no script"_s,
                               u"`cursor.advance` is empty."_s);
        }
        // Inside a function that nobody calls: compiled, not run.
        QJSEngine engine;
        const QJSValue result =
            engine.evaluate(u"(function () { return ("_s + m_advance + u"\n) })"_s, u"cursor.advance"_s);
        if (result.isError())
            return scriptFailed(result);
        return std::nullopt;
    }

    [[nodiscard]] std::optional<QString> placeholder(const LaneCursor &cursor,
                                                     const QString &name) const override
    {
        const auto whole = wholeValue(text(cursor));
        if (!whole)
            return std::nullopt;
        if (whole->kind == json::Kind::Object)
            return memberText(text(cursor), name);
        return name == "value"_L1 ? textOf(whole) : std::nullopt;
    }

    [[nodiscard]] Result<Advance> advance(const LaneCursor &cursor, const PageInput &page) const override
    {
        Script script(m_advance);
        script.give(u"cursor"_s, text(cursor));
        script.giveItems(page.body.items);
        script.give(u"pageCursor"_s, page.body.cursor ? page.body.cursor->text : QByteArray());
        const std::optional<bool> more = readFlag(page.body.hasMore);
        script.give(u"hasMore"_s, more ? (*more ? "true" : "false") : page.hasMoreDeclared ? "false" : "");
        const QJSValue result = script.run();
        if (script.wasInterrupted())
            return fail(scriptTooSlow());
        if (result.isError())
            return fail(scriptFailed(result));
        if (!result.isObject() || !result.hasProperty(u"cursor"_s)) {
            return fail(scriptError(u"ScriptError"_s, u"The cursor's script gave no cursor"_s,
                                    u"`cursor.advance` returned `%1`."_s.arg(result.toString())));
        }
        Advance moved;
        moved.kept.assign(page.body.items.size(), true);
        moved.exhausted = result.property(u"done"_s).toBool();
        const QJSValue next = result.property(u"cursor"_s);
        if (next.isNull() || next.isUndefined())
            return moved; // back to `initial`, as for a token
        const auto json = script.stringified(next);
        if (!json) {
            return fail(scriptError(u"ScriptError"_s, u"The cursor of the cursor's script is no JSON"_s,
                                    u"`cursor.advance` returned the cursor `%1`."_s.arg(next.toString())));
        }
        moved.next = *json == text(cursor) ? cursor : LaneCursor{*json};
        return moved;
    }

    [[nodiscard]] Result<LaneCursor> fromArgument(const QString &argument) const override
    {
        const QByteArray given = argument.trimmed().toUtf8();
        if (given.isEmpty() || given == "null")
            return LaneCursor{};
        return LaneCursor{wholeValue(given) ? given : json::quoted(argument.trimmed())};
    }

private:
    [[nodiscard]] QByteArray text(const LaneCursor &cursor) const
    {
        return cursor.isInitial() ? m_initial : cursor.json;
    }

    QByteArray m_initial;
    QString m_advance;
};

} // namespace

Result<std::unique_ptr<CursorStrategy>> makeCustom(const CursorDefinition &definition)
{
    auto strategy = std::make_unique<CustomStrategy>(definition);
    if (auto error = strategy->check())
        return fail(std::move(*error));
    return strategy;
}

} // namespace watukuy::cursor
