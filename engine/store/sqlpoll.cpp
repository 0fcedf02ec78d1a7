// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/store/sqlpoll.h"

#include "engine/store/scanmarks.h"
#include "engine/store/sqldelivery.h"
#include "engine/store/sqlevents.h"
#include "engine/store/sqlkeys.h"
#include "engine/store/storeerrors.h"

namespace watukuy::sql {

namespace {

constexpr int rowsAtOnce = 1'000;
constexpr size_t identitiesAtOnce = 100;

#define WATUKUY_10_VALUES "?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
#define WATUKUY_50_VALUES                                                                                    \
    WATUKUY_10_VALUES ", " WATUKUY_10_VALUES ", " WATUKUY_10_VALUES ", " WATUKUY_10_VALUES                   \
                      ", " WATUKUY_10_VALUES

#define WATUKUY_ITEM_COLUMNS                                                                                 \
    "id, identity, version, hash, schema_version, revision, tombstone, seen_at, payload"

ItemRow itemIn(const Statement &row)
{
    ItemRow item;
    item.identity = row.text(1);
    item.version = row.maybeText(2);
    item.hash = row.bytes(3);
    item.schemaVersion = row.number(4);
    item.revision = row.integer(5);
    item.tombstone = row.integer(6) != 0;
    item.seenAt = row.instant(7);
    item.payload = row.maybeBytes(8);
    return item;
}

bool hasHeldRows(SqlConnection &db, qint64 keyId)
{
    Statement any = db.use("SELECT 1 FROM held WHERE key_id = ? LIMIT 1");
    any.run(keyId);
    return any.next();
}

/// Takes items out of the hold, the discarded marker included. Does nothing for keys without any.
class HoldRelease {
public:
    HoldRelease(SqlConnection &db, KeyRow &key)
        : m_db(db)
        , m_key(key)
        , m_any(hasHeldRows(db, key.id))
    {
    }
    void release(qint64 itemId)
    {
        if (!m_any)
            return;
        Statement held = m_db.use("DELETE FROM held WHERE key_id = ? AND item_id = ? AND discarded = 0");
        held.run(m_key.id, itemId);
        m_key.counts.held -= held.changedRows();
        m_db.use("DELETE FROM held WHERE key_id = ? AND item_id = ?").run(m_key.id, itemId);
    }

private:
    SqlConnection &m_db;
    KeyRow &m_key;
    bool m_any;
};

/// Inserts the row unless its identity is known; then the answer is nothing.
std::optional<qint64> insertItem(SqlConnection &db, KeyRow &key, const ItemRow &row)
{
    const qint64 id = firstItemId(key.id) | (key.lastItem + 1);
    Statement insert =
        db.use("INSERT INTO items(id, key_id, identity, version, hash, schema_version, revision,"
               " tombstone, seen_at, payload) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
               " ON CONFLICT(key_id, identity) DO NOTHING");
    insert.run(id, key.id, row.identity, row.version, row.hash, row.schemaVersion, row.revision,
               row.tombstone, row.seenAt, row.payload);
    if (insert.changedRows() == 0)
        return std::nullopt;
    ++key.lastItem;
    key.counts.items += row.tombstone ? 0 : 1;
    return id;
}

/// Inserts or updates the row; the answer is its id.
qint64 upsert(SqlConnection &db, KeyRow &key, const ItemRow &row)
{
    // A first revision is nearly always new, a later one never is: one statement less for each.
    if (row.revision <= 1) {
        if (const auto fresh = insertItem(db, key, row))
            return *fresh;
    }
    std::optional<qint64> id;
    bool wasLive = false;
    {
        Statement select = db.use("SELECT id, tombstone FROM items WHERE key_id = ? AND identity = ?");
        select.run(key.id, row.identity);
        if (select.next()) {
            id = select.integer(0);
            wasLive = select.integer(1) == 0;
        }
    }
    if (!id)
        return insertItem(db, key, row).value_or(0);
    key.counts.items += (row.tombstone ? 0 : 1) - (wasLive ? 1 : 0);
    updateItem(db, *id, row);
    return *id;
}

/// The rows that are not missing in a scan.
class ListedRows {
public:
    ListedRows(SqlConnection &db, qint64 keyId, qint64 scanId, const std::optional<ListingBefore> &before)
        : m_db(db)
        , m_marks(db, keyId, scanId)
    {
        if (before) {
            m_marksBefore.emplace(db, keyId, before->scanId);
            m_since = before->since;
        }
    }
    [[nodiscard]] bool contains(qint64 itemId)
    {
        return m_marks.contains(itemId) ||
               (m_marksBefore && (m_marksBefore->contains(itemId) || hasChangedSince(itemId)));
    }

private:
    [[nodiscard]] bool hasChangedSince(qint64 itemId)
    {
        Statement select = m_db.use("SELECT 1 FROM items WHERE id = ? AND seen_at >= ?");
        select.run(itemId, m_since);
        return select.next();
    }

    SqlConnection &m_db;
    ScanMarks m_marks;
    std::optional<ScanMarks> m_marksBefore;
    Instant m_since;
};

/// Gives a new scan its id and drops the marks of the one it replaces.
std::optional<ScanState> continueScan(SqlConnection &db, KeyRow &key, Lane lane,
                                      std::optional<ScanState> scan)
{
    if (scan && scan->id == 0)
        scan->id = ++key.lastScan;
    const std::optional<qint64> before = openScan(db, key.id, lane);
    if (before && (!scan || scan->id != *before))
        dropScanMarks(db, key.id, lane, scan);
    return scan;
}

void storeValidator(SqlConnection &db, qint64 keyId, const ValidatorRow &validator)
{
    db.use("INSERT INTO validators(key_id, request_hash, etag, last_modified, saved_at) VALUES(?, ?, ?, ?, ?)"
           " ON CONFLICT(key_id, request_hash) DO UPDATE SET etag = excluded.etag,"
           " last_modified = excluded.last_modified, saved_at = excluded.saved_at")
        .run(keyId, validator.requestHash, validator.etag, validator.lastModified, validator.savedAt);
}

void commitItems(SqlConnection &db, KeyRow &key, const PollCommit &commit,
                 const std::optional<ScanState> &scan)
{
    HoldRelease hold(db, key);
    std::optional<ScanMarks> marks;
    if (scan)
        marks.emplace(db, key.id, scan->id);
    for (const ItemRow &row : commit.upserts) {
        const qint64 id = upsert(db, key, row);
        hold.release(id);
        if (marks && commit.markSeen)
            marks->insert(id);
    }
    for (const qint64 id : commit.seen) {
        if (id < firstItemId(key.id) || id > lastItemId(key.id))
            continue;
        hold.release(id);
        if (marks)
            marks->insert(id);
    }
    if (marks)
        marks->flush();
}

/// Whether a row that an operator decided to keep counts as missing: it does not, until it is listed again.
bool isKept(SqlConnection &db, qint64 keyId, qint64 itemId)
{
    Statement select = db.use("SELECT 1 FROM held WHERE key_id = ? AND item_id = ? AND discarded = 1");
    select.run(keyId, itemId);
    return select.next();
}

bool isHeld(SqlConnection &db, qint64 keyId, qint64 itemId)
{
    Statement select = db.use("SELECT 1 FROM held WHERE key_id = ? AND item_id = ?");
    select.run(keyId, itemId);
    return select.next();
}

struct LiveItem {
    qint64 id;
    ItemRow row;
};

/// The next live rows behind `afterId` that the scan did not list. Moves `afterId`; empty = the end.
/// Reading and writing take turns, so that nothing is changed under an open cursor.
std::vector<LiveItem> nextMissing(SqlConnection &db, ListedRows &listed, qint64 keyId, bool anyHeld,
                                  qint64 &afterId)
{
    std::vector<LiveItem> missing;
    {
        Statement ids = db.use("SELECT id FROM items WHERE id > ? AND id <= ? AND tombstone = 0 ORDER BY id");
        ids.run(afterId, lastItemId(keyId));
        while (static_cast<int>(missing.size()) < rowsAtOnce && ids.next()) {
            afterId = ids.integer(0);
            if (!listed.contains(afterId) && !(anyHeld && isKept(db, keyId, afterId)))
                missing.push_back({afterId, {}});
        }
    }
    for (LiveItem &item : missing)
        item.row = readItem(db, item.id).value_or(ItemRow{});
    return missing;
}

void holdItem(SqlConnection &db, KeyRow &key, const LiveItem &item, const ScanCompletion &completion,
              ScanOutcome &outcome)
{
    Statement insert = db.use("INSERT INTO held(key_id, item_id, identity, type, reason, held_at)"
                              " VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING");
    insert.run(key.id, item.id, item.row.identity, EventType::Deleted, completion.holdReason, completion.now);
    outcome.held += insert.changedRows();
    key.counts.held += insert.changedRows();
}

} // namespace

std::optional<ItemRow> readItem(SqlConnection &db, qint64 itemId)
{
    Statement select = db.use("SELECT " WATUKUY_ITEM_COLUMNS " FROM items WHERE id = ?");
    select.run(itemId);
    return select.next() ? std::optional(itemIn(select)) : std::nullopt;
}

void updateItem(SqlConnection &db, qint64 itemId, const ItemRow &row)
{
    db.use("UPDATE items SET version = ?, hash = ?, schema_version = ?, revision = ?, tombstone = ?, seen_at "
           "= ?,"
           " payload = ? WHERE id = ?")
        .run(row.version, row.hash, row.schemaVersion, row.revision, row.tombstone, row.seenAt, row.payload,
             itemId);
}

std::optional<qint64> openScan(SqlConnection &db, qint64 keyId, Lane lane)
{
    Statement select = db.use("SELECT scan_id FROM lanes WHERE key_id = ? AND lane = ?");
    select.run(keyId, lane);
    return select.next() ? select.maybeInteger(0) : std::nullopt;
}

void dropScanMarks(SqlConnection &db, qint64 keyId, Lane lane, const std::optional<ScanState> &next)
{
    db.use("DELETE FROM scan_seen WHERE key_id = ? AND scan_id IN"
           " (SELECT scan_id FROM lanes WHERE key_id = ? AND lane = ?"
           " UNION ALL SELECT scan_confirms FROM lanes WHERE key_id = ? AND lane = ?) AND scan_id NOT IN (?, "
           "?)")
        .run(keyId, keyId, lane, keyId, lane, next ? next->id : 0, next ? next->confirms : 0);
}

std::vector<ItemRow> readItems(SqlConnection &db, const Key &key, const QString &afterIdentity, int limit)
{
    const KeyRow row = requireKey(db, key);
    std::vector<ItemRow> items;
    Statement select = db.use("SELECT " WATUKUY_ITEM_COLUMNS " FROM items WHERE key_id = ? AND identity > ?"
                              " AND tombstone = 0 ORDER BY identity LIMIT ?");
    select.run(row.id, afterIdentity, limit);
    while (select.next())
        items.push_back(itemIn(select));
    return items;
}

std::vector<StoredItem> loadVersions(SqlConnection &db, const Key &key,
                                     const std::vector<QString> &identities,
                                     const std::optional<qint64> &scanId)
{
    const KeyRow row = requireKey(db, key);
    std::optional<ScanMarks> marks;
    if (scanId)
        marks.emplace(db, row.id, *scanId);
    std::vector<StoredItem> found;
    found.reserve(identities.size());
    // Many at once: starting a query costs Qt more than finding a row.
    Statement select = db.use("SELECT " WATUKUY_ITEM_COLUMNS " FROM items WHERE key_id = ? AND identity IN"
                              " (" WATUKUY_50_VALUES ", " WATUKUY_50_VALUES ")");
    for (size_t first = 0; first < identities.size(); first += identitiesAtOnce) {
        select.bind(row.id);
        for (size_t index = first; index < first + identitiesAtOnce; ++index)
            select.bind(identities.at(std::min(index, identities.size() - 1)));
        select.run();
        while (select.next()) {
            StoredItem item{itemIn(select), select.integer(0), false};
            item.seenInScan = marks && marks->contains(item.handle);
            found.push_back(std::move(item));
        }
    }
    return found;
}

CommitReceipt commitPoll(SqlConnection &db, const Key &key, const Lease &lease, const PollCommit &commit)
{
    KeyRow row = fencedKey(db, key, lease);
    const std::optional<ScanState> scan = continueScan(db, row, commit.lane, commit.scan);
    writeLane(db, row.id, commit.lane, commit.cursor, scan);
    commitItems(db, row, commit, scan);
    EventWriter events(db, row, commit.log && !commit.events.empty());
    for (const Event &event : commit.events)
        events.append(event);
    events.finish();
    for (const ParkedRow &parked : commit.parked)
        insertParked(db, row, parked);
    if (commit.validator)
        storeValidator(db, row.id, *commit.validator);
    if (commit.backfillDone)
        db.use("UPDATE keys SET backfill_from = NULL, backfill_to = NULL, backfill_force = NULL,"
               " backfill_started_at = NULL WHERE id = ?")
            .run(row.id);
    row.schemaVersion = commit.schemaVersion;
    storeCounters(db, row, commit.now);
    return {scan ? std::optional(scan->id) : std::nullopt, row.lastSequence};
}

MissingCount countMissing(SqlConnection &db, const Key &key, qint64 scanId,
                          const std::optional<ListingBefore> &before)
{
    const KeyRow row = requireKey(db, key);
    Statement open = db.use("SELECT 1 FROM lanes WHERE key_id = ? AND scan_id = ?");
    open.run(row.id, scanId);
    if (!open.next())
        db.failWith(storeerrors::unknownScan(key, scanId));
    MissingCount count{row.counts.items, 0};
    const bool anyHeld = hasHeldRows(db, row.id);
    ListedRows listed(db, row.id, scanId, before);
    Statement select = db.use("SELECT id FROM items WHERE id > ? AND id <= ? AND tombstone = 0 ORDER BY id");
    select.run(firstItemId(row.id), lastItemId(row.id));
    while (select.next()) {
        const qint64 id = select.integer(0);
        if (!listed.contains(id) && !(anyHeld && isKept(db, row.id, id)))
            ++count.missing;
    }
    return count;
}

ScanOutcome completeScan(SqlConnection &db, const Key &key, const Lease &lease,
                         const ScanCompletion &completion)
{
    ScanOutcome outcome;
    KeyRow row = fencedKey(db, key, lease);
    // Without its marks a scan would delete everything: a scan that is not the open one is refused.
    if (!db.failed() && openScan(db, row.id, completion.lane) != completion.scanId)
        db.failWith(storeerrors::unknownScan(key, completion.scanId));
    if (completion.deletes != ScanCompletion::Deletes::None) {
        const bool anyHeld = hasHeldRows(db, row.id);
        ListedRows listed(db, row.id, completion.scanId, completion.before);
        EventWriter events(db, row, completion.log);
        qint64 afterId = firstItemId(row.id);
        for (auto some = nextMissing(db, listed, row.id, anyHeld, afterId); !some.empty();
             some = nextMissing(db, listed, row.id, anyHeld, afterId)) {
            for (const LiveItem &item : some) {
                if (completion.deletes == ScanCompletion::Deletes::Hold) {
                    holdItem(db, row, item, completion, outcome);
                    continue;
                }
                if (anyHeld && isHeld(db, row.id, item.id))
                    continue; // an operator decides
                auto [tombstone, event] = completion.makeDeletion(item.row);
                updateItem(db, item.id, tombstone);
                events.append(std::move(event));
                --row.counts.items;
                ++outcome.deleted;
            }
        }
        events.finish();
    }
    const std::optional<ScanState> next = continueScan(db, row, completion.lane, completion.next);
    writeLane(db, row.id, completion.lane, completion.cursor, next);
    outcome.nextScanId = next ? next->id : 0;
    storeCounters(db, row, completion.now);
    return outcome;
}

std::optional<ValidatorRow> loadValidator(SqlConnection &db, const Key &key, const QByteArray &requestHash)
{
    const KeyRow row = requireKey(db, key);
    Statement select = db.use("SELECT request_hash, etag, last_modified, saved_at FROM validators"
                              " WHERE key_id = ? AND request_hash = ?");
    select.run(row.id, requestHash);
    if (!select.next())
        return std::nullopt;
    return ValidatorRow{select.bytes(0), select.bytes(1), select.bytes(2), select.instant(3)};
}

} // namespace watukuy::sql
