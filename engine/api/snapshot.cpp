// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/api/snapshot.h"

#include "engine/api/operations.h"
#include "engine/cursor/timestampvalue.h"
#include "engine/json/rawvalue.h"
#include "engine/schedule/schedule.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

/// How far the data is behind: the age of the watermark for a timestamp cursor, else the age of the
/// oldest event that was not delivered.
std::optional<Duration> lagOf(const KeyState &state, const PollerDefinition *poller, Instant now)
{
    if (poller && poller->cursor.strategy == Strategy::Timestamp && !state.liveCursor.isInitial()) {
        const auto path = json::Path::parse(u"value"_s);
        const auto value =
            path ? json::find(state.liveCursor.json, *path) : Result<std::optional<json::RawValue>>{};
        if (value && *value) {
            if (const auto watermark = cursor::readTimestamp((*value)->scalarText(), poller->cursor))
                return std::max(now - watermark->toInstant(), Duration::zero());
        }
    }
    if (state.oldestPendingAt)
        return std::max(now - *state.oldestPendingAt, Duration::zero());
    return {};
}

QList<Warning> warningsOf(const PollerDefinition *poller)
{
    QList<Warning> warnings;
    if (poller && poller->deliver.to.isEmpty())
        warnings.append(
            {u"no-sink"_s, u"Events are kept in the outbox: no sink is named"_s, u"deliver.to"_s});
    if (poller && poller->cursor.strategy == Strategy::Timestamp && !poller->reconcile)
        warnings.append({u"no-reconcile"_s,
                         u"Deletes are not noticed: a timestamp listing does not show them"_s,
                         u"reconcile"_s});
    return warnings;
}

/// A lane beside the live one that failed says so: the key's own schedule does not show it.
void addLaneFailures(KeySnapshot &snapshot, const KeyState &state)
{
    const auto add = [&](const LaneSchedule &lane, const QString &name) {
        if (!lane.lastError)
            return;
        const QString next = lane.nextDueAt ? toRfc3339(*lane.nextDueAt) : u"the next cycle"_s;
        snapshot.warnings.append({name + u"-failed"_s,
                                  u"The last %1 ended early; it is tried again at %2: %3"_s.arg(
                                      name, next, lane.lastError->oneLine()),
                                  name});
    };
    add(state.reconcileSchedule, u"reconcile"_s);
    if (state.backfill)
        add(state.backfillSchedule, u"backfill"_s);
}

} // namespace

Warning listingWarning(const Error &error)
{
    return {u"partitions-stale"_s, u"The partitions are those of before: %1"_s.arg(error.oneLine()),
            u"partitions"_s};
}

KeySnapshot snapshotOf(const KeyState &state, const PollerDefinition *poller, bool running,
                       const QString &instance, Instant now)
{
    const bool leased = state.lease && state.lease->expiresAt > now;
    const bool elsewhere = leased && state.lease->owner != instance;
    const schedule::WaitingFor waiting = schedule::waitingFor(
        state, poller ? poller->schedule.activeWindows : ActiveWindows{}, running, instance, now);
    KeySnapshot snapshot{.key = state.key,
                         .takenAt = now,
                         .state = schedule::visibleState(state, running || elsewhere, now),
                         .running = running,
                         .enabled = !poller || poller->enabled,
                         .pause = state.pause,
                         .schedule = state.schedule,
                         .reconcileSchedule = state.reconcileSchedule,
                         .backfillActive = state.backfill.has_value(),
                         .liveCursor = state.liveCursor.json,
                         .backfillCursor = state.backfillCursor.json,
                         .lease = leased ? state.lease : std::nullopt,
                         .leasedElsewhere = elsewhere,
                         .counts = state.counts,
                         .lag = lagOf(state, poller, now),
                         .oldestPendingAt = state.oldestPendingAt,
                         .waitingForCode = waiting.code,
                         .waitingUntil = waiting.until,
                         .waitingBecause = waiting.because,
                         .warnings = warningsOf(poller)};
    if (poller && !poller->enabled) {
        snapshot.waitingForCode = u"enabled"_s;
        snapshot.waitingUntil.reset();
        snapshot.waitingBecause = u"the poller is switched off (\"enabled\": false)"_s;
    }
    addLaneFailures(snapshot, state);
    if (state.reconcileScan)
        snapshot.reconcilePosition = state.reconcileScan->position;
    return snapshot;
}

std::optional<Instant> dueOf(const KeySnapshot &key)
{
    if (key.pause != Pause::None || !key.enabled)
        return {};
    return key.waitingForCode == u"window"_s ? key.waitingUntil : schedule::dueAt(key.schedule);
}

} // namespace watukuy
