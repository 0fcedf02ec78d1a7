// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cursor/localtime.h"

#include <algorithm>
#include <chrono>

#include <QDateTime>
#include <QTimeZone>

namespace watukuy::cursor {

namespace {

constexpr qint64 secondsPerDay = 86'400;

/// Zones are known for this range only; outside of it the nearest offset counts.
constexpr qint64 farthestSeconds = 250'000'000'000;

qint64 offsetAt(const QTimeZone &zone, qint64 seconds)
{
    const qint64 known = std::clamp(seconds, -farthestSeconds, farthestSeconds);
    return zone.offsetFromUtc(QDateTime::fromSecsSinceEpoch(known, QTimeZone::utc()));
}

} // namespace

qint64 daysFromCivil(int year, unsigned month, unsigned day)
{
    using namespace std::chrono;
    return sys_days{std::chrono::year{year} / std::chrono::month{month} / std::chrono::day{day}}
        .time_since_epoch()
        .count();
}

CivilTime civilFromSeconds(qint64 seconds)
{
    using namespace std::chrono;
    qint64 days = seconds / secondsPerDay;
    qint64 rest = seconds % secondsPerDay;
    if (rest < 0) {
        rest += secondsPerDay;
        --days;
    }
    const sys_days at{std::chrono::days{days}};
    const year_month_day date{at};
    CivilTime civil;
    civil.year = int(date.year());
    civil.month = unsigned(date.month());
    civil.day = unsigned(date.day());
    civil.hour = static_cast<int>(rest / 3600);
    civil.minute = static_cast<int>(rest / 60 % 60);
    civil.second = static_cast<int>(rest % 60);
    civil.weekday = static_cast<int>(weekday{at}.c_encoding());
    return civil;
}

qint64 fromWallClock(qint64 wallSeconds, const QByteArray &zone)
{
    if (zone.isEmpty())
        return wallSeconds;
    const QTimeZone rules{zone};
    if (!rules.isValid())
        return wallSeconds;
    // The reading is at most a day away from UTC, so that a change of offset lies between the two.
    const qint64 before = wallSeconds - offsetAt(rules, wallSeconds - secondsPerDay);
    const qint64 after = wallSeconds - offsetAt(rules, wallSeconds + secondsPerDay);
    const bool beforeFits = before + offsetAt(rules, before) == wallSeconds;
    const bool afterFits = after + offsetAt(rules, after) == wallSeconds;
    if (beforeFits && afterFits)
        return std::min(before, after);
    if (afterFits)
        return after;
    return before; // fits, or lies in a gap: the old offset moves it forward
}

qint64 toWallClock(qint64 seconds, const QByteArray &zone)
{
    if (zone.isEmpty())
        return seconds;
    const QTimeZone rules{zone};
    return rules.isValid() ? seconds + offsetAt(rules, seconds) : seconds;
}

} // namespace watukuy::cursor
