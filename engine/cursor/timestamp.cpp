// SPDX-License-Identifier: GPL-3.0-or-later
#include <utility>

#include "engine/cursor/cursorjson.h"
#include "engine/cursor/strategies.h"
#include "engine/cursor/tiebreak.h"
#include "engine/cursor/timestampvalue.h"
#include "engine/cursor/writtentime.h"

using namespace Qt::StringLiterals;

namespace watukuy::cursor {

namespace {

/// A timestamp cursor: the largest `field` seen, as the API wrote it, and the largest tie-break there.
struct Place {
    std::optional<QString> value;
    std::optional<QString> tieBreak;

    bool operator==(const Place &) const = default;

    [[nodiscard]] LaneCursor written() const
    {
        return {"{\"value\":" + stringOrNull(value) + ",\"tieBreak\":" + stringOrNull(tieBreak) + '}'};
    }
};

/// What one page holds beside its watermark.
struct Tally {
    qsizetype unreadable = 0;
    qsizetype future = 0;
    qsizetype heldBack = 0;
    QString unreadableSample;
    QString futureSample;
};

class TimestampStrategy final : public CursorStrategy {
public:
    explicit TimestampStrategy(const CursorDefinition &definition)
        : m_definition(definition)
        , m_initial(read(definition.initial))
    {
    }

    [[nodiscard]] std::optional<QString> placeholder(const LaneCursor &cursor,
                                                     const QString &name) const override;
    [[nodiscard]] LaneCursor scanStart(const LaneCursor &cursor) const override;
    [[nodiscard]] LaneCursor further(const LaneCursor &left, const LaneCursor &right) const override;
    [[nodiscard]] Result<Advance> advance(const LaneCursor &cursor, const PageInput &page) const override;
    [[nodiscard]] Result<LaneCursor> fromArgument(const QString &text) const override;

private:
    static Place read(const QByteArray &json);
    [[nodiscard]] Place place(const LaneCursor &cursor) const
    {
        return cursor.isInitial() ? m_initial : read(cursor.json);
    }
    [[nodiscard]] std::optional<Timestamp> instantOf(const std::optional<QString> &value) const
    {
        return value ? readTimestamp(*value, m_definition) : std::nullopt;
    }
    [[nodiscard]] Error unreadableCursor(const QString &value) const;
    [[nodiscard]] Place followServer(const Place &before, const QString &value) const;
    Place walk(Place reached, std::optional<Timestamp> at, const PageInput &page, Advance &result,
               Tally &tally) const;
    [[nodiscard]] QList<CursorWarning> warnings(const Tally &tally) const;

    CursorDefinition m_definition;
    Place m_initial;
};

/// An object with `value` and `tieBreak`, or the value alone as a workspace writes `initial`.
Place TimestampStrategy::read(const QByteArray &json)
{
    const auto whole = wholeValue(json);
    if (whole && whole->kind == json::Kind::Object)
        return {memberText(json, u"value"_s), memberText(json, u"tieBreak"_s)};
    return {textOf(whole), std::nullopt};
}

std::optional<QString> TimestampStrategy::placeholder(const LaneCursor &cursor, const QString &name) const
{
    const Place at = place(cursor);
    if (name == "value"_L1)
        return at.value;
    return name == "tieBreak"_L1 ? at.tieBreak : std::nullopt;
}

LaneCursor TimestampStrategy::scanStart(const LaneCursor &cursor) const
{
    const Place at = place(cursor);
    if (m_definition.overlap <= Duration::zero() || !at.value)
        return cursor;
    const auto moved = movedBack(*at.value, m_definition.overlap, m_definition);
    // advance() reports a cursor that cannot be read; asking with it unmoved hides nothing.
    return moved ? Place{moved, std::nullopt}.written() : cursor;
}

LaneCursor TimestampStrategy::further(const LaneCursor &left, const LaneCursor &right) const
{
    const Place leftPlace = place(left);
    const Place rightPlace = place(right);
    const auto leftAt = instantOf(leftPlace.value);
    const auto rightAt = instantOf(rightPlace.value);
    if (!rightPlace.value)
        return left;
    if (!leftAt || !rightAt)
        return right;
    if (*leftAt != *rightAt)
        return *leftAt < *rightAt ? right : left;
    if (!rightPlace.tieBreak)
        return left;
    return !leftPlace.tieBreak || compareTieBreaks(*leftPlace.tieBreak, *rightPlace.tieBreak) < 0 ? right
                                                                                                  : left;
}

Error TimestampStrategy::unreadableCursor(const QString &value) const
{
    return {
        ErrorKind::Workspace, u"CursorUnreadable"_s, u"The stored cursor cannot be read as a time"_s,
        u"`%1` is in none of the forms the cursor's field `%2` is read in, so that the page cannot be compared with it."_s
            .arg(value, m_definition.field.text()),
        u"Declare `cursor.format` for this form, or reset the cursor."_s};
}

/// A page that names its cursor decides: the API knows best where it stands. It still may not go back.
Place TimestampStrategy::followServer(const Place &before, const QString &value) const
{
    const auto beforeAt = instantOf(before.value);
    const auto serverAt = instantOf(value);
    if (beforeAt && serverAt && *serverAt <= *beforeAt)
        return before;
    return {value, std::nullopt};
}

Place TimestampStrategy::walk(Place reached, std::optional<Timestamp> at, const PageInput &page,
                              Advance &result, Tally &tally) const
{
    const Timestamp horizon = toTimestamp(page.now - m_definition.lag);
    const Timestamp farthest = toTimestamp(page.now + m_definition.maxAhead);
    for (size_t i = 0; i < page.body.items.size(); ++i) {
        const QByteArray &item = page.body.items[i];
        const auto found = json::find(item, m_definition.field);
        const auto text = found ? textOf(*found) : std::nullopt;
        const auto itemAt = instantOf(text);
        if (!itemAt) {
            if (tally.unreadable++ == 0)
                tally.unreadableSample = text.value_or(QString());
            continue;
        }
        if (*itemAt > farthest) {
            if (tally.future++ == 0)
                tally.futureSample = *text;
            continue;
        }
        if (*itemAt > horizon) {
            result.kept[i] = false;
            ++tally.heldBack;
            continue;
        }
        if (at && *itemAt < *at)
            continue;
        std::optional<QString> tieBreak;
        if (m_definition.tieBreak) {
            if (const auto tie = json::find(item, *m_definition.tieBreak))
                tieBreak = textOf(*tie);
        }
        if (!at || *itemAt > *at) {
            at = itemAt;
            reached = {text, tieBreak};
        } else if (tieBreak && (!reached.tieBreak || compareTieBreaks(*reached.tieBreak, *tieBreak) < 0)) {
            reached.tieBreak = tieBreak;
        }
    }
    return reached;
}

QList<CursorWarning> TimestampStrategy::warnings(const Tally &tally) const
{
    QList<CursorWarning> list;
    if (tally.unreadable > 0) {
        const QString sample =
            tally.unreadableSample.isEmpty() ? u"missing or null"_s : u'`' + tally.unreadableSample + u'`';
        list.append(
            {u"unreadable-timestamp"_s,
             u"%1 items of a page have no readable time at `%2` (the first: %3); they are kept and do not move the cursor."_s
                 .arg(tally.unreadable)
                 .arg(m_definition.field.text(), sample),
             u"cursor.format"_s});
    }
    if (tally.future > 0) {
        list.append(
            {u"future-timestamp"_s,
             u"%1 items of a page are dated in the future (the first: `%2`); they are kept and do not move the cursor."_s
                 .arg(tally.future)
                 .arg(tally.futureSample),
             u"cursor.maxAhead"_s});
    }
    return list;
}

Result<Advance> TimestampStrategy::advance(const LaneCursor &cursor, const PageInput &page) const
{
    Advance result;
    result.next = cursor;
    result.kept.assign(page.body.items.size(), true);
    const Place before = place(cursor);
    Place reached = before;
    if (const auto server = textOf(page.body.cursor); server && !server->isEmpty()) {
        reached = followServer(before, *server);
    } else if (!page.body.items.empty()) {
        const auto at = instantOf(before.value);
        if (before.value && !at)
            return fail(unreadableCursor(*before.value));
        Tally tally;
        reached = walk(before, at, page, result, tally);
        result.warnings = warnings(tally);
        // What a sorted listing has after held-back items is newer still; an unmoved cursor would
        // only ask for the same page again.
        result.exhausted = tally.heldBack + tally.future > 0 && reached == before;
    }
    if (reached != before)
        result.next = reached.written();
    if (const auto at = instantOf(reached.value))
        result.lag = page.now - at->toInstant();
    return result;
}

Result<LaneCursor> TimestampStrategy::fromArgument(const QString &text) const
{
    const auto argument = argumentText(text);
    if (!argument)
        return Place{}.written();
    const Place given = argument->startsWith(u'{') ? read(argument->toUtf8()) : Place{argument, std::nullopt};
    if (given.value && instantOf(given.value))
        return given.written();
    return fail(
        {ErrorKind::Usage, u"CursorUnreadable"_s, u"`%1` is no time this poller can read"_s.arg(text),
         u"Its cursor's field `%1` is read as RFC 3339, a date, an HTTP date, a count since 1970 or one of `cursor.format`."_s
             .arg(m_definition.field.text()),
         u"Write it as the API writes it, e.g. 2026-01-31T09:30:00Z, or give `null`."_s});
}

} // namespace

std::unique_ptr<CursorStrategy> makeTimestamp(const CursorDefinition &definition)
{
    return std::make_unique<TimestampStrategy>(definition);
}

} // namespace watukuy::cursor
