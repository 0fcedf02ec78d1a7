// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/run/wake.h"

#include "engine/schedule/schedule.h"

namespace watukuy {

namespace {

/// The API asked for a pause, or the poller's windows are closed.
bool mayNotAsk(const KeyState &state, const PollerDefinition &poller, Instant now)
{
    return (state.schedule.throttledUntil && *state.schedule.throttledUntil > now) ||
           !poller.schedule.activeWindows.isActive(now);
}

bool clockWasSetBack(const KeyState &state, Instant now)
{
    return state.schedule.lastPollAt && *state.schedule.lastPollAt > now;
}

/// Its budget has nothing left until then; not even a trigger helps. A clock that was set back says
/// nothing about it.
Instant putOffUntil(const KeyState &state, Instant now)
{
    const auto &error = state.schedule.lastError;
    return error && isDeferral(*error) && !clockWasSetBack(state, now)
               ? std::max(now, error->notBefore.value_or(now))
               : now;
}

bool mayDeliver(const KeyState &state, Instant now)
{
    return state.counts.outboxPending > 0 && !state.deliveryHeld &&
           (!state.nextDeliveryAt || *state.nextDeliveryAt <= now);
}

} // namespace

bool isLiveDue(const KeyState &state, const PollerDefinition &poller, Instant now)
{
    if (state.triggeredAt)
        return putOffUntil(state, now) == now;
    if (mayNotAsk(state, poller, now))
        return false;
    return clockWasSetBack(state, now) || schedule::isDue(state.schedule, now);
}

bool isReconcileDue(const KeyState &state, const PollerDefinition &poller, Instant now)
{
    if (!poller.reconcile || mayNotAsk(state, poller, now))
        return false;
    return !state.reconcileSchedule.nextDueAt || *state.reconcileSchedule.nextDueAt <= now;
}

bool isBackfillDue(const KeyState &state, const PollerDefinition &poller, Instant now)
{
    if (!state.backfill || mayNotAsk(state, poller, now))
        return false;
    return !state.backfillSchedule.nextDueAt || *state.backfillSchedule.nextDueAt <= now;
}

bool hasWork(const KeyState &state, const PollerDefinition &poller, Instant now)
{
    return isLiveDue(state, poller, now) || isReconcileDue(state, poller, now) ||
           isBackfillDue(state, poller, now) || mayDeliver(state, now);
}

std::optional<Instant> nextWake(const KeyState &state, const PollerDefinition &poller, Instant now,
                                const DeliveryBar &bar)
{
    if (state.pause != Pause::None)
        return {};
    const auto &windows = poller.schedule.activeWindows;
    const Instant mayAskAt = std::max(now, state.schedule.throttledUntil.value_or(now));
    const auto asksAt = [&](Instant due) { return windows.nextActive(std::max(mayAskAt, due)); };
    Instant wake = state.triggeredAt               ? putOffUntil(state, now)
                   : isLiveDue(state, poller, now) ? now
                                                   : asksAt(schedule::dueAt(state.schedule));
    const auto consider = [&wake](Instant other) { wake = std::min(wake, other); };
    if (poller.reconcile)
        consider(asksAt(state.reconcileSchedule.nextDueAt.value_or(now)));
    if (state.backfill)
        consider(asksAt(state.backfillSchedule.nextDueAt.value_or(now)));
    if (state.counts.outboxPending > 0 && !state.deliveryHeld && !bar.isClosed)
        consider(std::max(state.nextDeliveryAt.value_or(now), bar.notUntil.value_or(now)));
    return wake;
}

} // namespace watukuy
