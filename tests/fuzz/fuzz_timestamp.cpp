// SPDX-License-Identifier: GPL-3.0-or-later
// Timestamps moved back and written in the form they had: readable again, never later, never far off.
#include <array>

#include "engine/cursor/timestampvalue.h"
#include "tests/fuzz/property.h"

using namespace Qt::StringLiterals;
using namespace watukuy;
using namespace std::chrono_literals;
using cursor::Timestamp;
using fuzz::require;

namespace {

/// What a poller may declare: formats, unit, zone. The first byte of the input takes one.
struct Declared {
    QStringList formats;
    QString unit;
    QByteArray timeZone;
};

const std::array declared{
    Declared{},
    Declared{{}, u"s"_s, {}},
    Declared{{}, u"ms"_s, {}},
    Declared{{}, u"us"_s, {}},
    Declared{{}, u"ns"_s, {}},
    Declared{{}, {}, "Europe/Berlin"},
    Declared{{}, {}, "America/St_Johns"},
    Declared{{}, {}, "Pacific/Apia"},
    Declared{{u"dd-MM-yyyy"_s}, {}, {}},
    Declared{{u"yyyyMMddHHmmss"_s}, {}, "America/New_York"},
    Declared{{u"yyyy-MM-dd HH:mm:ss.zzz t"_s}, {}, {}},
    Declared{{u"d.M.yyyy h:mm AP"_s, u"yyyy/MM/dd"_s}, {}, "Asia/Tehran"},
    Declared{{u"ddd, d MMM yyyy 'at' HH:mm"_s}, {}, "Australia/Lord_Howe"},
};

/// How far a poller may look back (lag and overlap).
constexpr std::array<Duration, 10> spans{0ms, 1ms, 999ms,    1s,        59min + 59s,
                                         1h,  24h, 30 * 24h, 366 * 24h, 36'500 * 24h};

/// What the coarsest form leaves out (a day), and a day that a zone skipped.
constexpr qint64 coarsest = 2 * 86'400;

/// Numbers are read up to 15 digits of seconds.
constexpr qint64 mostSeconds = 999'999'999'999'999;

/// No form but a number says what was before the year 1; a day more for the offsets of zones.
constexpr qint64 firstYear = -62'135'596'800 + 86'400;

QString shown(const Timestamp &at)
{
    return QString::number(at.seconds) + u'.' + QString::number(at.nanoseconds).rightJustified(9, u'0');
}

Timestamp minus(const Timestamp &at, Duration by)
{
    constexpr qint64 perSecond = 1'000'000'000;
    const qint64 nanoseconds = at.nanoseconds - by.count() % 1000 * 1'000'000;
    const qint64 borrowed = nanoseconds < 0 ? 1 : 0;
    return {at.seconds - by.count() / 1000 - borrowed,
            static_cast<qint32>(nanoseconds + borrowed * perSecond)};
}

/// A number whose unit was told by its magnitude keeps that unit, also where it gets a digit less.
CursorDefinition withItsUnit(const QString &text, const Timestamp &at, CursorDefinition definition)
{
    if (!definition.formats.isEmpty() || !definition.unit.isEmpty())
        return definition;
    bool differs = false;
    CursorDefinition found = definition;
    for (const QString &unit : {u"s"_s, u"ms"_s, u"us"_s, u"ns"_s}) {
        definition.unit = unit;
        if (cursor::readTimestamp(text, definition) == at)
            found = definition;
        else
            differs = true;
    }
    definition.unit.clear();
    return differs ? found : definition;
}

void checkMoved(const QString &text, const Timestamp &at, Duration by, const CursorDefinition &given)
{
    const auto moved = cursor::movedBack(text, by, given);
    require(moved.has_value(), "what can be read can be moved", {{"text", text}});
    const CursorDefinition definition = withItsUnit(text, at, given);
    const Timestamp wanted = minus(at, by);
    if (wanted.seconds < -mostSeconds)
        return;
    const auto again = cursor::readTimestamp(*moved, definition);
    require(again.has_value(), "what is written can be read again",
            {{"text", text}, {"by ms", by.count()}, {"written", *moved}});
    require(*again <= at, "a moved timestamp is not later than the original",
            {{"text", text},
             {"by ms", by.count()},
             {"written", *moved},
             {"original", shown(at)},
             {"read again", shown(*again)}});
    if (wanted.seconds < firstYear)
        return;
    require(*again <= wanted, "a timestamp is rounded towards the past",
            {{"text", text},
             {"by ms", by.count()},
             {"written", *moved},
             {"wanted", shown(wanted)},
             {"read again", shown(*again)}});
    require(again->seconds >= wanted.seconds - coarsest, "a moved timestamp is not far before its place",
            {{"text", text},
             {"by ms", by.count()},
             {"written", *moved},
             {"wanted", shown(wanted)},
             {"read again", shown(*again)}});
    const auto same = cursor::movedBack(*moved, Duration::zero(), definition);
    require(same && cursor::readTimestamp(*same, definition) == again, "what does not move stays",
            {{"text", text}, {"written", *moved}, {"written again", same.value_or(QString())}});
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz::Input input(data, size);
    const Declared &chosen = declared.at(input.choice(declared.size()));
    CursorDefinition definition;
    definition.strategy = Strategy::Timestamp;
    definition.formats = chosen.formats;
    definition.unit = chosen.unit;
    definition.timeZone = chosen.timeZone;
    const Duration by = spans.at(input.choice(spans.size()));
    const QString text = QString::fromUtf8(input.rest());

    const auto at = cursor::readTimestamp(text, definition);
    require(cursor::readTimestamp(u'\t' + text + u' ', definition) == at,
            "spaces around a timestamp do not matter", {{"text", text}});
    if (!at) {
        require(!cursor::movedBack(text, by, definition), "what cannot be read cannot be moved",
                {{"text", text}});
        return 0;
    }
    require(at->nanoseconds >= 0 && at->nanoseconds < 1'000'000'000, "nanoseconds are a part of a second",
            {{"text", text}, {"read", shown(*at)}});
    const qint64 ms = toEpochMs(at->toInstant());
    require(ms / 1000 - (ms % 1000 < 0 ? 1 : 0) == at->seconds,
            "an instant lies in the second of its timestamp",
            {{"text", text}, {"read", shown(*at)}, {"instant", ms}});
    checkMoved(text, *at, by, definition);
    return 0;
}
