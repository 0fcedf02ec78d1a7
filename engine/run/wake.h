// SPDX-License-Identifier: GPL-3.0-or-later
// Which work a key has, and when it next has some: pure functions over its state (seed, step 1).
#pragma once

#include <optional>

#include "engine/definition/definition.h"
#include "engine/model/state.h"

namespace watukuy {

/// The live lane: due, or an operator's trigger waits. A key that was polled in the future is due at
/// once: the wall clock was set back.
[[nodiscard]] bool isLiveDue(const KeyState &state, Instant now);

[[nodiscard]] bool isReconcileDue(const KeyState &state, const PollerDefinition &poller, Instant now);
[[nodiscard]] bool isBackfillDue(const KeyState &state, Instant now);

/// Some lane is due, or the outbox has an event that may go now.
[[nodiscard]] bool hasWork(const KeyState &state, const PollerDefinition &poller, Instant now);

/// When the key next has work: the earliest of its lanes and of its outbox. Nothing while paused.
/// `deliveryWaits` = the outbox was tried and nothing in it may go before `nextDeliveryAt`.
[[nodiscard]] std::optional<Instant> nextWake(const KeyState &state, const PollerDefinition &poller,
                                              Instant now, bool deliveryWaits);

} // namespace watukuy
