// SPDX-License-Identifier: GPL-3.0-or-later
// `schedule.activeWindows`: the minutes in which a poller may ask its API, written as in crontab(5).
#pragma once

#include <bitset>
#include <optional>
#include <vector>

#include <QString>
#include <QTimeZone>

#include "engine/model/error.h"
#include "engine/model/instant.h"

namespace watukuy {

/// A set of minutes of the calendar. Pure: the zone is part of the value, only the instant is asked for.
class ActiveWindows {
public:
    /// Adds the minutes of one line: minute, hour, day of month, month, day of week, each `*` or a list of
    /// numbers, ranges and steps, months and weekdays by name, too; both days given = either fits.
    /// `CRON_TZ=Zone ` before them names an IANA time zone, otherwise it is `local`.
    /// ErrorKind::Workspace, with what is wrong in `detail`, for a line that cannot be read or that no
    /// minute fits.
    Result<void> add(const QString &line, const QTimeZone &local);

    /// Nothing was added: always active.
    [[nodiscard]] bool isEmpty() const { return m_lines.empty(); }
    [[nodiscard]] bool isActive(Instant at) const;
    /// The first active instant that is not before `from`.
    [[nodiscard]] Instant nextActive(Instant from) const;

private:
    struct Line {
        QTimeZone zone;
        std::bitset<60> minutes;
        std::bitset<24> hours;
        std::bitset<32> days;
        std::bitset<13> months;
        std::bitset<7> weekdays; ///< Sunday = 0
        bool anyDay = false;     ///< `*`: the weekday decides alone
        bool anyWeekday = false;

        [[nodiscard]] bool hasDate(const QDate &date) const;
        [[nodiscard]] bool isActive(Instant at) const;
        [[nodiscard]] std::optional<Instant> nextActive(Instant from) const;
    };

    std::vector<Line> m_lines;
};

} // namespace watukuy
