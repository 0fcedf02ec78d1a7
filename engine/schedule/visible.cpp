// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "engine/definition/workspace.h"
#include "engine/schedule/schedule.h"

using namespace Qt::StringLiterals;

namespace watukuy::schedule {

namespace {

QString lastErrorText(const ScheduleState &schedule)
{
    return schedule.lastError ? schedule.lastError->oneLine() : u"no reason was recorded"_s;
}

QString whyPaused(const KeyState &state)
{
    const QString who = state.pause == Pause::PartitionRemoved
                            ? u"its partition is no longer listed; it resumes when the partition comes back"_s
                            : u"an operator paused it"_s;
    return state.pauseReason.isEmpty() ? who : who + u" ("_s + state.pauseReason + u')';
}

QString whyDue(const ScheduleState &schedule, Instant now)
{
    switch (schedule.reason) {
    case ScheduleReason::Paced:
        if (schedule.rateLimit && schedule.rateLimit->remaining && schedule.rateLimit->resetAt) {
            return u"the API leaves %1 requests until %2, so they are spread over that time"_s
                .arg(*schedule.rateLimit->remaining)
                .arg(toRfc3339(*schedule.rateLimit->resetAt));
        }
        return u"the API's rate limit stretches the interval"_s;
    case ScheduleReason::CatchUp:
        return u"the last cycle ended before the listing did"_s;
    case ScheduleReason::Manual:
        return u"an operator triggered it"_s;
    case ScheduleReason::Resumed:
        return u"it was resumed"_s;
    default:
        break;
    }
    if (schedule.nextDueAt <= now)
        return u"it is due and waits for its turn"_s;
    return u"the next poll of its interval of %1"_s.arg(durationText(schedule.interval));
}

bool throttled(const ScheduleState &schedule, Instant now)
{
    return schedule.throttledUntil && *schedule.throttledUntil > now;
}

/// The part of waitingFor() that the live lane's schedule alone decides.
WaitingFor waitingBySchedule(const ScheduleState &schedule, Instant now)
{
    if (throttled(schedule, now)) {
        return {u"retry-after"_s, dueAt(schedule), u"the API asked to wait: "_s + lastErrorText(schedule)};
    }
    if (schedule.circuit != Circuit::Closed) {
        return {u"probe"_s, schedule.nextDueAt,
                u"the circuit opened after %1 failures, the next run is a probe; last: %2"_s
                    .arg(schedule.consecutiveFailures)
                    .arg(lastErrorText(schedule))};
    }
    if (schedule.consecutiveFailures > 0 && schedule.nextDueAt > now) {
        return {u"backoff"_s, schedule.nextDueAt,
                u"failed %1 times in a row; last: %2"_s.arg(schedule.consecutiveFailures)
                    .arg(lastErrorText(schedule))};
    }
    if (schedule.lastError && isDeferral(*schedule.lastError))
        return {u"budget"_s,
                std::max(schedule.nextDueAt, schedule.lastError->notBefore.value_or(Instant::min())),
                schedule.lastError->oneLine()};
    return {u"due"_s, schedule.nextDueAt, whyDue(schedule, now)};
}

} // namespace

VisibleState visibleState(const KeyState &state, bool running, Instant now)
{
    const ScheduleState &schedule = state.schedule;
    if (state.pause != Pause::None)
        return VisibleState::Paused;
    if (running)
        return schedule.circuit == Circuit::Closed ? VisibleState::Polling : VisibleState::HalfOpen;
    if (throttled(schedule, now))
        return VisibleState::Throttled;
    if (schedule.circuit != Circuit::Closed)
        return VisibleState::CircuitOpen;
    return schedule.consecutiveFailures > 0 ? VisibleState::BackingOff : VisibleState::Idle;
}

WaitingFor waitingFor(const KeyState &state, const ActiveWindows &windows, bool running,
                      const QString &instance, Instant now)
{
    if (state.pause != Pause::None)
        return {u"resume"_s, std::nullopt, whyPaused(state)};
    if (running)
        return {u"running"_s, std::nullopt, u"a cycle is at work"_s};
    if (state.lease && state.lease->owner != instance && state.lease->expiresAt > now) {
        return {u"lease"_s, state.lease->expiresAt,
                u"instance %1 holds the lease (epoch %2)"_s.arg(state.lease->owner).arg(state.lease->epoch)};
    }
    WaitingFor poll = waitingBySchedule(state.schedule, now);
    const bool polls = poll.code == "due"_L1;
    const Instant due = std::max(now, poll.until.value_or(now));
    if (const Instant opens = windows.nextActive(due); opens > due && !state.triggeredAt)
        poll = {u"window"_s, opens, u"its active windows keep it quiet until then"_s};
    // A retry that is due before the next poll is what moves the key first.
    if (polls && state.nextDeliveryAt && *state.nextDeliveryAt > now &&
        *state.nextDeliveryAt < state.schedule.nextDueAt) {
        return {u"delivery-retry"_s, state.nextDeliveryAt,
                u"%1 events wait for their next delivery attempt"_s.arg(state.counts.outboxPending)};
    }
    if (polls && state.counts.outboxPending > 0 && !state.deliveryHeld && !state.nextDeliveryAt)
        return {u"delivery"_s, due,
                u"%1 events wait for a sink that takes them"_s.arg(state.counts.outboxPending)};
    return poll;
}

} // namespace watukuy::schedule
