// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/store/sqlkeys.h"

#include "engine/store/rowcodec.h"
#include "engine/store/storeerrors.h"

namespace watukuy::sql {

namespace {

constexpr qint64 timelineLength = 500;

#define WATUKUY_KEY_ROW                                                                                      \
    "SELECT id, poller, partition, epoch, lease_owner, lease_expires_at, last_sequence, last_item, "         \
    "last_scan,"                                                                                             \
    " last_timeline, schema_version, items, outbox_pending, parked, held FROM keys "

KeyRow readKeyRow(const Statement &row)
{
    KeyRow key;
    key.id = row.integer(0);
    key.key = {row.text(1), row.text(2)};
    key.epoch = row.integer(3);
    if (!row.isNull(4))
        key.lease = Lease{row.text(4), key.epoch, row.instant(5)};
    key.lastSequence = row.integer(6);
    key.lastItem = row.integer(7);
    key.lastScan = row.integer(8);
    key.lastTimeline = row.integer(9);
    key.schemaVersion = row.number(10);
    key.counts = {row.integer(11), row.integer(12), row.integer(13), row.integer(14)};
    return key;
}

} // namespace

std::optional<KeyRow> findKey(SqlConnection &db, const Key &key)
{
    Statement select = db.use(WATUKUY_KEY_ROW "WHERE poller = ? AND partition = ?");
    select.run(key.poller, key.partition);
    if (!select.next())
        return std::nullopt;
    return readKeyRow(select);
}

KeyRow requireKey(SqlConnection &db, const Key &key)
{
    std::optional<KeyRow> row = findKey(db, key);
    if (!row)
        db.failWith(storeerrors::unknownKey(key));
    return row.value_or(KeyRow{});
}

KeyRow fencedKey(SqlConnection &db, const Key &key, const Lease &lease)
{
    std::optional<KeyRow> row = findKey(db, key);
    if (!row || !row->lease || row->epoch != lease.epoch)
        db.failWith(storeerrors::leaseLost(key));
    return row.value_or(KeyRow{});
}

std::vector<KeyRow> keysOf(SqlConnection &db, const QString &poller, const std::optional<QString> &partition)
{
    std::vector<KeyRow> rows;
    Statement select = db.use(WATUKUY_KEY_ROW "WHERE (? = '' OR poller = ?) AND (? IS NULL OR partition = ?)"
                                              " ORDER BY poller, partition");
    select.run(poller, poller, partition, partition);
    while (select.next())
        rows.push_back(readKeyRow(select));
    return rows;
}

void storeCounters(SqlConnection &db, const KeyRow &row, Instant now)
{
    db.use("UPDATE keys SET last_sequence = ?, last_item = ?, last_scan = ?, last_timeline = ?, "
           "schema_version = ?,"
           " items = ?, outbox_pending = ?, parked = ?, held = ?, updated_at = ? WHERE id = ?")
        .run(row.lastSequence, row.lastItem, row.lastScan, row.lastTimeline, row.schemaVersion,
             row.counts.items, row.counts.outboxPending, row.counts.parked, row.counts.held, now, row.id);
}

std::optional<Lease> acquireLease(SqlConnection &db, const Key &key, const QString &instance, Duration ttl,
                                  Instant now)
{
    const KeyRow row = requireKey(db, key);
    if (row.lease && row.lease->owner != instance && row.lease->expiresAt > now)
        return std::nullopt;
    const Lease lease{instance, row.epoch + 1, now + ttl};
    db.use("UPDATE keys SET lease_owner = ?, lease_expires_at = ?, epoch = ? WHERE id = ?")
        .run(lease.owner, lease.expiresAt, lease.epoch, row.id);
    return lease;
}

Renewal renewLease(SqlConnection &db, const Key &key, const Lease &lease, Duration ttl, Instant now)
{
    const KeyRow row = fencedKey(db, key, lease);
    const Lease renewed{lease.owner, lease.epoch, now + ttl};
    Statement update = db.use("UPDATE keys SET lease_expires_at = ? WHERE id = ? RETURNING pause");
    update.run(renewed.expiresAt, row.id);
    return {renewed, update.next() ? static_cast<Pause>(update.number(0)) : Pause::None};
}

void releaseLease(SqlConnection &db, const Key &key, const Lease &lease)
{
    const KeyRow row = fencedKey(db, key, lease);
    db.use("UPDATE keys SET lease_owner = NULL, lease_expires_at = NULL WHERE id = ?").run(row.id);
}

void fence(SqlConnection &db, const KeyRow &row)
{
    db.use("UPDATE keys SET epoch = epoch + 1, lease_owner = NULL, lease_expires_at = NULL WHERE id = ?")
        .run(row.id);
}

void writePause(SqlConnection &db, qint64 keyId, Pause pause, const QString &reason, Instant now)
{
    db.use("UPDATE keys SET pause = ?, pause_reason = ?, updated_at = ? WHERE id = ?")
        .run(pause, reason, now, keyId);
}

void writeSchedule(SqlConnection &db, qint64 keyId, const ScheduleState &schedule, Instant now)
{
    const auto json = [](const auto &value) {
        return value ? std::optional(rowcodec::encode(*value)) : std::nullopt;
    };
    db.use("UPDATE keys SET next_due_at = ?, interval_ms = ?, consecutive_failures = ?, circuit = ?,"
           " circuit_opened_at = ?, throttled_until = ?, rate_limit = ?, last_poll_at = ?, last_success_at = "
           "?,"
           " last_poll = ?, last_error = ?, reason = ?, updated_at = ? WHERE id = ?")
        .run(schedule.nextDueAt, schedule.interval, schedule.consecutiveFailures, schedule.circuit,
             schedule.circuitOpenedAt, schedule.throttledUntil, json(schedule.rateLimit), schedule.lastPollAt,
             schedule.lastSuccessAt, json(schedule.lastPoll), json(schedule.lastError), schedule.reason, now,
             keyId);
}

void writeLaneSchedule(SqlConnection &db, qint64 keyId, Lane lane, const LaneSchedule &schedule)
{
    const auto error =
        schedule.lastError ? std::optional(rowcodec::encode(*schedule.lastError)) : std::nullopt;
    db.use("INSERT INTO lanes(key_id, lane, next_due_at, consecutive_failures, last_error, last_completed_at)"
           " VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT(key_id, lane) DO UPDATE SET next_due_at = "
           "excluded.next_due_at,"
           " consecutive_failures = excluded.consecutive_failures, last_error = excluded.last_error,"
           " last_completed_at = excluded.last_completed_at")
        .run(keyId, lane, schedule.nextDueAt, schedule.consecutiveFailures, error, schedule.lastCompletedAt);
}

void writeLane(SqlConnection &db, qint64 keyId, Lane lane, const LaneCursor &cursor,
               const std::optional<ScanState> &scan)
{
    Statement write = db.use(
        "INSERT INTO lanes(key_id, lane, cursor, scan_id, scan_from, scan_watermark, scan_position, "
        "scan_pages,"
        " scan_items, scan_total, scan_unmodified, scan_unstable, scan_confirms, scan_started_at, "
        "scan_milestone, scan_last_content)"
        " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(key_id, lane) DO UPDATE SET"
        " cursor = excluded.cursor, scan_id = excluded.scan_id, scan_from = excluded.scan_from,"
        " scan_watermark = excluded.scan_watermark, scan_position = excluded.scan_position,"
        " scan_pages = excluded.scan_pages, scan_items = excluded.scan_items, scan_total = "
        "excluded.scan_total,"
        " scan_unmodified = excluded.scan_unmodified, scan_unstable = excluded.scan_unstable,"
        " scan_confirms = excluded.scan_confirms, scan_started_at = excluded.scan_started_at,"
        " scan_milestone = excluded.scan_milestone, scan_last_content = excluded.scan_last_content");
    write.bind(keyId, lane, cursor.json);
    if (scan)
        write.bind(scan->id, scan->from.json, scan->watermark.json, scan->position, scan->pages, scan->items,
                   scan->total, scan->sawUnmodified, scan->sawUnstable, scan->confirms, scan->startedAt,
                   scan->milestone, scan->lastContent);
    else
        for (int column = 0; column < 13; ++column)
            write.bind(std::nullopt);
    write.run();
}

void saveState(SqlConnection &db, const Key &key, const Lease &lease, const SchedulePatch &patch)
{
    KeyRow row = fencedKey(db, key, lease);
    writeSchedule(db, row.id, patch.schedule, patch.now);
    writeLaneSchedule(db, row.id, Lane::Reconcile, patch.reconcileSchedule);
    writeLaneSchedule(db, row.id, Lane::Backfill, patch.backfillSchedule);
    if (patch.answeredTrigger)
        db.use("UPDATE keys SET triggered_at = NULL WHERE id = ? AND triggered_at <= ?")
            .run(row.id, *patch.answeredTrigger);
    if (patch.timeline.empty())
        return;
    Statement insert =
        db.use("INSERT INTO timeline(key_id, number, at, from_state, to_state, cause, detail, took)"
               " VALUES(?, ?, ?, ?, ?, ?, ?, ?)");
    for (const TimelineEntry &entry : patch.timeline)
        insert.run(row.id, ++row.lastTimeline, entry.at, entry.from, entry.to, entry.cause, entry.detail,
                   entry.took);
    db.use("DELETE FROM timeline WHERE key_id = ? AND number <= ?")
        .run(row.id, row.lastTimeline - timelineLength);
    storeCounters(db, row, patch.now);
}

} // namespace watukuy::sql
