// SPDX-License-Identifier: GPL-3.0-or-later
// The persisted state of a key: schedule, cursors, scan position, lease, counts.
#pragma once

#include <array>
#include <optional>

#include <QByteArray>
#include <QList>
#include <QMetaType>
#include <QString>

#include "engine/model/error.h"
#include "engine/model/instant.h"
#include "engine/model/key.h"

namespace watukuy {

enum class Circuit { Closed, Open, HalfOpen };

/// What the API said about its rate limit with the last answer that said something.
struct RateLimit {
    QString source; ///< header family: `ietf`, `legacy`, `vendor`
    std::optional<qint64> limit;
    std::optional<qint64> remaining;
    std::optional<Instant> resetAt;
    QString policy; ///< the policy header, verbatim

    bool operator==(const RateLimit &) const = default;
};

struct EventCounts {
    qint64 created = 0;
    qint64 updated = 0;
    qint64 deleted = 0;

    [[nodiscard]] qint64 total() const { return created + updated + deleted; }
    EventCounts &operator+=(const EventCounts &other)
    {
        created += other.created;
        updated += other.updated;
        deleted += other.deleted;
        return *this;
    }
    bool operator==(const EventCounts &) const = default;
};

/// How a full scan ended (spec-engine 2). Only Complete emits deletes. `None` for other lanes.
enum class Verdict { None, Complete, Truncated, Unmodified, Unstable, Suspect };

/// One finished cycle, as `inspect` and the timeline show it.
struct PollSummary {
    Lane lane = Lane::Live;
    Instant startedAt;
    Duration took{0};
    int pages = 0;
    qint64 items = 0;
    EventCounts events;
    bool notModified = false;
    bool truncated = false;
    Verdict verdict = Verdict::None;

    bool operator==(const PollSummary &) const = default;
};

/// Why the next run is due when it is (spec-engine 5).
enum class ScheduleReason {
    None,
    SpeedUp,
    BackOff,
    NotModified,
    Fixed,
    CatchUp,
    Paced,
    Throttled,
    Backoff,
    CircuitOpen,
    ProbeFailed,
    ProbeSucceeded,
    Manual,
    Resumed
};

/// The seed's ScheduleState. Changed only by the pure functions of `schedule/`.
struct ScheduleState {
    Instant nextDueAt;
    Duration interval{0};
    int consecutiveFailures = 0;
    Circuit circuit = Circuit::Closed;
    std::optional<Instant> circuitOpenedAt;
    std::optional<Instant> throttledUntil;
    std::optional<RateLimit> rateLimit;
    std::optional<Instant> lastPollAt;
    std::optional<Instant> lastSuccessAt;
    std::optional<PollSummary> lastPoll;
    std::optional<Error> lastError;
    ScheduleReason reason = ScheduleReason::None;

    bool operator==(const ScheduleState &) const = default;
};

/// The schedule of a lane that is not the live one: due time and failures of its own, so that a
/// failing reconcile or backfill never touches the live lane's circuit.
struct LaneSchedule {
    std::optional<Instant> nextDueAt;
    int consecutiveFailures = 0;
    std::optional<Error> lastError;
    std::optional<Instant> lastCompletedAt;

    bool operator==(const LaneSchedule &) const = default;
};

/// A lane's cursor as JSON text in the form its strategy writes, e.g.
/// `{"value":"2026-01-01T00:00:00Z","tieBreak":"17"}`. Empty means: at `initial`.
struct LaneCursor {
    QByteArray json;

    [[nodiscard]] bool isInitial() const { return json.isEmpty(); }
    bool operator==(const LaneCursor &) const = default;
};

/// Where a scan stands between two pages; saved with each page so that a crash resumes it.
/// For every paging kind but keyset the durable cursor moves only when the scan is complete: the
/// bounds are frozen in `from`, and `watermark` collects where the cursor will go.
struct ScanState {
    qint64 id = 0;        ///< given by the store when the scan begins
    LaneCursor from;      ///< the cursor all pages of this scan are asked with
    LaneCursor watermark; ///< the cursor reached so far
    QByteArray position;  ///< JSON text of the paging position of the next page
    int pages = 0;
    qint64 items = 0;
    std::optional<qint64> total; ///< the total the API reported first, if any
    bool sawUnmodified = false;
    bool sawUnstable = false;
    QByteArray milestone;   ///< a request of the scan, to notice when it is sent again
    QByteArray lastContent; ///< fingerprint of the items of its last page
    qint64 confirms = 0; ///< the listing before, in pieces, whose missing items this one confirms; 0 = none
    Instant startedAt;   ///< of the first listing, when this one confirms it

    bool operator==(const ScanState &) const = default;
};

/// A running or cancelled backfill (seed, "Lanes").
struct BackfillState {
    LaneCursor from;
    LaneCursor to;
    bool force = false;
    Instant startedAt;

    bool operator==(const BackfillState &) const = default;
};

/// Who stopped a key, so that a partition that comes back resumes by itself and an operator's
/// pause does not.
enum class Pause { None, Operator, PartitionRemoved };

/// A held lease. `epoch` is the fencing number: it grows with every acquisition and every
/// administrative write that fences.
struct Lease {
    QString owner;
    qint64 epoch = 0;
    Instant expiresAt;

    bool operator==(const Lease &) const = default;
};

/// Totals of a key, kept by the store in the transactions that change them.
struct KeyCounts {
    qint64 items = 0; ///< without tombstones
    qint64 outboxPending = 0;
    qint64 parked = 0;
    qint64 held = 0;

    bool operator==(const KeyCounts &) const = default;
};

/// Everything a store keeps of one key, except its rows.
struct KeyState {
    Key key;
    Pause pause = Pause::None;
    QString pauseReason;
    ScheduleState schedule;
    LaneSchedule reconcileSchedule;
    LaneSchedule backfillSchedule;
    LaneCursor liveCursor;
    LaneCursor backfillCursor;
    std::optional<ScanState> liveScan;
    std::optional<ScanState> reconcileScan;
    std::optional<ScanState> backfillScan;
    std::optional<BackfillState> backfill;
    std::optional<Instant> triggeredAt; ///< an operator's trigger that no cycle has answered yet
    qint64 lastSequence = 0;
    int schemaVersion = 1;
    std::optional<Lease> lease; ///< none when free; may be expired
    qint64 epoch = 0;           ///< the highest epoch ever given for this key
    KeyCounts counts;
    std::optional<QByteArray> partitionData; ///< of its partition: a JSON object or empty; nothing = the
                                             ///< partition is not listed now
    std::optional<Instant> oldestPendingAt;  ///< time of the oldest undelivered event
    std::optional<Instant> nextDeliveryAt;   ///< the earliest retry, when all events that may go wait for one
    bool deliveryHeld = false; ///< every pending event waits behind a parked one: nothing to deliver
    Instant updatedAt;

    bool operator==(const KeyState &) const = default;
};

/// The states of the seed's diagram. Derived, never stored (spec-engine 5).
enum class VisibleState { Idle, Polling, Throttled, BackingOff, CircuitOpen, HalfOpen, Paused };

/// One line of a key's history: a state transition or a finished attempt.
struct TimelineEntry {
    Instant at;
    VisibleState from = VisibleState::Idle;
    VisibleState to = VisibleState::Idle;
    QString cause;  ///< a code: a ScheduleReason, `lease`, `pause`, ...
    QString detail; ///< what an operator should know; English, no secrets
    Duration took{0};

    bool operator==(const TimelineEntry &) const = default;
};

[[nodiscard]] QLatin1StringView toString(Circuit circuit);
[[nodiscard]] QLatin1StringView toString(Verdict verdict);       ///< "" for Verdict::None
[[nodiscard]] QLatin1StringView toString(ScheduleReason reason); ///< "" for ScheduleReason::None
[[nodiscard]] QLatin1StringView toString(VisibleState state);    ///< `Idle`, `BackingOff`, ...

} // namespace watukuy

Q_DECLARE_METATYPE(watukuy::KeyState)
