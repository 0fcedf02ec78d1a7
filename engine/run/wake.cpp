// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/run/wake.h"

#include "engine/schedule/schedule.h"

namespace watukuy {

namespace {

bool isThrottled(const KeyState &state, Instant now)
{
    return state.schedule.throttledUntil && *state.schedule.throttledUntil > now;
}

bool clockWasSetBack(const KeyState &state, Instant now)
{
    return state.schedule.lastPollAt && *state.schedule.lastPollAt > now;
}

bool mayDeliver(const KeyState &state, Instant now)
{
    return state.counts.outboxPending > 0 && !state.deliveryHeld &&
           (!state.nextDeliveryAt || *state.nextDeliveryAt <= now);
}

} // namespace

bool isLiveDue(const KeyState &state, Instant now)
{
    if (state.triggeredAt)
        return true;
    if (isThrottled(state, now))
        return false;
    return clockWasSetBack(state, now) || schedule::isDue(state.schedule, now);
}

bool isReconcileDue(const KeyState &state, const PollerDefinition &poller, Instant now)
{
    if (!poller.reconcile || isThrottled(state, now))
        return false;
    return !state.reconcileSchedule.nextDueAt || *state.reconcileSchedule.nextDueAt <= now;
}

bool isBackfillDue(const KeyState &state, Instant now)
{
    if (!state.backfill || isThrottled(state, now))
        return false;
    return !state.backfillSchedule.nextDueAt || *state.backfillSchedule.nextDueAt <= now;
}

bool hasWork(const KeyState &state, const PollerDefinition &poller, Instant now)
{
    return isLiveDue(state, now) || isReconcileDue(state, poller, now) || isBackfillDue(state, now) ||
           mayDeliver(state, now);
}

std::optional<Instant> nextWake(const KeyState &state, const PollerDefinition &poller, Instant now,
                                const DeliveryBar &bar)
{
    if (state.pause != Pause::None)
        return {};
    Instant wake = isLiveDue(state, now) ? now : schedule::dueAt(state.schedule);
    const auto consider = [&wake](Instant other) { wake = std::min(wake, other); };
    const Instant notBefore = std::max(now, state.schedule.throttledUntil.value_or(now));
    if (poller.reconcile)
        consider(std::max(notBefore, state.reconcileSchedule.nextDueAt.value_or(now)));
    if (state.backfill)
        consider(std::max(notBefore, state.backfillSchedule.nextDueAt.value_or(now)));
    if (state.counts.outboxPending > 0 && !state.deliveryHeld && !bar.isClosed)
        consider(std::max(state.nextDeliveryAt.value_or(now), bar.notUntil.value_or(now)));
    return wake;
}

} // namespace watukuy
