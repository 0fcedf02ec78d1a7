// SPDX-License-Identifier: GPL-3.0-or-later
// The seed's poller state machine as pure functions of values (spec-engine 5).
#pragma once

#include <optional>

#include "engine/definition/definition.h"
#include "engine/model/state.h"

namespace watukuy::schedule {

/// The part of a definition that scheduling needs.
struct Settings {
    ScheduleDefinition schedule;
    CircuitDefinition circuit;
};

/// A new schedule state and why it is so.
struct Next {
    ScheduleState state;
    ScheduleReason reason = ScheduleReason::None;
    bool circuitOpened = false; ///< this step opened it
    bool circuitClosed = false; ///< this step closed it
};

/// What a finished live cycle found.
struct Success {
    bool hadEvents = false;
    bool notModified = false;
    bool truncated = false;
    std::optional<RateLimit> rateLimit;
    PollSummary summary;
};

/// What a failed live cycle met.
struct Failure {
    Error error;
    std::optional<RateLimit> rateLimit;
    bool poisonHalt = false; ///< opens the circuit directly
};

/// Every function takes the randomness it needs as `uniform`, a value in [0, 1).

/// A key that was never polled: due now, interval at `min`.
[[nodiscard]] ScheduleState initial(const Settings &settings, Instant now);

/// A cycle succeeded: AIMD, jitter, pacing; a probe closes the circuit.
[[nodiscard]] Next afterSuccess(const ScheduleState &state, const Settings &settings, const Success &success,
                                Instant now, double uniform);

/// A cycle failed: backoff with full jitter, or the circuit opens.
[[nodiscard]] Next afterFailure(const ScheduleState &state, const Settings &settings, const Failure &failure,
                                Instant now, double uniform);

/// 429 or 503: sleeps `retryAfter` exactly, or one interval when the API gave none.
[[nodiscard]] Next afterThrottle(const ScheduleState &state, const Settings &settings,
                                 std::optional<Duration> retryAfter, std::optional<RateLimit> rateLimit,
                                 const Error &error, Instant now);

/// Its budget has nothing left: due when it has again (`Error::notBefore`, or an interval later). Says
/// nothing about the API: failures and circuit stay.
[[nodiscard]] Next afterDeferral(const ScheduleState &state, const Settings &settings, const Error &deferral,
                                 Instant now);

/// trigger(): due now; clears the throttle window, leaves an open circuit open (the run is a probe).
[[nodiscard]] Next afterTrigger(const ScheduleState &state, Instant now);

/// resume(): due now; a throttle window of the API goes on.
[[nodiscard]] Next afterResume(const ScheduleState &state, Instant now);

/// The circuit as a run that starts now sees it: an open one is half-open.
[[nodiscard]] Circuit circuitForRun(const ScheduleState &state);

/// When the next run may start: the due time, but never inside a throttle window.
[[nodiscard]] Instant dueAt(const ScheduleState &state);

[[nodiscard]] bool isDue(const ScheduleState &state, Instant now);

/// `min(max, base * factor^(attempt-1))`, times `uniform`; attempt counts from 1.
[[nodiscard]] Duration backoffDelay(int attempt, const BackoffDefinition &backoff, double uniform);

/// `interval` spread by +-jitter, at least zero.
[[nodiscard]] Duration jittered(Duration interval, double jitter, double uniform);

/// `max(wait, ceil((resetAt - now) / max(remaining, 1)))` while the window lasts.
[[nodiscard]] Duration paced(Duration wait, const std::optional<RateLimit> &rateLimit, Instant now);

/// What an operator sees (spec-engine 5). `running` = a cycle of the key is at work.
[[nodiscard]] VisibleState visibleState(const KeyState &state, bool running, Instant now);

/// What a key waits for, until when and why (promise G12): a code and an instant.
struct WaitingFor {
    QString code; ///< `due`, `retry-after`, `backoff`, `probe`, `resume`, `lease`, `delivery-retry`,
                  ///< `delivery`, `budget`, `window`, `running`, ...
    std::optional<Instant> until;
    QString because; ///< English, for logs and `inspect`
};
[[nodiscard]] WaitingFor waitingFor(const KeyState &state, const ActiveWindows &windows, bool running,
                                    const QString &instance, Instant now);

} // namespace watukuy::schedule
