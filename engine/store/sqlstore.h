// SPDX-License-Identifier: GPL-3.0-or-later
// Stores and readers on a SQL database: each has a connection on a thread of its own.
#pragma once

#include <memory>

#include "engine/store/sqlconnection.h"
#include "engine/store/statestore.h"
#include "engine/store/storethread.h"

namespace watukuy {

/// The reading half. `Base` is StoreReader or StateStore. Everything runs on the store's thread.
template <typename Base>
class SqlReading : public Base {
public:
    StoreTask<std::vector<KeyState>> loadKeys() override;
    StoreTask<KeyState> loadKey(Key key) override;
    StoreTask<qint64> changeStamp() override;
    StoreTask<std::vector<OutboxRow>> readOutbox(Key key, qint64 afterSequence, int limit) override;
    StoreTask<std::vector<ParkedRow>> readParked(ParkedFilter filter) override;
    StoreTask<std::vector<HeldRow>> readHeld(HeldFilter filter) override;
    StoreTask<std::vector<LoggedEvent>> readLog(LogQuery query) override;
    StoreTask<std::vector<TimelineEntry>> readTimeline(Key key, int limit) override;
    StoreTask<std::vector<AuditRow>> readAudit(std::optional<Instant> since, int limit) override;
    StoreTask<std::vector<budget::Use>> readBudget(QString budget, Instant since) override;
    StoreTask<PartitionListing> readPartitionListing(QString poller) override;
    StoreTask<std::vector<ItemRow>> readItems(Key key, QString afterIdentity, int limit) override;

protected:
    /// Whether a call opens a connection that is not open.
    enum class Opening { Explicit, OnDemand };

    SqlReading(std::unique_ptr<SqlConnection> connection, Opening opening);
    ~SqlReading() override;

    /// Runs `work(db)` in a transaction on the thread.
    template <typename Work>
    auto inTransaction(Durability durability, Work work)
    {
        return ask(*m_thread, m_home,
                   [db = m_connection.get(), durability, work = std::move(work),
                    opening = m_opening]() mutable -> Result<std::invoke_result_t<Work &, SqlConnection &>> {
                       if (opening == Opening::OnDemand && !db->isOpen()) {
                           if (const Result<void> opened = db->open(); !opened)
                               return fail(opened.error());
                       }
                       return db->transact(durability, [&] { return work(*db); });
                   });
    }

    AnswerHome m_home;
    std::unique_ptr<SqlConnection> m_connection; ///< used on m_thread only
    std::unique_ptr<StoreThread> m_thread;       ///< ends before the connection and the home do

private:
    Opening m_opening;
};

/// A read-only connection. Opens itself with the first call, and tries again with the next while
/// there is no store yet.
class SqlReader final : public SqlReading<StoreReader> {
public:
    explicit SqlReader(std::unique_ptr<SqlConnection> connection);
};

/// The store contract on a SQL database.
class SqlStore final : public SqlReading<StateStore> {
public:
    explicit SqlStore(std::unique_ptr<SqlConnection> connection);

    StoreTask<void> open() override;
    StoreTask<void> close() override;
    StoreTask<PartitionsOutcome> setPartitions(PartitionsPatch patch) override;
    StoreTask<void> failPartitions(QString poller, Error error, Instant now) override;

    StoreTask<std::optional<Lease>> acquireLease(Key key, QString instance, Duration ttl,
                                                 Instant now) override;
    StoreTask<Renewal> renewLease(Key key, Lease lease, Duration ttl, Instant now) override;
    StoreTask<void> releaseLease(Key key, Lease lease) override;

    StoreTask<std::vector<StoredItem>> loadVersions(Key key, std::vector<QString> identities,
                                                    std::optional<qint64> scanId) override;
    StoreTask<CommitReceipt> commitPoll(Key key, Lease lease, PollCommit commit) override;
    StoreTask<MissingCount> countMissing(Key key, qint64 scanId,
                                         std::optional<ListingBefore> before) override;
    StoreTask<ScanOutcome> completeScan(Key key, Lease lease, ScanCompletion completion) override;
    StoreTask<std::optional<ValidatorRow>> loadValidator(Key key, QByteArray requestHash) override;
    StoreTask<void> saveState(Key key, Lease lease, SchedulePatch patch) override;

    StoreTask<std::vector<OutboxRow>> loadPending(Key key, PendingQuery query) override;
    StoreTask<void> ackEvents(Key key, Lease lease, std::vector<qint64> sequences) override;
    StoreTask<void> retryEvents(Key key, Lease lease, std::vector<RetryPatch> patches) override;
    StoreTask<void> parkEvent(Key key, Lease lease, qint64 sequence, ParkedRow parked) override;

    StoreTask<void> pauseKey(Key key, Pause pause, AuditRow audit) override;
    StoreTask<void> resumeKey(Key key, ScheduleState schedule, AuditRow audit) override;
    StoreTask<void> triggerKey(Key key, ScheduleState schedule, AuditRow audit) override;
    StoreTask<void> resetCursor(Key key, LaneCursor cursor, bool clearSnapshot, ScheduleState schedule,
                                AuditRow audit) override;
    StoreTask<void> startBackfill(Key key, BackfillState backfill, AuditRow audit) override;
    StoreTask<void> cancelBackfill(Key key, AuditRow audit) override;
    StoreTask<void> removeKey(Key key, AuditRow audit) override;
    StoreTask<qint64> replay(Key key, Instant from, Instant to, AuditRow audit) override;
    StoreTask<BulkOutcome> retryParked(ParkedFilter filter, AuditRow audit) override;
    StoreTask<BulkOutcome> discardParked(ParkedFilter filter, AuditRow audit) override;
    StoreTask<BulkOutcome> approveHeld(HeldFilter filter, MakeDeletion makeDeletion, bool log,
                                       AuditRow audit) override;
    StoreTask<BulkOutcome> discardHeld(HeldFilter filter, AuditRow audit) override;

    StoreTask<qint64> pruneLog(QString poller, Instant before, int limit) override;
    StoreTask<qint64> pruneTombstones(QString poller, Instant before, int limit) override;
    StoreTask<BudgetAnswer> takeBudget(BudgetRequest request) override;
    StoreTask<void> moveBudgetUse(QString budget, qint64 use, Duration later) override;
};

} // namespace watukuy
