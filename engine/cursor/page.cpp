// SPDX-License-Identifier: GPL-3.0-or-later
#include <limits>

#include "engine/cursor/cursorjson.h"
#include "engine/cursor/paging.h"
#include "engine/cursor/strategies.h"

using namespace Qt::StringLiterals;

namespace watukuy::cursor {

namespace {

std::optional<qint64> toPage(const std::optional<QString> &text)
{
    bool ok = false;
    const qint64 page = text ? text->toLongLong(&ok) : 0;
    return ok && page >= 0 && page < std::numeric_limits<qint64>::max() ? std::optional{page} : std::nullopt;
}

/// Counts pages across cycles; a listing that ended starts again from `initial`.
class PageStrategy final : public CursorStrategy {
public:
    explicit PageStrategy(const CursorDefinition &definition)
        : m_initial(toPage(textOf(wholeValue(definition.initial))).value_or(1))
    {
    }

    [[nodiscard]] std::optional<QString> placeholder(const LaneCursor &cursor,
                                                     const QString &name) const override
    {
        if (name != "page"_L1)
            return std::nullopt;
        return QString::number(page(cursor));
    }

    [[nodiscard]] Result<Advance> advance(const LaneCursor &cursor, const PageInput &input) const override
    {
        Advance result;
        result.kept.assign(input.body.items.size(), true);
        const std::optional<bool> flag = readFlag(input.body.hasMore);
        const bool more = flag.value_or(!input.hasMoreDeclared && !input.body.items.empty());
        if (more)
            result.next = written(page(cursor) + 1);
        result.exhausted = !more;
        return result;
    }

    [[nodiscard]] Result<LaneCursor> fromArgument(const QString &text) const override
    {
        const std::optional<QString> argument = argumentText(text);
        if (!argument)
            return LaneCursor{};
        if (const auto number = toPage(argument))
            return written(*number);
        return fail({ErrorKind::Usage, u"CursorUnreadable"_s, u"`%1` is no page number"_s.arg(text),
                     u"The poller's cursor strategy is `page`."_s, u"Give a whole number, or `null`."_s});
    }

private:
    [[nodiscard]] qint64 page(const LaneCursor &cursor) const
    {
        return toPage(memberText(cursor.json, u"page"_s)).value_or(m_initial);
    }

    static LaneCursor written(qint64 page) { return {"{\"page\":" + QByteArray::number(page) + '}'}; }

    qint64 m_initial;
};

} // namespace

std::unique_ptr<CursorStrategy> makePage(const CursorDefinition &definition)
{
    return std::make_unique<PageStrategy>(definition);
}

} // namespace watukuy::cursor
