// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/store/sqladmin.h"

#include <map>

#include "engine/store/sqldelivery.h"
#include "engine/store/sqlevents.h"
#include "engine/store/sqlkeys.h"
#include "engine/store/sqlpoll.h"
#include "engine/store/sqlreads.h"
#include "engine/store/storeerrors.h"

namespace watukuy::sql {

namespace {

constexpr int replayedAtOnce = 500;

/// Ends the lane's scan and puts its cursor somewhere else.
void moveLane(SqlConnection &db, qint64 keyId, Lane lane, const LaneCursor &cursor)
{
    dropScanMarks(db, keyId, lane, std::nullopt);
    writeLane(db, keyId, lane, cursor, std::nullopt);
}

void writeBackfill(SqlConnection &db, qint64 keyId, const std::optional<BackfillState> &backfill, Instant now)
{
    Statement write = db.use("UPDATE keys SET backfill_from = ?, backfill_to = ?, backfill_force = ?,"
                             " backfill_started_at = ?, updated_at = ? WHERE id = ?");
    if (backfill)
        write.bind(backfill->from.json, backfill->to.json, backfill->force, backfill->startedAt);
    else
        write.bind(std::nullopt, std::nullopt, std::nullopt, std::nullopt);
    write.run(now, keyId);
}

/// The keys a bulk call touches, each read once and its counters stored once at the end.
class TouchedKeys {
public:
    explicit TouchedKeys(SqlConnection &db)
        : m_db(db)
    {
    }
    KeyRow &row(const Key &key)
    {
        auto found = m_rows.find(key);
        if (found == m_rows.end())
            found = m_rows.emplace(key, requireKey(m_db, key)).first;
        return found->second;
    }
    template <typename Visit>
    void storeAll(Instant now, Visit visit)
    {
        for (auto &[key, row] : m_rows) {
            visit(row);
            storeCounters(m_db, row, now);
        }
    }

private:
    SqlConnection &m_db;
    std::map<Key, KeyRow> m_rows;
};

void removeParked(SqlConnection &db, KeyRow &key, qint64 id)
{
    db.use("DELETE FROM parked WHERE id = ?").run(id);
    --key.counts.parked;
}

qint64 heldItem(SqlConnection &db, qint64 heldId)
{
    Statement select = db.use("SELECT item_id FROM held WHERE id = ?");
    select.run(heldId);
    return select.next() ? select.integer(0) : 0;
}

} // namespace

void writeAudit(SqlConnection &db, const AuditRow &audit)
{
    db.use("INSERT INTO audit(at, who, operation, poller, partition, reason, before, after)"
           " VALUES(?, ?, ?, ?, ?, ?, ?, ?)")
        .run(audit.at, audit.who, audit.operation, audit.key.poller, audit.key.partition, audit.reason,
             audit.before, audit.after);
}

void pauseKey(SqlConnection &db, const Key &key, Pause pause, const AuditRow &audit)
{
    const KeyRow row = requireKey(db, key);
    writePause(db, row.id, pause, audit.reason, audit.at);
    writeAudit(db, audit);
}

void resumeKey(SqlConnection &db, const Key &key, const ScheduleState &schedule, const AuditRow &audit)
{
    const KeyRow row = requireKey(db, key);
    writePause(db, row.id, Pause::None, QString(), audit.at);
    writeSchedule(db, row.id, schedule, audit.at);
    writeAudit(db, audit);
}

void triggerKey(SqlConnection &db, const Key &key, const ScheduleState &schedule, const AuditRow &audit)
{
    const KeyRow row = requireKey(db, key);
    writeSchedule(db, row.id, schedule, audit.at);
    db.use("UPDATE keys SET triggered_at = ? WHERE id = ?").run(audit.at, row.id);
    writeAudit(db, audit);
}

void resetCursor(SqlConnection &db, const Key &key, const LaneCursor &cursor, bool clearSnapshot,
                 const ScheduleState &schedule, const AuditRow &audit)
{
    KeyRow row = requireKey(db, key);
    fence(db, row);
    moveLane(db, row.id, Lane::Live, cursor);
    // A validator would answer 304 and hide what is to be read again.
    db.use("DELETE FROM validators WHERE key_id = ?").run(row.id);
    if (clearSnapshot) {
        if (const auto scan = openScan(db, row.id, Lane::Reconcile))
            moveLane(db, row.id, Lane::Reconcile, {});
        // Tombstones, not nothing: what comes back is a new observation and needs a new id.
        db.use("UPDATE items SET tombstone = 1, seen_at = ?, payload = NULL WHERE key_id = ? AND tombstone = "
               "0")
            .run(audit.at, row.id);
        db.use("DELETE FROM held WHERE key_id = ?").run(row.id);
        row.counts.items = 0;
        row.counts.held = 0;
    }
    writeSchedule(db, row.id, schedule, audit.at);
    storeCounters(db, row, audit.at);
    writeAudit(db, audit);
}

void startBackfill(SqlConnection &db, const Key &key, const BackfillState &backfill, const AuditRow &audit)
{
    const KeyRow row = requireKey(db, key);
    fence(db, row);
    moveLane(db, row.id, Lane::Backfill, backfill.from);
    writeLaneSchedule(db, row.id, Lane::Backfill, {.nextDueAt = audit.at});
    writeBackfill(db, row.id, backfill, audit.at);
    writeAudit(db, audit);
}

void cancelBackfill(SqlConnection &db, const Key &key, const AuditRow &audit)
{
    const KeyRow row = requireKey(db, key);
    fence(db, row);
    moveLane(db, row.id, Lane::Backfill, {});
    writeLaneSchedule(db, row.id, Lane::Backfill, {});
    writeBackfill(db, row.id, std::nullopt, audit.at);
    writeAudit(db, audit);
}

void removeKey(SqlConnection &db, const Key &key, const AuditRow &audit)
{
    const KeyRow row = requireKey(db, key);
    db.use("UPDATE meta SET value = max(value, ?) WHERE name = 'epoch_floor'").run(row.epoch + 1);
    db.use("DELETE FROM keys WHERE id = ?").run(row.id);
    writeAudit(db, audit);
}

qint64 replay(SqlConnection &db, const Key &key, Instant from, Instant to, const AuditRow &audit)
{
    KeyRow row = requireKey(db, key);
    EventWriter writer(db, row, false);
    LogQuery query{key.poller, key.partition, from, to, 0, replayedAtOnce};
    qint64 done = 0;
    for (auto events = readLog(db, query); !events.empty(); events = readLog(db, query)) {
        query.after = events.back().position;
        for (LoggedEvent &logged : events) {
            logged.event.lane = Lane::Replay;
            writer.append(std::move(logged.event));
            ++done;
        }
    }
    storeCounters(db, row, audit.at);
    writeAudit(db, audit);
    return done;
}

BulkOutcome retryParked(SqlConnection &db, const ParkedFilter &filter, const AuditRow &audit)
{
    BulkOutcome outcome;
    TouchedKeys keys(db);
    for (const ParkedRow &parked : readParked(db, filter)) {
        if (!parked.event) {
            ++outcome.skipped;
            continue;
        }
        KeyRow &key = keys.row(parked.key);
        removeParked(db, key, parked.id);
        insertPending(db, key, {*parked.event, 0, std::nullopt, parked.acceptedBy, parked.history});
        ++outcome.done;
    }
    keys.storeAll(audit.at, [&](const KeyRow &key) { bringBack(db, key.id); });
    writeAudit(db, audit);
    return outcome;
}

BulkOutcome discardParked(SqlConnection &db, const ParkedFilter &filter, const AuditRow &audit)
{
    BulkOutcome outcome;
    TouchedKeys keys(db);
    for (const ParkedRow &parked : readParked(db, filter)) {
        removeParked(db, keys.row(parked.key), parked.id);
        ++outcome.done;
    }
    keys.storeAll(audit.at, [&](const KeyRow &key) { bringBack(db, key.id); });
    writeAudit(db, audit);
    return outcome;
}

BulkOutcome approveHeld(SqlConnection &db, const HeldFilter &filter, const MakeDeletion &makeDeletion,
                        bool log, const AuditRow &audit)
{
    BulkOutcome outcome;
    TouchedKeys keys(db);
    for (const HeldRow &held : readHeld(db, filter)) {
        KeyRow &key = keys.row(held.key);
        const qint64 itemId = heldItem(db, held.id);
        const std::optional<ItemRow> item = readItem(db, itemId);
        db.use("DELETE FROM held WHERE id = ?").run(held.id);
        --key.counts.held;
        if (!item || item->tombstone) {
            ++outcome.skipped;
            continue;
        }
        auto [tombstone, event] = makeDeletion(*item);
        updateItem(db, itemId, tombstone);
        --key.counts.items;
        EventWriter writer(db, key, log);
        writer.append(std::move(event));
        writer.finish();
        ++outcome.done;
    }
    keys.storeAll(audit.at, [](const KeyRow &) {});
    writeAudit(db, audit);
    return outcome;
}

BulkOutcome discardHeld(SqlConnection &db, const HeldFilter &filter, const AuditRow &audit)
{
    BulkOutcome outcome;
    TouchedKeys keys(db);
    Statement discard = db.use("UPDATE held SET discarded = 1 WHERE id = ?");
    for (const HeldRow &held : readHeld(db, filter)) {
        discard.run(held.id);
        --keys.row(held.key).counts.held;
        ++outcome.done;
    }
    keys.storeAll(audit.at, [](const KeyRow &) {});
    writeAudit(db, audit);
    return outcome;
}

qint64 pruneLog(SqlConnection &db, const QString &poller, Instant before, int limit)
{
    // Oldest first, and only until the first row that stays: nothing is walked in vain.
    qint64 removed = 0;
    for (const KeyRow &key : keysOf(db, poller, std::nullopt)) {
        std::optional<qint64> last;
        {
            Statement oldest =
                db.use("SELECT position, time FROM log WHERE key_id = ? ORDER BY position LIMIT ?");
            oldest.run(key.id, limit - removed);
            while (oldest.next() && oldest.instant(1) < before)
                last = oldest.integer(0);
        }
        if (!last)
            continue;
        Statement remove = db.use("DELETE FROM log WHERE key_id = ? AND position <= ?");
        remove.run(key.id, *last);
        removed += remove.changedRows();
    }
    return removed;
}

qint64 pruneTombstones(SqlConnection &db, const QString &poller, Instant before, int limit)
{
    qint64 removed = 0;
    for (const KeyRow &key : keysOf(db, poller, std::nullopt)) {
        Statement remove = db.use("DELETE FROM items WHERE id IN (SELECT id FROM items WHERE key_id = ?"
                                  " AND tombstone = 1 AND seen_at < ? ORDER BY seen_at LIMIT ?)");
        remove.run(key.id, before, limit - removed);
        removed += remove.changedRows();
    }
    return removed;
}

BudgetAnswer takeBudget(SqlConnection &db, const BudgetRequest &request)
{
    if (storeerrors::isEmptyBudget(request.windows)) {
        db.failWith(storeerrors::emptyBudget(request.budget));
        return {};
    }
    const Duration horizon = budget::longest(request.windows);
    db.use("DELETE FROM budget_uses WHERE budget = ? AND (at <= ? OR id = ?)")
        .run(request.budget, request.now - horizon, request.replaces);
    // A process with a clock far ahead must not block the others for longer than one window.
    db.use("UPDATE budget_uses SET at = ? WHERE budget = ? AND at > ?")
        .run(request.now, request.budget, request.now + horizon);
    const std::vector<budget::Use> uses = readBudget(db, request.budget, request.now - horizon);
    const Duration now = request.now.time_since_epoch();
    const Duration at = budget::earliest(uses, request.windows, request.cost, now);
    if (at > now)
        return {.granted = false, .tryAgainAt = Instant{at}};
    Statement insert = db.use("INSERT INTO budget_uses(budget, at, cost) VALUES(?, ?, ?)");
    insert.run(request.budget, request.now, request.cost);
    return {.granted = true, .use = insert.newId()};
}

void moveBudgetUse(SqlConnection &db, const QString &budget, qint64 use, Duration later)
{
    db.use("UPDATE budget_uses SET at = at + ? WHERE id = ? AND budget = ?").run(later, use, budget);
}

std::vector<budget::Use> readBudget(SqlConnection &db, const QString &budget, Instant since)
{
    std::vector<budget::Use> uses;
    Statement rows = db.use("SELECT at, cost FROM budget_uses WHERE budget = ? AND at > ? ORDER BY at, id");
    rows.run(budget, since);
    while (rows.next())
        uses.push_back({rows.instant(0).time_since_epoch(), rows.integer(1)});
    return uses;
}

} // namespace watukuy::sql
