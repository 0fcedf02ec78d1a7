// SPDX-License-Identifier: GPL-3.0-or-later
// What can be read from a store without touching it: user interfaces, exports and the engine share it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QCoroTask>
#include <QList>
#include <QString>
#include <QStringList>

#include "engine/budget/window.h"
#include "engine/definition/definition.h"
#include "engine/model/event.h"
#include "engine/model/item.h"
#include "engine/model/state.h"

namespace watukuy {

template <typename T>
using StoreTask = QCoro::Task<Result<T>>;

/// An administrative write, as the audit log keeps it (spec-engine 10).
struct AuditRow {
    Instant at;
    QString who;
    QString operation; ///< the command's word: `pause`, `reset-cursor`, ...
    Key key;
    QString reason;
    QByteArray before; ///< JSON text, may be empty
    QByteArray after;

    bool operator==(const AuditRow &) const = default;
};

/// Which parked rows are meant. Empty members do not restrict.
struct ParkedFilter {
    QString poller;
    std::optional<QString> partition;
    std::optional<ParkedKind> kind;
    QList<qint64> ids;
    qint64 afterId = 0;
    int limit = 1000;
};

/// Which held rows are meant.
struct HeldFilter {
    QString poller;
    std::optional<QString> partition;
    QList<qint64> ids;
    qint64 afterId = 0;
    int limit = 1000;
};

/// Which logged events are meant: a slice of the log in the order it was written, which within a key
/// is the order of sequence, to be read on with `after` = the position of the last one.
struct LogQuery {
    QString poller;
    std::optional<QString> partition;
    std::optional<Instant> from; ///< inclusive, by event time
    std::optional<Instant> to;   ///< exclusive
    qint64 after = 0;            ///< position of the last row already read
    int limit = 1000;
};

struct LoggedEvent {
    qint64 position = 0; ///< grows with every logged event of the store
    Event event;
};

/// When a poller's partitions were listed, and why they were not.
struct PartitionListing {
    std::optional<Instant> listedAt;
    std::optional<Instant> triedAt;
    std::optional<Error> lastError; ///< of the last try; nothing when it succeeded
    QByteArray source;              ///< where they were listed, as the caller names it

    bool operator==(const PartitionListing &) const = default;
};

/// Reading methods. Each is asynchronous: the SQL runs on a thread of the store, the answer
/// arrives in the calling thread. Lists come in bounded pages. Errors: ErrorKind::Store,
/// StoreDamaged, StoreNewer.
class StoreReader {
public:
    StoreReader() = default;
    virtual ~StoreReader() = default;
    Q_DISABLE_COPY_MOVE(StoreReader)

    /// Every key with its state, lease and counts.
    virtual StoreTask<std::vector<KeyState>> loadKeys() = 0;
    /// One key; an error with name `UnknownKey` when it was never created.
    virtual StoreTask<KeyState> loadKey(Key key) = 0;
    /// A number that changes whenever another connection or process has changed the store.
    virtual StoreTask<qint64> changeStamp() = 0;

    /// Undelivered events in order of sequence, for looking at (not for delivering).
    virtual StoreTask<std::vector<OutboxRow>> readOutbox(Key key, qint64 afterSequence, int limit) = 0;
    virtual StoreTask<std::vector<ParkedRow>> readParked(ParkedFilter filter) = 0;
    virtual StoreTask<std::vector<HeldRow>> readHeld(HeldFilter filter) = 0;
    virtual StoreTask<std::vector<LoggedEvent>> readLog(LogQuery query) = 0;
    /// Newest first.
    virtual StoreTask<std::vector<TimelineEntry>> readTimeline(Key key, int limit) = 0;
    virtual StoreTask<std::vector<AuditRow>> readAudit(std::optional<Instant> since, int limit) = 0;
    /// What was let go by `budget` after `since`, oldest first. Times count from 1970.
    virtual StoreTask<std::vector<budget::Use>> readBudget(QString budget, Instant since) = 0;
    virtual StoreTask<PartitionListing> readPartitionListing(QString poller) = 0;
    /// Live snapshot rows by identity, for partitions taken from another poller's snapshot.
    virtual StoreTask<std::vector<ItemRow>> readItems(Key key, QString afterIdentity, int limit) = 0;
};

} // namespace watukuy
