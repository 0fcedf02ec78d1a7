// SPDX-License-Identifier: GPL-3.0-or-later
#include <limits>
#include <unordered_map>

#include "engine/store/rowcodec.h"
#include "engine/store/sqldelivery.h"
#include "engine/store/sqlkeys.h"

namespace watukuy::sql {

namespace {

ScheduleState readSchedule(const Statement &row, int first)
{
    ScheduleState schedule;
    schedule.nextDueAt = row.instant(first);
    schedule.interval = Duration{row.integer(first + 1)};
    schedule.consecutiveFailures = row.number(first + 2);
    schedule.circuit = static_cast<Circuit>(row.number(first + 3));
    schedule.circuitOpenedAt = row.maybeInstant(first + 4);
    schedule.throttledUntil = row.maybeInstant(first + 5);
    schedule.rateLimit = rowcodec::decodeRateLimit(row.bytes(first + 6));
    schedule.lastPollAt = row.maybeInstant(first + 7);
    schedule.lastSuccessAt = row.maybeInstant(first + 8);
    schedule.lastPoll = rowcodec::decodePollSummary(row.bytes(first + 9));
    schedule.lastError = rowcodec::decodeError(row.bytes(first + 10));
    schedule.reason = static_cast<ScheduleReason>(row.number(first + 11));
    return schedule;
}

KeyState readKeyState(const Statement &row)
{
    KeyState state;
    state.key = {row.text(1), row.text(2)};
    state.pause = static_cast<Pause>(row.number(3));
    state.pauseReason = row.text(4);
    state.triggeredAt = row.maybeInstant(5);
    state.lastSequence = row.integer(6);
    state.schemaVersion = row.number(7);
    state.epoch = row.integer(8);
    if (!row.isNull(9))
        state.lease = Lease{row.text(9), state.epoch, row.instant(10)};
    state.counts = {row.integer(11), row.integer(12), row.integer(13), row.integer(14)};
    if (!row.isNull(15))
        state.backfill =
            BackfillState{{row.bytes(16)}, {row.bytes(17)}, row.integer(18) != 0, row.instant(15)};
    state.updatedAt = row.instant(19);
    state.schedule = readSchedule(row, 20);
    if (!row.isNull(32))
        state.partitionData = row.bytes(32);
    return state;
}

std::optional<ScanState> readScan(const Statement &row, int first)
{
    if (row.isNull(first))
        return std::nullopt;
    ScanState scan;
    scan.id = row.integer(first);
    scan.from.json = row.bytes(first + 1);
    scan.watermark.json = row.bytes(first + 2);
    scan.position = row.bytes(first + 3);
    scan.pages = row.number(first + 4);
    scan.items = row.integer(first + 5);
    scan.total = row.maybeInteger(first + 6);
    scan.sawUnmodified = row.integer(first + 7) != 0;
    scan.sawUnstable = row.integer(first + 8) != 0;
    scan.confirms = row.maybeInteger(first + 9).value_or(0);
    scan.startedAt = row.instant(first + 10);
    scan.milestone = row.bytes(first + 11);
    scan.lastContent = row.bytes(first + 12);
    return scan;
}

void readLane(const Statement &row, KeyState &state)
{
    const LaneSchedule schedule{row.maybeInstant(3), row.number(4), rowcodec::decodeError(row.bytes(5)),
                                row.maybeInstant(6)};
    switch (static_cast<Lane>(row.number(1))) {
    case Lane::Live:
        state.liveCursor.json = row.bytes(2);
        state.liveScan = readScan(row, 7);
        break;
    case Lane::Reconcile:
        state.reconcileSchedule = schedule;
        state.reconcileScan = readScan(row, 7);
        break;
    case Lane::Backfill:
        state.backfillCursor.json = row.bytes(2);
        state.backfillSchedule = schedule;
        state.backfillScan = readScan(row, 7);
        break;
    case Lane::Replay:
        break;
    }
}

} // namespace

std::vector<KeyState> loadKeyStates(SqlConnection &db, const std::optional<Key> &only)
{
    std::vector<KeyState> states;
    std::unordered_map<qint64, size_t> rowOf;
    const auto one = [&]() -> std::optional<qint64> {
        if (!only)
            return std::nullopt;
        const auto row = findKey(db, *only);
        return row ? row->id : -1;
    }();
    Statement keys = db.use(
        "SELECT id, poller, partition, pause, pause_reason, triggered_at, last_sequence, schema_version, "
        "epoch,"
        " lease_owner, lease_expires_at, items, outbox_pending, parked, held, backfill_started_at, "
        "backfill_from,"
        " backfill_to, backfill_force, updated_at, next_due_at, interval_ms, consecutive_failures, circuit,"
        " circuit_opened_at, throttled_until, rate_limit, last_poll_at, last_success_at, last_poll, "
        "last_error, reason, partition_data"
        " FROM keys WHERE id >= ? AND id <= ? ORDER BY poller, partition");
    const qint64 first = one.value_or(0);
    const qint64 last = one.value_or(std::numeric_limits<qint64>::max());
    keys.run(first, last);
    while (keys.next()) {
        rowOf.emplace(keys.integer(0), states.size());
        states.push_back(readKeyState(keys));
    }
    Statement lanes = db.use(
        "SELECT key_id, lane, cursor, next_due_at, consecutive_failures, last_error, last_completed_at, "
        "scan_id,"
        " scan_from, scan_watermark, scan_position, scan_pages, scan_items, scan_total, scan_unmodified,"
        " scan_unstable, scan_confirms, scan_started_at, scan_milestone, scan_last_content FROM lanes WHERE "
        "key_id >= ? AND key_id <= ?");
    lanes.run(first, last);
    while (lanes.next()) {
        if (const auto found = rowOf.find(lanes.integer(0)); found != rowOf.end())
            readLane(lanes, states[found->second]);
    }
    for (const auto &[id, index] : rowOf) {
        if (states[index].counts.outboxPending > 0)
            describeOutbox(db, id, states[index]);
    }
    return states;
}

ScheduleState readSchedule(SqlConnection &db, qint64 keyId)
{
    Statement row =
        db.use("SELECT next_due_at, interval_ms, consecutive_failures, circuit, circuit_opened_at,"
               " throttled_until, rate_limit, last_poll_at, last_success_at, last_poll, "
               "last_error, reason FROM keys WHERE id = ?");
    row.run(keyId);
    return row.next() ? readSchedule(row, 0) : ScheduleState{};
}

} // namespace watukuy::sql
