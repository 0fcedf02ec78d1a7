// SPDX-License-Identifier: GPL-3.0-or-later
// The store contract: everything that must survive, behind one asynchronous interface (spec-engine 9).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <QByteArray>
#include <QList>
#include <QSet>
#include <QString>

#include "engine/budget/window.h"
#include "engine/store/storereader.h"

namespace watukuy {

/// A stored row as loadVersions() finds it.
struct StoredItem {
    ItemRow row;
    qint64 handle = 0;       ///< names the row in PollCommit::seen
    bool seenInScan = false; ///< already listed in the scan that was asked about
};

/// Validators of one request (RFC 9110 8.8), kept byte for byte.
struct ValidatorRow {
    QByteArray requestHash; ///< `http::requestHash`, without secrets
    QByteArray etag;
    QByteArray lastModified;
    Instant savedAt;

    bool operator==(const ValidatorRow &) const = default;
};

/// Everything one page changes. One transaction (seed, "The commit protocol"; promise G4).
struct PollCommit {
    Lane lane = Lane::Live;
    LaneCursor cursor;             ///< the lane's durable cursor after this page
    std::optional<ScanState> scan; ///< the scan goes on from here; nothing = no scan is open.
                                   ///< `scan->id` 0 = the store gives a new id.
    int schemaVersion = 1;
    std::vector<ItemRow> upserts;
    std::vector<Event> events;     ///< in order; the store gives the sequences
    bool log = false;              ///< also append the events to the replay log
    std::vector<ParkedRow> parked; ///< quarantined items
    std::vector<qint64> seen;      ///< full scans: handles of the listed rows that are not in `upserts`
    bool markSeen = false;         ///< full scans: upserted rows are marked as listed, too
    std::optional<ValidatorRow> validator; ///< never saved without its page
    bool backfillDone = false;             ///< backfill lane: with this page the backfill has reached its end
    Instant now;
};

/// A renewed lease, and what an operator has decided meanwhile: a paused key ends its run at the next
/// page boundary (spec-engine 2).
struct Renewal {
    Lease lease;
    Pause pause = Pause::None;
};

struct CommitReceipt {
    std::optional<qint64> scanId;
    qint64 lastSequence = 0;
};

/// What a finished listing left out. Rows whose hold an operator discarded are not missing until they
/// have been listed once more.
struct MissingCount {
    qint64 stored = 0;  ///< live rows of the key
    qint64 missing = 0; ///< live rows that this scan did not list
};

/// How deleted rows become events; called on the store's thread, so it must be pure.
using MakeDeletion = std::function<std::pair<ItemRow, Event>(const ItemRow &row)>;

/// The listing in pieces that another one confirms. What it has listed is not missing, nor is what
/// changed since it began: another lane has found that meanwhile.
struct ListingBefore {
    qint64 scanId = 0;
    Instant since;
};

/// The last commit of a full scan. One transaction, whatever the number of deletes.
struct ScanCompletion {
    enum class Deletes {
        None, ///< the verdict allows none
        Emit,
        Hold ///< the delete guard tripped: store them as held
    };
    Lane lane = Lane::Live;
    qint64 scanId = 0;
    std::optional<ListingBefore> before;
    Deletes deletes = Deletes::None;
    QString holdReason;
    MakeDeletion makeDeletion;
    LaneCursor cursor;
    std::optional<ScanState> next; ///< begins at once; the marks of the one that it confirms are kept
    bool log = false;
    Instant now;
};

struct ScanOutcome {
    qint64 nextScanId = 0;
    qint64 deleted = 0;
    qint64 held = 0; ///< newly held
};

/// Which events may be delivered now.
struct PendingQuery {
    Instant now;
    int limit = 100;
    QSet<QString> busyOrderingKeys; ///< passed over: a delivery of theirs is under way
};

/// A failed try that will be repeated.
struct RetryPatch {
    qint64 sequence = 0;
    int attempts = 0;
    std::optional<Instant> notBefore;
    QStringList acceptedBy;
    std::optional<AttemptRecord> record; ///< added to the history
};

/// What a run changed in the schedule; written at its end (seed, step 7).
struct SchedulePatch {
    ScheduleState schedule;
    LaneSchedule reconcileSchedule;
    LaneSchedule backfillSchedule;
    std::optional<Instant> answeredTrigger; ///< a trigger up to then is done; a later one stays
    std::vector<TimelineEntry> timeline;
    Instant now;
};

/// One request for a share of a budget, answered over all processes of the store.
struct BudgetRequest {
    QString budget;
    std::vector<budget::Window> windows; ///< all of them must have room
    qint64 cost = 1;
    qint64 replaces = 0; ///< a use that was granted and is taken back first; 0 = none
    Instant now;
};
struct BudgetAnswer {
    bool granted = false;
    qint64 use = 0;     ///< names what was granted
    Instant tryAgainAt; ///< when not granted; what was to be replaced is taken back all the same
};

/// How the schedule of a paused key goes on; called on the store's thread, so it must be pure.
using ResumeSchedule = std::function<ScheduleState(const ScheduleState &)>;

/// What the partitions of a poller are now (spec-engine 7). The new ones get a key that is due at `now`;
/// keys whose partition is not listed are paused unless an operator has paused them, and go on when it
/// is listed again.
struct PartitionsPatch {
    QString poller;
    std::vector<PartitionDefinition> listed; ///< no key twice
    std::optional<Instant> listedAt;         ///< remembered; nothing = the workspace itself lists them
    QByteArray source;                       ///< remembered with it: where they were listed
    Duration firstInterval{0};
    ResumeSchedule resume;
    std::optional<AuditRow> audit; ///< when an operator asked for it
    Instant now;
};

/// Partitions by key, in order.
struct PartitionsOutcome {
    QStringList added;
    QStringList removed;
    QStringList returned;

    [[nodiscard]] bool isEmpty() const { return added.isEmpty() && removed.isEmpty() && returned.isEmpty(); }
};

struct BulkOutcome {
    qint64 done = 0;
    qint64 skipped = 0;
};

/// The store contract. Every mutating call of a run carries its Lease and fails with
/// ErrorKind::LeaseLost (`LeaseLostError`) when the key has a newer epoch; then nothing was
/// written. ErrorKind::StoreFull means nothing was written and the call may be repeated later.
/// Implementations: memory, sqlite. Calls come from one thread; answers arrive there, in order.
class StateStore : public StoreReader {
public:
    /// Opens, migrates and checks the store. StoreNewer and StoreDamaged leave the file untouched.
    virtual StoreTask<void> open() = 0;
    /// Waits for what was asked before, then closes.
    virtual StoreTask<void> close() = 0;

    /// Makes the keys of a poller what its partitions are now, and notes when they were listed.
    virtual StoreTask<PartitionsOutcome> setPartitions(PartitionsPatch patch) = 0;
    /// A listing failed: the partitions stay, and why is remembered.
    virtual StoreTask<void> failPartitions(QString poller, Error error, Instant now) = 0;

    // Leases (promise G5). Acquiring takes the next epoch; nothing = another instance holds it.
    virtual StoreTask<std::optional<Lease>> acquireLease(Key key, QString instance, Duration ttl,
                                                         Instant now) = 0;
    virtual StoreTask<Renewal> renewLease(Key key, Lease lease, Duration ttl, Instant now) = 0;
    virtual StoreTask<void> releaseLease(Key key, Lease lease) = 0;

    // The poll cycle.
    /// Rows of `identities` that exist, tombstones included, in any order; `scanId` asks for seenInScan.
    virtual StoreTask<std::vector<StoredItem>> loadVersions(Key key, std::vector<QString> identities,
                                                            std::optional<qint64> scanId) = 0;
    virtual StoreTask<CommitReceipt> commitPoll(Key key, Lease lease, PollCommit commit) = 0;
    /// Of the open scan of that id.
    virtual StoreTask<MissingCount> countMissing(Key key, qint64 scanId,
                                                 std::optional<ListingBefore> before) = 0;
    virtual StoreTask<ScanOutcome> completeScan(Key key, Lease lease, ScanCompletion completion) = 0;
    virtual StoreTask<std::optional<ValidatorRow>> loadValidator(Key key, QByteArray requestHash) = 0;
    virtual StoreTask<void> saveState(Key key, Lease lease, SchedulePatch patch) = 0;

    // Delivery.
    /// Eligible rows in order of sequence: an ordering key with an earlier event that waits for a
    /// retry, or with a parked event that holds it, is passed over.
    virtual StoreTask<std::vector<OutboxRow>> loadPending(Key key, PendingQuery query) = 0;
    virtual StoreTask<void> ackEvents(Key key, Lease lease, std::vector<qint64> sequences) = 0;
    virtual StoreTask<void> retryEvents(Key key, Lease lease, std::vector<RetryPatch> patches) = 0;
    /// Moves the event from the outbox to the parked rows.
    virtual StoreTask<void> parkEvent(Key key, Lease lease, qint64 sequence, ParkedRow parked) = 0;

    // Administrative writes: no lease, each with its audit row in the same transaction. Those marked
    // (fences) take the next epoch, so that a running cycle can no longer commit.
    virtual StoreTask<void> pauseKey(Key key, Pause pause, AuditRow audit) = 0;
    virtual StoreTask<void> resumeKey(Key key, ScheduleState schedule, AuditRow audit) = 0;
    virtual StoreTask<void> triggerKey(Key key, ScheduleState schedule, AuditRow audit) = 0;
    virtual StoreTask<void> resetCursor(Key key, LaneCursor cursor, bool clearSnapshot,
                                        ScheduleState schedule,
                                        AuditRow audit) = 0;                                    // fences
    virtual StoreTask<void> startBackfill(Key key, BackfillState backfill, AuditRow audit) = 0; // fences
    virtual StoreTask<void> cancelBackfill(Key key, AuditRow audit) = 0;                        // fences
    virtual StoreTask<void> removeKey(Key key, AuditRow audit) = 0;                             // fences
    /// Copies logged events into the outbox: original ids, fresh sequences, lane `replay`.
    virtual StoreTask<qint64> replay(Key key, Instant from, Instant to, AuditRow audit) = 0;
    /// Poison events go back to the outbox under their old sequence, due at once.
    virtual StoreTask<BulkOutcome> retryParked(ParkedFilter filter, AuditRow audit) = 0;
    virtual StoreTask<BulkOutcome> discardParked(ParkedFilter filter, AuditRow audit) = 0;
    virtual StoreTask<BulkOutcome> approveHeld(HeldFilter filter, MakeDeletion makeDeletion, bool log,
                                               AuditRow audit) = 0;
    virtual StoreTask<BulkOutcome> discardHeld(HeldFilter filter, AuditRow audit) = 0;

    // Housekeeping: bounded pieces, so that no call locks for long. The answer is the number removed.
    virtual StoreTask<qint64> pruneLog(QString poller, Instant before, int limit) = 0;
    virtual StoreTask<qint64> pruneTombstones(QString poller, Instant before, int limit) = 0;

    /// Sliding-window budget over all processes of this store.
    virtual StoreTask<BudgetAnswer> takeBudget(BudgetRequest request) = 0;
    /// What was granted counts from that much later on. Nothing happens to a use that is gone.
    virtual StoreTask<void> moveBudgetUse(QString budget, qint64 use, Duration later) = 0;
};

/// Read: nothing is created, migrated or changed; every write fails.
enum class StoreAccess { Write, Read };

/// Makes the store a workspace names. ErrorKind::Workspace for a kind that this build lacks.
[[nodiscard]] Result<std::unique_ptr<StateStore>> makeStore(const StoreDefinition &definition,
                                                            StoreAccess access = StoreAccess::Write);

/// A second, read-only connection on a thread of its own, for user interfaces; nothing for stores
/// that live in this process only.
[[nodiscard]] Result<std::unique_ptr<StoreReader>> makeStoreReader(const StoreDefinition &definition);

} // namespace watukuy
