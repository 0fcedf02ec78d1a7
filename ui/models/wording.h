// SPDX-License-Identifier: GPL-3.0-or-later
// The words and numbers an operator reads: states, times, durations, each with its unit or zone.
#pragma once

#include <optional>

#include <QCoreApplication>
#include <QString>

#include "engine/api/snapshot.h"

namespace watukuy::ui {

/// One zone for every absolute time on screen.
enum class Zone { Utc, Local };

/// Turns values into words. A value type: views keep a copy and are told when the zone changes.
class Wording {
    Q_DECLARE_TR_FUNCTIONS(watukuy::ui::Wording)

public:
    Zone zone = Zone::Utc;

    [[nodiscard]] static QString state(VisibleState state);
    /// `Closed`, `Open, probe in 42 s`, `Half-open`.
    [[nodiscard]] static QString circuit(const KeySnapshot &key, Instant now);
    /// `42 s`, `3 min 5 s`, `2 h`, `4 d`: two units at most.
    [[nodiscard]] static QString duration(Duration duration);
    /// `in 42 s`, `12 s ago`, `now`.
    [[nodiscard]] static QString relative(Instant when, Instant now);
    /// `2026-01-31 09:30:00 UTC`.
    [[nodiscard]] QString absolute(Instant when) const;
    /// `09:30:00.125 UTC`, for lines of one day.
    [[nodiscard]] QString timeOfDay(Instant when) const;
    [[nodiscard]] QString zoneName() const;
    [[nodiscard]] static QString count(qint64 number);
    /// Why a key waits and until when, as one sentence.
    [[nodiscard]] QString waiting(const KeySnapshot &key, Instant now) const;
    [[nodiscard]] static QString lease(const KeySnapshot &key);
    /// A transition's cause in plain words.
    [[nodiscard]] static QString cause(const QString &code);
};

} // namespace watukuy::ui
