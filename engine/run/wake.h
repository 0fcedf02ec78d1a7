// SPDX-License-Identifier: GPL-3.0-or-later
// Which work a key has, and when it next has some: pure functions over its state (seed, step 1).
#pragma once

#include <optional>

#include "engine/definition/definition.h"
#include "engine/model/state.h"

namespace watukuy {

/// The live lane: due, or an operator's trigger waits. A key that was polled in the future is due at
/// once: the wall clock was set back. Outside the active windows only a trigger makes it due.
[[nodiscard]] bool isLiveDue(const KeyState &state, const PollerDefinition &poller, Instant now);

[[nodiscard]] bool isReconcileDue(const KeyState &state, const PollerDefinition &poller, Instant now);
[[nodiscard]] bool isBackfillDue(const KeyState &state, const PollerDefinition &poller, Instant now);

/// Some lane is due, or the outbox has an event that may go now.
[[nodiscard]] bool hasWork(const KeyState &state, const PollerDefinition &poller, Instant now);

/// What keeps a key from delivering, beside what its state says.
struct DeliveryBar {
    bool isClosed = false;           ///< nothing can go before something else changes
    std::optional<Instant> notUntil; ///< a sink is down until then
};

/// When the key next has work: the earliest of its lanes and of its outbox. Nothing while paused.
[[nodiscard]] std::optional<Instant> nextWake(const KeyState &state, const PollerDefinition &poller,
                                              Instant now, const DeliveryBar &bar);

} // namespace watukuy
