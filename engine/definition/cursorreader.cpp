// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/definition/cursorreader.h"

#include <QTimeZone>

namespace watukuy {

using namespace Qt::StringLiterals;
using json::Kind;

namespace {

/// What the cursor starts with, kept as JSON. null is the same as nothing.
void readInitial(ObjectReader &reader, CursorDefinition &cursor)
{
    const LocatedValue *initial = reader.takeNullable(u"initial"_s);
    if (!initial || initial->kind == Kind::Null)
        return;
    cursor.initial = initial->raw;
    const bool isText = initial->kind == Kind::String;
    bool isWhole = false;
    const qint64 page = initial->raw.toLongLong(&isWhole);
    switch (cursor.strategy) {
    case Strategy::Timestamp:
    case Strategy::Token:
        if (!isText && initial->kind != Kind::Number)
            reader.problem(u"initial"_s,
                           u"\"initial\" should be a text or a number, not %1"_s.arg(kindName(initial->kind)),
                           u"Write the value as the API writes it."_s);
        break;
    case Strategy::Page:
        if (!isWhole || page < 0)
            reader.problem(u"initial"_s, u"\"initial\" should be the number of a page"_s,
                           u"Most APIs begin with 1."_s);
        break;
    case Strategy::Custom:
    case Strategy::SnapshotDiff:
        break;
    }
}

void readTimestamp(ObjectReader &reader, CursorDefinition &cursor)
{
    reader.require(u"field"_s, u"The member with the time of the last change, for example \"updatedAt\"."_s);
    reader.path(u"field"_s, cursor.field);
    reader.path(u"tieBreak"_s, cursor.tieBreak);
    reader.duration(u"lag"_s, cursor.lag, Least::Zero);
    reader.duration(u"overlap"_s, cursor.overlap, Least::Zero);
    reader.texts(u"format"_s, cursor.formats);
    reader.wordText(u"unit"_s, cursor.unit, {u"s"_s, u"ms"_s, u"us"_s, u"ns"_s});
    QString zone;
    reader.text(u"timeZone"_s, zone);
    cursor.timeZone = zone.toUtf8();
    if (!zone.isEmpty() && !QTimeZone(cursor.timeZone).isValid())
        reader.problem(u"timeZone"_s, u"There is no time zone \"%1\""_s.arg(zone),
                       u"Use an IANA name such as Europe/Berlin."_s);
    reader.duration(u"maxAhead"_s, cursor.maxAhead, Least::Zero);
}

} // namespace

bool readCursor(ObjectReader &poller, CursorDefinition &cursor)
{
    bool isKnown = false;
    poller.require(u"cursor"_s, u"For example {\"strategy\": \"snapshotDiff\"}."_s);
    poller.object(u"cursor"_s, [&](ObjectReader &reader) {
        reader.require(u"strategy"_s, u"It is one of: timestamp, token, page, snapshotDiff, custom."_s);
        isKnown = reader.word(u"strategy"_s, cursor.strategy,
                              {{"timestamp"_L1, Strategy::Timestamp},
                               {"token"_L1, Strategy::Token},
                               {"page"_L1, Strategy::Page},
                               {"snapshotDiff"_L1, Strategy::SnapshotDiff},
                               {"custom"_L1, Strategy::Custom}});
        if (!isKnown) {
            reader.leaveRest();
            return;
        }
        if (cursor.strategy != Strategy::SnapshotDiff)
            readInitial(reader, cursor);
        if (cursor.strategy == Strategy::Timestamp)
            readTimestamp(reader, cursor);
        if (cursor.strategy == Strategy::Custom)
            reader.requiredText(u"advance"_s, cursor.advance,
                                u"A JavaScript function that returns {cursor, done}."_s);
    });
    return isKnown;
}

} // namespace watukuy
