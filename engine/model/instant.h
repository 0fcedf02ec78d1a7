// SPDX-License-Identifier: GPL-3.0-or-later
// Wall-clock instants and durations: the two words for time that every room uses.
#pragma once

#include <chrono>

#include <QDateTime>
#include <QString>
#include <QTimeZone>

namespace watukuy {

/// A span of time in milliseconds. Configuration, schedules and leases are all in this unit.
using Duration = std::chrono::milliseconds;

/// A point of wall-clock time, UTC, millisecond resolution. This is what a store keeps.
/// Timers never run on it: they follow Clock::steady().
using Instant = std::chrono::sys_time<Duration>;

/// Milliseconds since 1970-01-01T00:00:00Z, the form in which stores and `--json` write an instant.
constexpr qint64 toEpochMs(Instant instant)
{
    return instant.time_since_epoch().count();
}

/// The inverse of toEpochMs().
constexpr Instant fromEpochMs(qint64 ms)
{
    return Instant{Duration{ms}};
}

/// `wait` after `now`, at most the end of time: an absurd wait must not wrap around into the past.
constexpr Instant later(Instant now, Duration wait)
{
    return wait > Instant::max() - now ? Instant::max() : now + wait;
}

/// RFC 3339 in UTC with exactly three fraction digits, e.g. `2026-01-31T09:30:00.125Z`.
inline QString toRfc3339(Instant instant)
{
    return QDateTime::fromMSecsSinceEpoch(toEpochMs(instant), Qt::UTC).toString(Qt::ISODateWithMs);
}

} // namespace watukuy
