// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/store/migrations.h"

#include <array>

#include "engine/store/sqlconnection.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

#define WATUKUY_EVENT_COLUMNS                                                                                \
    "event_id BLOB NOT NULL, type INTEGER NOT NULL, lane INTEGER NOT NULL, source TEXT NOT NULL,"            \
    "subject TEXT NOT NULL, ordering_key TEXT, cursor BLOB NOT NULL, data BLOB NOT NULL, previous BLOB"

// Times are epoch milliseconds. `ordering_key` is NULL where it is the subject. An item's id is
// key_id * 2^36 + its number in the key, so that the rows of a key lie together and the bitmap of a
// scan is dense. `aside` rows of the outbox wait behind a parked event of their ordering key.
constexpr std::array initial{
    "CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
    "INSERT INTO meta(name, value) VALUES('epoch_floor', 0), ('log_position', 0)",

    "CREATE TABLE keys(id INTEGER PRIMARY KEY AUTOINCREMENT, poller TEXT NOT NULL, partition TEXT NOT NULL,"
    "pause INTEGER NOT NULL DEFAULT 0, pause_reason TEXT NOT NULL DEFAULT '',"
    "next_due_at INTEGER NOT NULL, interval_ms INTEGER NOT NULL, consecutive_failures INTEGER NOT NULL "
    "DEFAULT 0,"
    "circuit INTEGER NOT NULL DEFAULT 0, circuit_opened_at INTEGER, throttled_until INTEGER, rate_limit BLOB,"
    "last_poll_at INTEGER, last_success_at INTEGER, last_poll BLOB, last_error BLOB,"
    "reason INTEGER NOT NULL DEFAULT 0, triggered_at INTEGER,"
    "last_sequence INTEGER NOT NULL DEFAULT 0, last_item INTEGER NOT NULL DEFAULT 0,"
    "last_scan INTEGER NOT NULL DEFAULT 0, last_timeline INTEGER NOT NULL DEFAULT 0,"
    "schema_version INTEGER NOT NULL DEFAULT 1,"
    "lease_owner TEXT, lease_expires_at INTEGER, epoch INTEGER NOT NULL DEFAULT 0,"
    "items INTEGER NOT NULL DEFAULT 0, outbox_pending INTEGER NOT NULL DEFAULT 0,"
    "parked INTEGER NOT NULL DEFAULT 0, held INTEGER NOT NULL DEFAULT 0,"
    "backfill_from BLOB, backfill_to BLOB, backfill_force INTEGER, backfill_started_at INTEGER,"
    "updated_at INTEGER NOT NULL, UNIQUE(poller, partition))",

    "CREATE TABLE lanes(key_id INTEGER NOT NULL REFERENCES keys(id) ON DELETE CASCADE, lane INTEGER NOT NULL,"
    "cursor BLOB NOT NULL DEFAULT x'', next_due_at INTEGER, consecutive_failures INTEGER NOT NULL DEFAULT 0,"
    "last_error BLOB, last_completed_at INTEGER,"
    "scan_id INTEGER, scan_from BLOB, scan_watermark BLOB, scan_position BLOB, scan_pages INTEGER,"
    "scan_items INTEGER, scan_total INTEGER, scan_unmodified INTEGER, scan_unstable INTEGER,"
    "scan_started_at INTEGER, PRIMARY KEY(key_id, lane)) WITHOUT ROWID",

    "CREATE TABLE items(id INTEGER PRIMARY KEY, key_id INTEGER NOT NULL REFERENCES keys(id) ON DELETE "
    "CASCADE,"
    "identity TEXT NOT NULL, version TEXT, hash BLOB NOT NULL, schema_version INTEGER NOT NULL,"
    "revision INTEGER NOT NULL, tombstone INTEGER NOT NULL, seen_at INTEGER NOT NULL, payload BLOB,"
    "UNIQUE(key_id, identity))",
    "CREATE INDEX items_tombstones ON items(key_id, seen_at) WHERE tombstone = 1",

    "CREATE TABLE scan_seen(key_id INTEGER NOT NULL REFERENCES keys(id) ON DELETE CASCADE,"
    "scan_id INTEGER NOT NULL, chunk INTEGER NOT NULL, bits BLOB NOT NULL,"
    "PRIMARY KEY(key_id, scan_id, chunk)) WITHOUT ROWID",

    "CREATE TABLE outbox(key_id INTEGER NOT NULL REFERENCES keys(id) ON DELETE CASCADE,"
    "aside INTEGER NOT NULL DEFAULT 0, sequence INTEGER NOT NULL, time INTEGER NOT NULL,"
    "not_before INTEGER, attempts INTEGER NOT NULL DEFAULT 0, accepted_by BLOB, history "
    "BLOB," WATUKUY_EVENT_COLUMNS ", PRIMARY KEY(key_id, aside, sequence)) WITHOUT ROWID",

    "CREATE TABLE log(key_id INTEGER NOT NULL REFERENCES keys(id) ON DELETE CASCADE,"
    "position INTEGER NOT NULL, sequence INTEGER NOT NULL, time INTEGER NOT NULL," WATUKUY_EVENT_COLUMNS
    ", PRIMARY KEY(key_id, position)) WITHOUT ROWID",

    "CREATE TABLE parked(id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "key_id INTEGER NOT NULL REFERENCES keys(id) ON DELETE CASCADE, kind INTEGER NOT NULL,"
    "parked_at INTEGER NOT NULL, attempts INTEGER NOT NULL, seen INTEGER NOT NULL, hold_key INTEGER NOT NULL,"
    "held_ordering_key TEXT, accepted_by BLOB, history BLOB, error BLOB, issues BLOB,"
    "item_hash BLOB, item BLOB, sequence INTEGER, time INTEGER,"
    "event_id BLOB, type INTEGER, lane INTEGER, source TEXT, subject TEXT, ordering_key TEXT, cursor BLOB,"
    "data BLOB, previous BLOB)",
    "CREATE INDEX parked_key ON parked(key_id)",
    "CREATE INDEX parked_hold ON parked(key_id, held_ordering_key) WHERE held_ordering_key IS NOT NULL",
    "CREATE UNIQUE INDEX parked_item ON parked(key_id, item_hash) WHERE item_hash IS NOT NULL",

    "CREATE TABLE held(id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "key_id INTEGER NOT NULL REFERENCES keys(id) ON DELETE CASCADE, item_id INTEGER NOT NULL,"
    "identity TEXT NOT NULL, type INTEGER NOT NULL, reason TEXT NOT NULL, held_at INTEGER NOT NULL,"
    "discarded INTEGER NOT NULL DEFAULT 0, UNIQUE(key_id, item_id))",

    "CREATE TABLE validators(key_id INTEGER NOT NULL REFERENCES keys(id) ON DELETE CASCADE,"
    "request_hash BLOB NOT NULL, etag BLOB NOT NULL, last_modified BLOB NOT NULL, saved_at INTEGER NOT NULL,"
    "PRIMARY KEY(key_id, request_hash)) WITHOUT ROWID",

    "CREATE TABLE timeline(key_id INTEGER NOT NULL REFERENCES keys(id) ON DELETE CASCADE,"
    "number INTEGER NOT NULL, at INTEGER NOT NULL, from_state INTEGER NOT NULL, to_state INTEGER NOT NULL,"
    "cause TEXT NOT NULL, detail TEXT NOT NULL, took INTEGER NOT NULL, PRIMARY KEY(key_id, number)) WITHOUT "
    "ROWID",

    // Outlives the keys it speaks of.
    "CREATE TABLE audit(id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, who TEXT NOT NULL,"
    "operation TEXT NOT NULL, poller TEXT NOT NULL, partition TEXT NOT NULL, reason TEXT NOT NULL,"
    "before BLOB NOT NULL, after BLOB NOT NULL)",

    "CREATE TABLE budget_uses(id INTEGER PRIMARY KEY AUTOINCREMENT, budget TEXT NOT NULL, at INTEGER NOT "
    "NULL,"
    "cost INTEGER NOT NULL)",
    "CREATE INDEX budget_uses_window ON budget_uses(budget, at)",
};

#undef WATUKUY_EVENT_COLUMNS

// `partition_data` is NULL while the key's partition is not listed.
constexpr std::array partitionListings{
    "ALTER TABLE keys ADD COLUMN partition_data BLOB",
    "CREATE TABLE partition_listings(poller TEXT PRIMARY KEY, listed_at INTEGER, tried_at INTEGER,"
    "last_error BLOB, source BLOB NOT NULL DEFAULT x'') WITHOUT ROWID",
};

constexpr std::array confirmedScans{"ALTER TABLE lanes ADD COLUMN scan_confirms INTEGER"};

constexpr std::array progressMarks{"ALTER TABLE lanes ADD COLUMN scan_milestone BLOB",
                                   "ALTER TABLE lanes ADD COLUMN scan_last_content BLOB"};

constexpr std::array migrations{Migration{1, initial}, Migration{2, partitionListings},
                                Migration{3, confirmedScans}, Migration{4, progressMarks}};

/// Applies one step unless another process was faster.
Result<void> apply(SqlConnection &connection, const Migration &migration)
{
    return connection.transact(Durability::Full, [&] {
        if (connection.schemaNumber() >= migration.number)
            return;
        for (const char *statement : migration.statements)
            connection.execute(QString::fromLatin1(statement));
        connection.setSchemaNumber(migration.number);
    });
}

} // namespace

std::span<const Migration> sqliteMigrations()
{
    return migrations;
}

Error newerStore(const QString &storeName, int found, int known)
{
    return {
        .kind = ErrorKind::StoreNewer,
        .name = u"StoreNewerError"_s,
        .title = u"The store was written by a newer version of Watukuy"_s,
        .detail =
            u"%1 has schema %2, this program knows %3; nothing was changed"_s.arg(storeName).arg(found).arg(
                known),
        .nextStep = u"update Watukuy, or name another store in the workspace"_s,
        .retryable = false};
}

Result<void> migrate(SqlConnection &connection, std::span<const Migration> steps, const QString &storeName)
{
    const int known = steps.empty() ? 0 : steps.back().number;
    const int found = connection.schemaNumber();
    if (connection.failed())
        return fail(connection.takeFailure());
    if (found > known)
        return fail(newerStore(storeName, found, known));
    for (const Migration &step : steps) {
        if (step.number <= found)
            continue;
        if (auto applied = apply(connection, step); !applied)
            return applied;
    }
    return {};
}

} // namespace watukuy
