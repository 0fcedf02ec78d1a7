// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/store/sqldelivery.h"

#include <QCryptographicHash>
#include <QHash>
#include <QSet>

#include "engine/store/rowcodec.h"
#include "engine/store/sqlevents.h"
#include "engine/store/sqlkeys.h"

namespace watukuy::sql {

namespace {

constexpr int worthSettingAside = 64; // rows met behind parked ones in one query
constexpr qint64 closeTogether = 4;   // sequences
constexpr int maxSetAside = 5'000;    // moved in one transaction

#define WATUKUY_PENDING_ROW                                                                                  \
    "SELECT not_before, attempts, accepted_by, history, " WATUKUY_SQL_EVENT " FROM outbox "

OutboxRow readPending(const Statement &row, const Key &key)
{
    OutboxRow pending;
    pending.notBefore = row.maybeInstant(0);
    pending.attempts = row.number(1);
    pending.acceptedBy = rowcodec::decodeNames(row.bytes(2));
    pending.history = rowcodec::decodeHistory(row.bytes(3));
    pending.event = readEvent(row, 4, key);
    return pending;
}

/// NULL rather than an empty text, which saves a byte in every row.
std::optional<QByteArray> unlessEmpty(const QByteArray &text)
{
    return text.isEmpty() ? std::nullopt : std::optional(text);
}

/// Which ordering keys of a key are held by a parked event. Asks only when there are any.
class Holds {
public:
    Holds(SqlConnection &db, qint64 keyId)
        : m_db(db)
        , m_keyId(keyId)
    {
        Statement any =
            db.use("SELECT 1 FROM parked WHERE key_id = ? AND held_ordering_key IS NOT NULL LIMIT 1");
        any.run(keyId);
        m_any = any.next();
    }
    [[nodiscard]] bool any() const { return m_any; }
    [[nodiscard]] bool contains(const QString &orderingKey)
    {
        if (!m_any)
            return false;
        if (const auto known = m_known.constFind(orderingKey); known != m_known.cend())
            return *known;
        Statement select =
            m_db.use("SELECT 1 FROM parked WHERE key_id = ? AND held_ordering_key = ? LIMIT 1");
        select.run(m_keyId, orderingKey);
        const bool held = select.next();
        m_known.insert(orderingKey, held);
        return held;
    }

private:
    SqlConnection &m_db;
    qint64 m_keyId;
    bool m_any = false;
    QHash<QString, bool> m_known;
};

struct LineEntry {
    qint64 sequence;
    QString orderingKey;
    std::optional<Instant> notBefore;
};

/// The rows in line, light, in order of sequence, until `visit` says false.
template <typename Visit>
void walkLine(SqlConnection &db, qint64 keyId, Visit visit)
{
    Statement line = db.use("SELECT sequence, not_before, coalesce(ordering_key, subject) FROM outbox"
                            " WHERE key_id = ? AND aside = 0 ORDER BY sequence");
    line.run(keyId);
    while (line.next()) {
        if (!visit(LineEntry{line.integer(0), line.text(2), line.maybeInstant(1)}))
            return;
    }
}

/// The chosen rows, in order. Rows that lie close together are read in one go: starting a query
/// costs Qt more than stepping over a row.
std::vector<OutboxRow> readRows(SqlConnection &db, qint64 keyId, const Key &key,
                                const std::vector<qint64> &chosen)
{
    std::vector<OutboxRow> rows;
    rows.reserve(chosen.size());
    Statement select =
        db.use(WATUKUY_PENDING_ROW "WHERE key_id = ? AND aside = 0 AND sequence >= ? AND sequence <= ?"
                                   " ORDER BY sequence");
    for (auto first = chosen.begin(); first != chosen.end();) {
        auto last = first;
        while (std::next(last) != chosen.end() && *std::next(last) - *last <= closeTogether)
            ++last;
        select.run(keyId, *first, *last);
        for (auto wanted = first; wanted <= last && select.next();) {
            if (select.integer(4) != *wanted)
                continue;
            rows.push_back(readPending(select, key));
            ++wanted;
        }
        first = std::next(last);
    }
    return rows;
}

void updateInBothLines(Statement &change, qint64 keyId, qint64 sequence)
{
    // A row is nearly always in line; behind a parked one it is found second.
    change.run(keyId, 0, sequence);
    if (change.changedRows() == 0)
        change.run(keyId, 1, sequence);
}

} // namespace

PendingRows loadPending(SqlConnection &db, const Key &key, const PendingQuery &query)
{
    PendingRows answer;
    const KeyRow row = requireKey(db, key);
    if (row.counts.outboxPending == 0)
        return answer;
    Holds holds(db, row.id);
    QSet<QString> passedOver;
    std::vector<qint64> chosen;
    int behindParked = 0;
    walkLine(db, row.id, [&](const LineEntry &entry) {
        if (static_cast<int>(chosen.size()) >= query.limit)
            return false;
        if (holds.contains(entry.orderingKey))
            ++behindParked;
        else if (entry.notBefore && *entry.notBefore > query.now)
            passedOver.insert(entry.orderingKey);
        else if (!passedOver.contains(entry.orderingKey) &&
                 !query.busyOrderingKeys.contains(entry.orderingKey))
            chosen.push_back(entry.sequence);
        return true;
    });
    answer.rows = readRows(db, row.id, key, chosen);
    answer.shouldSetAside = behindParked >= worthSettingAside;
    return answer;
}

void setAside(SqlConnection &db, const Key &key)
{
    const KeyRow row = requireKey(db, key);
    Holds holds(db, row.id);
    std::vector<qint64> behind;
    int walked = 0;
    walkLine(db, row.id, [&](const LineEntry &entry) {
        if (holds.contains(entry.orderingKey))
            behind.push_back(entry.sequence);
        return ++walked < maxSetAside;
    });
    Statement move = db.use("UPDATE outbox SET aside = 1 WHERE key_id = ? AND aside = 0 AND sequence = ?");
    for (const qint64 sequence : behind)
        move.run(row.id, sequence);
}

void bringBack(SqlConnection &db, qint64 keyId)
{
    Holds holds(db, keyId);
    std::vector<qint64> freed;
    {
        Statement waiting = db.use("SELECT sequence, coalesce(ordering_key, subject) FROM outbox"
                                   " WHERE key_id = ? AND aside = 1 ORDER BY sequence");
        waiting.run(keyId);
        while (waiting.next()) {
            if (!holds.contains(waiting.text(1)))
                freed.push_back(waiting.integer(0));
        }
    }
    Statement move = db.use("UPDATE outbox SET aside = 0 WHERE key_id = ? AND aside = 1 AND sequence = ?");
    for (const qint64 sequence : freed)
        move.run(keyId, sequence);
}

void ackEvents(SqlConnection &db, const Key &key, const Lease &lease, const std::vector<qint64> &sequences)
{
    KeyRow row = fencedKey(db, key, lease);
    std::vector<qint64> sorted = sequences;
    std::sort(sorted.begin(), sorted.end());
    // Acknowledgements mostly come in runs, and a run is one statement.
    Statement remove =
        db.use("DELETE FROM outbox WHERE key_id = ? AND aside = ? AND sequence >= ? AND sequence <= ?");
    for (auto first = sorted.begin(); first != sorted.end();) {
        auto last = first;
        while (std::next(last) != sorted.end() && *std::next(last) - *last <= 1)
            ++last;
        const qint64 length = *last - *first + 1;
        remove.run(row.id, 0, *first, *last);
        const qint64 inLine = remove.changedRows();
        row.counts.outboxPending -= inLine;
        if (inLine < length) {
            remove.run(row.id, 1, *first, *last);
            row.counts.outboxPending -= remove.changedRows();
        }
        first = std::next(last);
    }
    db.use("UPDATE keys SET outbox_pending = ? WHERE id = ?").run(row.counts.outboxPending, row.id);
}

void retryEvents(SqlConnection &db, const Key &key, const Lease &lease,
                 const std::vector<RetryPatch> &patches)
{
    const KeyRow row = fencedKey(db, key, lease);
    Statement select =
        db.use("SELECT history, aside FROM outbox WHERE key_id = ? AND aside IN (0, 1) AND sequence = ?");
    Statement update = db.use("UPDATE outbox SET attempts = ?, not_before = ?, accepted_by = ?, history = ?"
                              " WHERE key_id = ? AND aside = ? AND sequence = ?");
    for (const RetryPatch &patch : patches) {
        select.run(row.id, patch.sequence);
        if (!select.next())
            continue;
        QByteArray history = select.bytes(0);
        const qint64 aside = select.integer(1);
        if (patch.record) {
            QList<AttemptRecord> records = rowcodec::decodeHistory(history);
            rowcodec::addToHistory(records, *patch.record);
            history = rowcodec::encode(records);
        }
        update.run(patch.attempts, patch.notBefore, unlessEmpty(rowcodec::encode(patch.acceptedBy)),
                   unlessEmpty(history), row.id, aside, patch.sequence);
    }
}

void parkEvent(SqlConnection &db, const Key &key, const Lease &lease, qint64 sequence,
               const ParkedRow &parked)
{
    KeyRow row = fencedKey(db, key, lease);
    std::optional<OutboxRow> pending;
    {
        Statement select =
            db.use(WATUKUY_PENDING_ROW "WHERE key_id = ? AND aside IN (0, 1) AND sequence = ?");
        select.run(row.id, sequence);
        if (select.next())
            pending = readPending(select, key);
    }
    if (!pending)
        return; // acknowledged already: there is nothing left to park
    Statement remove = db.use("DELETE FROM outbox WHERE key_id = ? AND aside = ? AND sequence = ?");
    updateInBothLines(remove, row.id, sequence);
    --row.counts.outboxPending;
    ParkedRow poison = parked;
    poison.kind = ParkedKind::Poison;
    poison.event = pending->event;
    if (poison.history.isEmpty())
        poison.history = pending->history;
    insertParked(db, row, poison);
    storeCounters(db, row, parked.parkedAt);
}

void insertParked(SqlConnection &db, KeyRow &key, const ParkedRow &parked)
{
    std::optional<QByteArray> itemHash;
    if (parked.kind == ParkedKind::Invalid) {
        itemHash = QCryptographicHash::hash(parked.item, QCryptographicHash::Sha256);
        Statement again = db.use("UPDATE parked SET parked_at = ?, seen = seen + 1, error = ?, issues = ?"
                                 " WHERE key_id = ? AND item_hash = ?");
        again.run(parked.parkedAt, rowcodec::encode(parked.error),
                  unlessEmpty(rowcodec::encode(parked.issues)), key.id, itemHash);
        if (again.changedRows() > 0)
            return;
    }
    ++key.counts.parked;
    const bool holds = parked.event && parked.holdKey;
    Statement insert =
        db.use("INSERT INTO parked(key_id, kind, parked_at, attempts, seen, hold_key, held_ordering_key, "
               "accepted_by,"
               " history, error, issues, item_hash, item, " WATUKUY_SQL_EVENT
               ") VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, " WATUKUY_SQL_EVENT_VALUES ")");
    insert.bind(key.id, parked.kind, parked.parkedAt, parked.attempts, parked.seen, parked.holdKey,
                holds ? std::optional(orderedBy(*parked.event)) : std::nullopt,
                unlessEmpty(rowcodec::encode(parked.acceptedBy)),
                unlessEmpty(rowcodec::encode(parked.history)), rowcodec::encode(parked.error),
                unlessEmpty(rowcodec::encode(parked.issues)), itemHash, parked.item);
    if (parked.event)
        bindEvent(insert, *parked.event);
    else
        for (int column = 0; column < eventColumns; ++column)
            insert.bind(std::nullopt);
    insert.run();
}

void insertPending(SqlConnection &db, KeyRow &key, const OutboxRow &row)
{
    ++key.counts.outboxPending;
    Statement insert =
        db.use("INSERT INTO outbox(key_id, not_before, attempts, accepted_by, history, " WATUKUY_SQL_EVENT
               ") VALUES(?, ?, ?, ?, ?, " WATUKUY_SQL_EVENT_VALUES ")");
    insert.bind(key.id, row.notBefore, row.attempts, unlessEmpty(rowcodec::encode(row.acceptedBy)),
                unlessEmpty(rowcodec::encode(row.history)));
    bindEvent(insert, row.event);
    insert.run();
}

std::vector<OutboxRow> readOutbox(SqlConnection &db, const Key &key, qint64 afterSequence, int limit)
{
    const KeyRow row = requireKey(db, key);
    Statement select = db.use(WATUKUY_PENDING_ROW
                              "WHERE key_id = ? AND aside = 0 AND sequence > ? UNION ALL " WATUKUY_PENDING_ROW
                              "WHERE key_id = ? AND aside = 1 AND sequence > ? ORDER BY sequence LIMIT ?");
    select.run(row.id, afterSequence, row.id, afterSequence, limit);
    std::vector<OutboxRow> rows;
    while (select.next())
        rows.push_back(readPending(select, key));
    return rows;
}

void describeOutbox(SqlConnection &db, qint64 keyId, KeyState &state)
{
    Statement oldest =
        db.use("SELECT sequence, time FROM (SELECT sequence, time FROM outbox WHERE key_id = ? AND"
               " aside = 0 ORDER BY sequence LIMIT 1) UNION ALL SELECT sequence, time FROM (SELECT"
               " sequence, time FROM outbox WHERE key_id = ? AND aside = 1 ORDER BY sequence LIMIT 1)"
               " ORDER BY sequence LIMIT 1");
    oldest.run(keyId, keyId);
    if (oldest.next())
        state.oldestPendingAt = oldest.instant(1);
    Holds holds(db, keyId);
    QSet<QString> waiting;
    std::optional<Instant> earliest;
    bool ready = false;
    walkLine(db, keyId, [&](const LineEntry &entry) {
        if (holds.contains(entry.orderingKey) || waiting.contains(entry.orderingKey))
            return true;
        if (!entry.notBefore) {
            ready = true;
            return false;
        }
        waiting.insert(entry.orderingKey);
        earliest = std::min(earliest.value_or(*entry.notBefore), *entry.notBefore);
        return true;
    });
    state.deliveryHeld = !ready && !earliest;
    if (!ready)
        state.nextDeliveryAt = earliest;
}

} // namespace watukuy::sql
