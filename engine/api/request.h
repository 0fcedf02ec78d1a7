// SPDX-License-Identifier: GPL-3.0-or-later
// What an operator asks for, as values: who, why, for real or not, and how far back.
#pragma once

#include <optional>
#include <variant>

#include <QString>

#include "engine/model/instant.h"

namespace watukuy {

/// Whether a mutating operation happens or only says what it would do.
enum class Run { ForReal, Dry };

/// Who asks, and why; goes into the audit log.
struct Request {
    QString who;
    QString reason;
    Run run = Run::ForReal;
};

/// Whether a reset cursor also forgets what was listed.
enum class Snapshot { Keep, Clear };

/// From where to where a backfill goes; the texts are the API's own cursors, or `null`.
struct BackfillWish {
    QString from;
    std::optional<QString> to; ///< nothing = where the live lane stands now
    bool force = false;        ///< known items are emitted again
};
struct CancelBackfillWish {};
struct ReplayWish {
    Instant from;
    std::optional<Instant> to; ///< exclusive; nothing = now
};

/// The ways back in time of one key.
using GoBackWish = std::variant<BackfillWish, CancelBackfillWish, ReplayWish>;

} // namespace watukuy
