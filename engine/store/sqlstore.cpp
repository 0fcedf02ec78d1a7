// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/store/sqlstore.h"

#include "engine/store/sqladmin.h"
#include "engine/store/sqldelivery.h"
#include "engine/store/sqlkeys.h"
#include "engine/store/sqlpartitions.h"
#include "engine/store/sqlpoll.h"
#include "engine/store/sqlreads.h"
#include "engine/store/storeerrors.h"

namespace watukuy {

using namespace Qt::StringLiterals;

template <typename Base>
SqlReading<Base>::SqlReading(std::unique_ptr<SqlConnection> connection, Opening opening)
    : m_connection(std::move(connection))
    , m_thread(std::make_unique<StoreThread>(u"watukuy-store"_s))
    , m_opening(opening)
{
}

template <typename Base>
SqlReading<Base>::~SqlReading()
{
    m_thread->post([db = m_connection.get()] { db->close(); });
    m_thread.reset();
}

template <typename Base>
StoreTask<std::vector<KeyState>> SqlReading<Base>::loadKeys()
{
    return inTransaction(Durability::Read,
                         [](SqlConnection &db) { return sql::loadKeyStates(db, std::nullopt); });
}

template <typename Base>
StoreTask<KeyState> SqlReading<Base>::loadKey(Key key)
{
    return inTransaction(Durability::Read, [key = std::move(key)](SqlConnection &db) {
        std::vector<KeyState> states = sql::loadKeyStates(db, key);
        if (!states.empty())
            return std::move(states.front());
        db.failWith(storeerrors::unknownKey(key));
        return KeyState{};
    });
}

template <typename Base>
StoreTask<qint64> SqlReading<Base>::changeStamp()
{
    return inTransaction(Durability::Read, [](SqlConnection &db) { return db.changeStamp(); });
}

template <typename Base>
StoreTask<std::vector<OutboxRow>> SqlReading<Base>::readOutbox(Key key, qint64 afterSequence, int limit)
{
    return inTransaction(Durability::Read, [key = std::move(key), afterSequence, limit](SqlConnection &db) {
        return sql::readOutbox(db, key, afterSequence, limit);
    });
}

template <typename Base>
StoreTask<std::vector<ParkedRow>> SqlReading<Base>::readParked(ParkedFilter filter)
{
    return inTransaction(Durability::Read, [filter = std::move(filter)](SqlConnection &db) {
        return sql::readParked(db, filter);
    });
}

template <typename Base>
StoreTask<std::vector<HeldRow>> SqlReading<Base>::readHeld(HeldFilter filter)
{
    return inTransaction(Durability::Read, [filter = std::move(filter)](SqlConnection &db) {
        return sql::readHeld(db, filter);
    });
}

template <typename Base>
StoreTask<std::vector<LoggedEvent>> SqlReading<Base>::readLog(LogQuery query)
{
    return inTransaction(Durability::Read,
                         [query = std::move(query)](SqlConnection &db) { return sql::readLog(db, query); });
}

template <typename Base>
StoreTask<std::vector<TimelineEntry>> SqlReading<Base>::readTimeline(Key key, int limit)
{
    return inTransaction(Durability::Read, [key = std::move(key), limit](SqlConnection &db) {
        return sql::readTimeline(db, key, limit);
    });
}

template <typename Base>
StoreTask<std::vector<AuditRow>> SqlReading<Base>::readAudit(std::optional<Instant> since, int limit)
{
    return inTransaction(Durability::Read,
                         [since, limit](SqlConnection &db) { return sql::readAudit(db, since, limit); });
}

template <typename Base>
StoreTask<std::vector<budget::Use>> SqlReading<Base>::readBudget(QString budget, Instant since)
{
    return inTransaction(Durability::Read, [budget = std::move(budget), since](SqlConnection &db) {
        return sql::readBudget(db, budget, since);
    });
}

template <typename Base>
StoreTask<PartitionListing> SqlReading<Base>::readPartitionListing(QString poller)
{
    return inTransaction(Durability::Read, [poller = std::move(poller)](SqlConnection &db) {
        return sql::readPartitionListing(db, poller);
    });
}

template <typename Base>
StoreTask<std::vector<ItemRow>> SqlReading<Base>::readItems(Key key, QString afterIdentity, int limit)
{
    return inTransaction(Durability::Read,
                         [key = std::move(key), afterIdentity = std::move(afterIdentity), limit](
                             SqlConnection &db) { return sql::readItems(db, key, afterIdentity, limit); });
}

template class SqlReading<StoreReader>;
template class SqlReading<StateStore>;

SqlReader::SqlReader(std::unique_ptr<SqlConnection> connection)
    : SqlReading(std::move(connection), Opening::OnDemand)
{
}

SqlStore::SqlStore(std::unique_ptr<SqlConnection> connection)
    : SqlReading(std::move(connection), Opening::Explicit)
{
}

StoreTask<void> SqlStore::open()
{
    return ask(*m_thread, m_home, [db = m_connection.get()] { return db->open(); });
}

StoreTask<void> SqlStore::close()
{
    return ask(*m_thread, m_home, [db = m_connection.get()]() -> Result<void> {
        db->close();
        return {};
    });
}

StoreTask<PartitionsOutcome> SqlStore::setPartitions(PartitionsPatch patch)
{
    return inTransaction(Durability::Full, [patch = std::move(patch)](SqlConnection &db) {
        return sql::setPartitions(db, patch);
    });
}

StoreTask<void> SqlStore::failPartitions(QString poller, Error error, Instant now)
{
    return inTransaction(Durability::Relaxed,
                         [poller = std::move(poller), error = std::move(error), now](SqlConnection &db) {
                             sql::failPartitions(db, poller, error, now);
                         });
}

StoreTask<std::optional<Lease>> SqlStore::acquireLease(Key key, QString instance, Duration ttl, Instant now)
{
    return inTransaction(Durability::Full,
                         [key = std::move(key), instance = std::move(instance), ttl, now](SqlConnection &db) {
                             return sql::acquireLease(db, key, instance, ttl, now);
                         });
}

StoreTask<Renewal> SqlStore::renewLease(Key key, Lease lease, Duration ttl, Instant now)
{
    return inTransaction(Durability::Relaxed,
                         [key = std::move(key), lease = std::move(lease), ttl, now](SqlConnection &db) {
                             return sql::renewLease(db, key, lease, ttl, now);
                         });
}

StoreTask<void> SqlStore::releaseLease(Key key, Lease lease)
{
    return inTransaction(Durability::Relaxed,
                         [key = std::move(key), lease = std::move(lease)](SqlConnection &db) {
                             return sql::releaseLease(db, key, lease);
                         });
}

StoreTask<std::vector<StoredItem>> SqlStore::loadVersions(Key key, std::vector<QString> identities,
                                                          std::optional<qint64> scanId)
{
    return inTransaction(Durability::Read,
                         [key = std::move(key), identities = std::move(identities), scanId](
                             SqlConnection &db) { return sql::loadVersions(db, key, identities, scanId); });
}

StoreTask<CommitReceipt> SqlStore::commitPoll(Key key, Lease lease, PollCommit commit)
{
    return inTransaction(Durability::Full,
                         [key = std::move(key), lease = std::move(lease), commit = std::move(commit)](
                             SqlConnection &db) { return sql::commitPoll(db, key, lease, commit); });
}

StoreTask<MissingCount> SqlStore::countMissing(Key key, qint64 scanId, std::optional<ListingBefore> before)
{
    return inTransaction(Durability::Read, [key = std::move(key), scanId, before](SqlConnection &db) {
        return sql::countMissing(db, key, scanId, before);
    });
}

StoreTask<ScanOutcome> SqlStore::completeScan(Key key, Lease lease, ScanCompletion completion)
{
    return inTransaction(Durability::Full,
                         [key = std::move(key), lease = std::move(lease), completion = std::move(completion)](
                             SqlConnection &db) { return sql::completeScan(db, key, lease, completion); });
}

StoreTask<std::optional<ValidatorRow>> SqlStore::loadValidator(Key key, QByteArray requestHash)
{
    return inTransaction(Durability::Read,
                         [key = std::move(key), requestHash = std::move(requestHash)](SqlConnection &db) {
                             return sql::loadValidator(db, key, requestHash);
                         });
}

StoreTask<void> SqlStore::saveState(Key key, Lease lease, SchedulePatch patch)
{
    return inTransaction(Durability::Relaxed,
                         [key = std::move(key), lease = std::move(lease), patch = std::move(patch)](
                             SqlConnection &db) { return sql::saveState(db, key, lease, patch); });
}

StoreTask<void> SqlStore::ackEvents(Key key, Lease lease, std::vector<qint64> sequences)
{
    return inTransaction(Durability::Relaxed,
                         [key = std::move(key), lease = std::move(lease), sequences = std::move(sequences)](
                             SqlConnection &db) { return sql::ackEvents(db, key, lease, sequences); });
}

StoreTask<void> SqlStore::retryEvents(Key key, Lease lease, std::vector<RetryPatch> patches)
{
    return inTransaction(Durability::Relaxed,
                         [key = std::move(key), lease = std::move(lease), patches = std::move(patches)](
                             SqlConnection &db) { return sql::retryEvents(db, key, lease, patches); });
}

StoreTask<void> SqlStore::parkEvent(Key key, Lease lease, qint64 sequence, ParkedRow parked)
{
    return inTransaction(Durability::Full, [key = std::move(key), lease = std::move(lease), sequence,
                                            parked = std::move(parked)](SqlConnection &db) {
        return sql::parkEvent(db, key, lease, sequence, parked);
    });
}

StoreTask<void> SqlStore::pauseKey(Key key, Pause pause, AuditRow audit)
{
    return inTransaction(Durability::Full,
                         [key = std::move(key), pause, audit = std::move(audit)](SqlConnection &db) {
                             return sql::pauseKey(db, key, pause, audit);
                         });
}

StoreTask<void> SqlStore::resumeKey(Key key, ScheduleState schedule, AuditRow audit)
{
    return inTransaction(Durability::Full,
                         [key = std::move(key), schedule = std::move(schedule), audit = std::move(audit)](
                             SqlConnection &db) { return sql::resumeKey(db, key, schedule, audit); });
}

StoreTask<void> SqlStore::triggerKey(Key key, ScheduleState schedule, AuditRow audit)
{
    return inTransaction(Durability::Full,
                         [key = std::move(key), schedule = std::move(schedule), audit = std::move(audit)](
                             SqlConnection &db) { return sql::triggerKey(db, key, schedule, audit); });
}

StoreTask<void> SqlStore::resetCursor(Key key, LaneCursor cursor, bool clearSnapshot, ScheduleState schedule,
                                      AuditRow audit)
{
    return inTransaction(Durability::Full,
                         [key = std::move(key), cursor = std::move(cursor), clearSnapshot,
                          schedule = std::move(schedule), audit = std::move(audit)](SqlConnection &db) {
                             return sql::resetCursor(db, key, cursor, clearSnapshot, schedule, audit);
                         });
}

StoreTask<void> SqlStore::startBackfill(Key key, BackfillState backfill, AuditRow audit)
{
    return inTransaction(Durability::Full,
                         [key = std::move(key), backfill = std::move(backfill), audit = std::move(audit)](
                             SqlConnection &db) { return sql::startBackfill(db, key, backfill, audit); });
}

StoreTask<void> SqlStore::cancelBackfill(Key key, AuditRow audit)
{
    return inTransaction(Durability::Full,
                         [key = std::move(key), audit = std::move(audit)](SqlConnection &db) {
                             return sql::cancelBackfill(db, key, audit);
                         });
}

StoreTask<void> SqlStore::removeKey(Key key, AuditRow audit)
{
    return inTransaction(Durability::Full, [key = std::move(key), audit = std::move(audit)](
                                               SqlConnection &db) { return sql::removeKey(db, key, audit); });
}

StoreTask<qint64> SqlStore::replay(Key key, Instant from, Instant to, AuditRow audit)
{
    return inTransaction(Durability::Full,
                         [key = std::move(key), from, to, audit = std::move(audit)](SqlConnection &db) {
                             return sql::replay(db, key, from, to, audit);
                         });
}

StoreTask<BulkOutcome> SqlStore::retryParked(ParkedFilter filter, AuditRow audit)
{
    return inTransaction(Durability::Full,
                         [filter = std::move(filter), audit = std::move(audit)](SqlConnection &db) {
                             return sql::retryParked(db, filter, audit);
                         });
}

StoreTask<BulkOutcome> SqlStore::discardParked(ParkedFilter filter, AuditRow audit)
{
    return inTransaction(Durability::Full,
                         [filter = std::move(filter), audit = std::move(audit)](SqlConnection &db) {
                             return sql::discardParked(db, filter, audit);
                         });
}

StoreTask<BulkOutcome> SqlStore::approveHeld(HeldFilter filter, MakeDeletion makeDeletion, bool log,
                                             AuditRow audit)
{
    return inTransaction(Durability::Full,
                         [filter = std::move(filter), makeDeletion = std::move(makeDeletion), log,
                          audit = std::move(audit)](SqlConnection &db) {
                             return sql::approveHeld(db, filter, makeDeletion, log, audit);
                         });
}

StoreTask<BulkOutcome> SqlStore::discardHeld(HeldFilter filter, AuditRow audit)
{
    return inTransaction(Durability::Full,
                         [filter = std::move(filter), audit = std::move(audit)](SqlConnection &db) {
                             return sql::discardHeld(db, filter, audit);
                         });
}

StoreTask<qint64> SqlStore::pruneLog(QString poller, Instant before, int limit)
{
    return inTransaction(Durability::Relaxed, [poller = std::move(poller), before, limit](SqlConnection &db) {
        return sql::pruneLog(db, poller, before, limit);
    });
}

StoreTask<qint64> SqlStore::pruneTombstones(QString poller, Instant before, int limit)
{
    return inTransaction(Durability::Relaxed, [poller = std::move(poller), before, limit](SqlConnection &db) {
        return sql::pruneTombstones(db, poller, before, limit);
    });
}

StoreTask<void> SqlStore::moveBudgetUse(QString budget, qint64 use, Duration later)
{
    return inTransaction(Durability::Relaxed, [budget = std::move(budget), use, later](SqlConnection &db) {
        sql::moveBudgetUse(db, budget, use, later);
    });
}

StoreTask<BudgetAnswer> SqlStore::takeBudget(BudgetRequest request)
{
    return inTransaction(Durability::Relaxed, [request = std::move(request)](SqlConnection &db) {
        return sql::takeBudget(db, request);
    });
}

StoreTask<std::vector<OutboxRow>> SqlStore::loadPending(Key key, PendingQuery query)
{
    return ask(*m_thread, m_home,
               [db = m_connection.get(), key = std::move(key),
                query = std::move(query)]() -> Result<std::vector<OutboxRow>> {
                   auto pending =
                       db->transact(Durability::Read, [&] { return sql::loadPending(*db, key, query); });
                   if (!pending)
                       return fail(std::move(pending.error()));
                   // Only tidying up: when it fails, say on a full disk, the rows are as good.
                   if (pending->shouldSetAside)
                       (void)db->transact(Durability::Relaxed, [&] { sql::setAside(*db, key); });
                   return std::move(pending->rows);
               });
}

} // namespace watukuy
