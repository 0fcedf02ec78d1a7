// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/schedule/schedule.h"

#include <algorithm>
#include <cmath>

namespace watukuy::schedule {

namespace {

/// Half up, so that a wait is the same on every platform.
Duration rounded(double ms)
{
    constexpr double longest = 9e15; // beyond it a double has no whole milliseconds any more
    return Duration{static_cast<qint64>(std::floor(std::min(ms, longest) + 0.5))};
}

Duration within(Duration interval, const ScheduleDefinition &schedule)
{
    return std::min(std::max(interval, schedule.min), std::max(schedule.min, schedule.max));
}

bool windowLasts(const std::optional<RateLimit> &rateLimit, Instant now)
{
    return rateLimit && rateLimit->resetAt && *rateLimit->resetAt > now;
}

/// An answer that says nothing about the limit leaves what the last one said, until its window ends.
std::optional<RateLimit> remembered(const std::optional<RateLimit> &said,
                                    const std::optional<RateLimit> &before, Instant now)
{
    if (said)
        return said;
    return windowLasts(before, now) ? before : std::nullopt;
}

struct Step {
    Duration interval;
    ScheduleReason reason;
};

Step adapted(const ScheduleState &state, const ScheduleDefinition &schedule, const Success &success)
{
    if (!schedule.adaptive)
        return {schedule.min, ScheduleReason::Fixed};
    const Duration base = within(state.interval, schedule);
    const auto ms = static_cast<double>(base.count());
    const Duration grown = within(rounded(ms * 1.5), schedule);
    if (success.notModified)
        return {grown, ScheduleReason::NotModified};
    if (success.hadEvents)
        return {within(rounded(ms / 2), schedule), ScheduleReason::SpeedUp};
    return {grown, ScheduleReason::BackOff};
}

void openCircuit(Next &next, const CircuitDefinition &circuit, Instant now)
{
    const bool wasOpen = next.state.circuit != Circuit::Closed;
    next.circuitOpened = !wasOpen;
    next.reason = wasOpen ? ScheduleReason::ProbeFailed : ScheduleReason::CircuitOpen;
    next.state.circuit = Circuit::Open;
    if (!wasOpen || !next.state.circuitOpenedAt)
        next.state.circuitOpenedAt = now;
    next.state.nextDueAt = later(now, circuit.probeEvery);
}

} // namespace

ScheduleState initial(const Settings &settings, Instant now)
{
    ScheduleState state;
    state.nextDueAt = now;
    state.interval = settings.schedule.min;
    return state;
}

Next afterSuccess(const ScheduleState &state, const Settings &settings, const Success &success, Instant now,
                  double uniform)
{
    Next next{state};
    next.circuitClosed = state.circuit != Circuit::Closed;
    next.state.circuit = Circuit::Closed;
    next.state.circuitOpenedAt.reset();
    next.state.consecutiveFailures = 0;
    next.state.throttledUntil.reset();
    next.state.lastError.reset();
    next.state.lastPollAt = now;
    next.state.lastSuccessAt = now;
    next.state.lastPoll = success.summary;
    next.state.rateLimit = remembered(success.rateLimit, state.rateLimit, now);

    Duration wait{0};
    if (success.truncated) {
        next.reason = ScheduleReason::CatchUp;
    } else {
        const Step step = adapted(state, settings.schedule, success);
        next.state.interval = step.interval;
        next.reason = step.reason;
        wait = jittered(step.interval, settings.schedule.jitter, uniform);
    }
    const Duration stretched = paced(wait, next.state.rateLimit, now);
    if (stretched > wait)
        next.reason = ScheduleReason::Paced;
    next.state.nextDueAt = later(now, stretched);
    next.state.reason = next.reason;
    return next;
}

Next afterFailure(const ScheduleState &state, const Settings &settings, const Failure &failure, Instant now,
                  double uniform)
{
    Next next{state};
    next.state.consecutiveFailures = state.consecutiveFailures + 1;
    next.state.lastError = failure.error;
    next.state.rateLimit = remembered(failure.rateLimit, state.rateLimit, now);
    if (state.throttledUntil && *state.throttledUntil <= now)
        next.state.throttledUntil.reset();

    if (failure.poisonHalt || state.circuit != Circuit::Closed ||
        next.state.consecutiveFailures >= settings.circuit.failures) {
        openCircuit(next, settings.circuit, now);
    } else {
        next.reason = ScheduleReason::Backoff;
        next.state.nextDueAt =
            later(now, backoffDelay(next.state.consecutiveFailures, settings.schedule.backoff, uniform));
    }
    next.state.nextDueAt = std::max(next.state.nextDueAt, failure.error.notBefore.value_or(now));
    next.state.reason = next.reason;
    return next;
}

Next afterThrottle(const ScheduleState &state, const Settings &settings, std::optional<Duration> retryAfter,
                   std::optional<RateLimit> rateLimit, const Error &error, Instant now)
{
    Next next{state};
    const Duration wait =
        std::max(retryAfter.value_or(within(state.interval, settings.schedule)), Duration::zero());
    next.state.throttledUntil = later(now, wait);
    next.state.nextDueAt = *next.state.throttledUntil;
    next.state.lastError = error;
    next.state.rateLimit = remembered(rateLimit, state.rateLimit, now);
    next.reason = ScheduleReason::Throttled;
    next.state.reason = next.reason;
    return next;
}

Next afterDeferral(const ScheduleState &state, const Settings &settings, const Error &deferral, Instant now)
{
    Next next{state};
    next.state.nextDueAt =
        std::max(now, deferral.notBefore.value_or(later(now, within(state.interval, settings.schedule))));
    next.state.lastError = deferral;
    next.reason = ScheduleReason::Paced;
    next.state.reason = next.reason;
    return next;
}

Next afterTrigger(const ScheduleState &state, Instant now)
{
    Next next{state};
    next.state.nextDueAt = now;
    next.state.throttledUntil.reset();
    next.reason = ScheduleReason::Manual;
    next.state.reason = next.reason;
    return next;
}

Next afterResume(const ScheduleState &state, Instant now)
{
    // The API's own wait outlives a pause: only a trigger overrules it.
    Next next{state};
    next.state.nextDueAt = now;
    next.reason = ScheduleReason::Resumed;
    next.state.reason = next.reason;
    return next;
}

Circuit circuitForRun(const ScheduleState &state)
{
    return state.circuit == Circuit::Closed ? Circuit::Closed : Circuit::HalfOpen;
}

Instant dueAt(const ScheduleState &state)
{
    return state.throttledUntil ? std::max(state.nextDueAt, *state.throttledUntil) : state.nextDueAt;
}

bool isDue(const ScheduleState &state, Instant now)
{
    return dueAt(state) <= now;
}

Duration backoffDelay(int attempt, const BackoffDefinition &backoff, double uniform)
{
    if (backoff.base <= Duration::zero())
        return Duration::zero();
    const double grown = static_cast<double>(backoff.base.count()) *
                         std::pow(backoff.factor, static_cast<double>(std::max(attempt, 1) - 1));
    return rounded(std::min(grown, static_cast<double>(backoff.max.count())) * uniform);
}

Duration jittered(Duration interval, double jitter, double uniform)
{
    const double spread = 1 + std::max(jitter, 0.0) * (2 * uniform - 1);
    return rounded(std::max(static_cast<double>(interval.count()) * spread, 0.0));
}

Duration paced(Duration wait, const std::optional<RateLimit> &rateLimit, Instant now)
{
    wait = std::max(wait, Duration::zero());
    if (!windowLasts(rateLimit, now) || !rateLimit->remaining)
        return wait;
    const qint64 left = (*rateLimit->resetAt - now).count();
    const qint64 share = std::max<qint64>(*rateLimit->remaining, 1);
    return std::max(wait, Duration{left / share + (left % share == 0 ? 0 : 1)});
}

} // namespace watukuy::schedule
