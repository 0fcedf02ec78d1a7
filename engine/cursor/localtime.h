// SPDX-License-Identifier: GPL-3.0-or-later
// Wall-clock readings of a time zone as instants, with one rule for gaps and doubled hours.
#pragma once

#include <QByteArray>
#include <QtGlobal>

namespace watukuy::cursor {

/// Days since 1970-01-01; nothing is checked.
[[nodiscard]] qint64 daysFromCivil(int year, unsigned month, unsigned day);

/// A civil date and time of day.
struct CivilTime {
    int year = 1970;
    unsigned month = 1, day = 1;
    int hour = 0, minute = 0, second = 0;
    int weekday = 4; ///< 0 = Sunday
};

[[nodiscard]] CivilTime civilFromSeconds(qint64 seconds);

/// Epoch seconds of the wall-clock reading `wallSeconds` (counted as if it were UTC) in the IANA
/// zone `zone` (empty = UTC). A reading that the clock skipped moves forward by the gap, one that
/// it showed twice is the earlier instant (spec-engine 3). An unknown zone is read as UTC.
[[nodiscard]] qint64 fromWallClock(qint64 wallSeconds, const QByteArray &zone);

/// The inverse: what a wall clock in `zone` shows at `seconds`.
[[nodiscard]] qint64 toWallClock(qint64 seconds, const QByteArray &zone);

} // namespace watukuy::cursor
