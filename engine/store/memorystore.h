// SPDX-License-Identifier: GPL-3.0-or-later
// The store contract in plain containers: for tests, trials and demos. Nothing survives the object.
#pragma once

#include <deque>
#include <map>
#include <set>

#include "engine/store/statestore.h"
#include "engine/store/storethread.h"

namespace watukuy {

/// Does its work in the call and answers from the event loop, in order, like every store. closing
/// and opening it again keeps what it holds.
class MemoryStore final : public StateStore {
public:
    MemoryStore();
    ~MemoryStore() override;

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

private:
    struct KeyData {
        KeyState state;
        std::map<QString, qint64> idOf;
        std::map<qint64, ItemRow> items;
        std::map<qint64, OutboxRow> outbox;
        std::map<qint64, std::set<qint64>> marks; ///< listed items by scan
        std::map<QByteArray, ValidatorRow> validators;
        std::deque<TimelineEntry> timeline;
        std::map<qint64, qint64> held; ///< item -> held row
        qint64 lastItem = 0;
        qint64 lastScan = 0;
    };
    struct Held {
        HeldRow row;
        qint64 itemId = 0;
        bool discarded = false;
    };

    template <typename T>
    StoreTask<T> answer(Result<T> result)
    {
        return answerLater(m_home, std::move(result));
    }
    /// An answer after a change.
    template <typename T>
    StoreTask<T> changed(Result<T> result)
    {
        ++m_changes;
        return answerLater(m_home, std::move(result));
    }

    KeyData &make(const Key &key, Duration firstInterval, Instant now);
    [[nodiscard]] KeyData *find(const Key &key);
    /// Null when `lease` does not hold the key.
    [[nodiscard]] KeyData *fenced(const Key &key, const Lease &lease);
    static void fence(KeyData &data);
    [[nodiscard]] static std::optional<ScanState> &scanOf(KeyData &data, Lane lane);
    static void moveLane(KeyData &data, Lane lane, const LaneCursor &cursor,
                         const std::optional<ScanState> &scan);
    [[nodiscard]] static bool isOpenScan(const KeyData &data, qint64 scanId);
    [[nodiscard]] KeyState describe(const KeyData &data) const;

    qint64 upsert(KeyData &data, const ItemRow &row);
    void releaseHold(KeyData &data, qint64 itemId);
    void append(KeyData &data, Event event, bool log);
    void park(KeyData &data, ParkedRow parked);
    [[nodiscard]] bool isHeldBack(const Key &key, const QString &orderingKey) const;
    [[nodiscard]] std::vector<qint64> missingItems(const KeyData &data, qint64 scanId,
                                                   const std::optional<ListingBefore> &before) const;
    [[nodiscard]] std::vector<ParkedRow> selectParked(const ParkedFilter &filter) const;
    [[nodiscard]] std::vector<HeldRow> selectHeld(const HeldFilter &filter) const;
    [[nodiscard]] std::vector<LoggedEvent> selectLog(const LogQuery &query) const;
    void forgetParked(qint64 id);
    void forgetHeld(qint64 id);

    AnswerHome m_home;
    std::map<Key, KeyData> m_keys;
    std::map<qint64, ParkedRow> m_parked;
    std::map<std::pair<Key, QByteArray>, qint64> m_parkedItems; ///< by the raw item
    std::map<Key, std::multiset<QString>> m_holds;              ///< ordering keys of parked events
    std::map<qint64, Held> m_held;
    std::map<qint64, Event> m_log;
    std::vector<AuditRow> m_audit;
    std::map<QString, std::map<qint64, budget::Use>> m_budgets; ///< uses by their number
    std::map<QString, PartitionListing> m_listings;             ///< by poller
    qint64 m_lastUse = 0;
    qint64 m_lastParked = 0;
    qint64 m_lastHeld = 0;
    qint64 m_lastPosition = 0;
    qint64 m_epochFloor = 0;
    qint64 m_changes = 0;
};

} // namespace watukuy
