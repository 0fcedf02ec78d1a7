// SPDX-License-Identifier: GPL-3.0-or-later
// What operators do, once: command line and user interface call the same functions (spec-engine 10).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <QByteArray>
#include <QCoroTask>
#include <QList>
#include <QString>

#include "engine/api/request.h"
#include "engine/api/snapshot.h"
#include "engine/definition/definition.h"
#include "engine/model/clock.h"
#include "engine/store/statestore.h"

namespace watukuy {

/// Which keys are meant: a poller and, unless all of its partitions are, one partition.
struct KeyScope {
    QString poller; ///< "" = all
    std::optional<QString> partition;
    bool alsoGone = false; ///< the poller may be one that the workspace names no more
};

/// A poller of which no partition is known yet.
struct UnlistedView {
    QString poller;
    PartitionListing listing;
};

/// The partitions of a poller as the store has them.
struct PartitionsView {
    struct Row {
        KeySnapshot snapshot;
        bool isListed = false;
        QByteArray data; ///< JSON object, may be empty
    };
    std::vector<Row> rows;
    PartitionListing listing;
};

/// How far a budget is used up.
struct BudgetView {
    BudgetDefinition definition;
    qint64 used = 0;      ///< in the last `per`
    qint64 available = 0; ///< that may go at once
    Instant nextFree;     ///< when one more request may go; now, when one may
    QStringList pollers;
};

/// How `export` writes events.
enum class ExportFormat { JsonLines, Csv, CloudEvents };

/// ErrorKind::Refused in a read-only workspace.
[[nodiscard]] Result<void> mayWrite(const WorkspaceDefinition &workspace, const QString &operation);

/// ErrorKind::Usage, with the nearest known name, for a partition that is not among `known`.
[[nodiscard]] Result<void> knowsPartition(const Key &key, const QStringList &known);

/// An audit row of now.
[[nodiscard]] AuditRow auditRow(const QString &operation, const Key &key, const Request &request, Instant now,
                                const KeyState *before = nullptr);

/// The operations on an open store. They need no running engine: an engine that runs on the same
/// store sees them at its next page boundary. Every mutating one is refused with
/// ErrorKind::Refused in a read-only workspace and writes an audit row. Unknown pollers are
/// ErrorKind::Usage and name the nearest known one. One thread, that of the store's caller.
class Operations {
public:
    Operations(const WorkspaceDefinition &workspace, StateStore &store, const Clock &clock);

    /// ErrorKind::Usage, with the nearest known name, for a poller the workspace does not have.
    [[nodiscard]] Result<void> knowsPoller(const QString &poller) const;
    /// ErrorKind::Refused in a read-only workspace.
    [[nodiscard]] Result<void> mayWrite(const QString &operation) const;

    QCoro::Task<Result<std::vector<KeySnapshot>>> inspect(KeyScope scope);
    QCoro::Task<Result<ActionResult>> trigger(KeyScope scope, Request request);
    QCoro::Task<Result<ActionResult>> pause(KeyScope scope, Request request);
    QCoro::Task<Result<ActionResult>> resume(KeyScope scope, Request request);
    QCoro::Task<Result<std::vector<ParkedRow>>> parked(ParkedFilter filter);
    QCoro::Task<Result<ActionResult>> retryParked(ParkedFilter filter, Request request);
    QCoro::Task<Result<ActionResult>> discardParked(ParkedFilter filter, Request request);
    /// Sets the live cursor; `cursor` is the API's own text, or `null` for the beginning. A running cycle
    /// is fenced off. Clearing the snapshot makes every item new.
    QCoro::Task<Result<ActionResult>> resetCursor(KeyScope scope, QString cursor, Snapshot snapshot,
                                                  Request request);
    /// Lists again from an older cursor up to `to` (nothing = where the live lane stands now).
    QCoro::Task<Result<ActionResult>> startBackfill(KeyScope scope, BackfillWish wish, Request request);
    /// What was committed stays.
    QCoro::Task<Result<ActionResult>> cancelBackfill(KeyScope scope, Request request);
    /// Puts logged events of [from, to) into the outbox again, under their own ids. `done` counts events.
    QCoro::Task<Result<ActionResult>> replay(KeyScope scope, Instant from, std::optional<Instant> to,
                                             Request request);

    /// The partitions of a poller, those that are no longer listed among them.
    QCoro::Task<Result<PartitionsView>> partitions(QString poller);
    /// The enabled pollers that have no key because their partitions were not listed yet; one, or all with
    /// "".
    QCoro::Task<Result<std::vector<UnlistedView>>> unlisted(QString poller);
    /// Forgets a partition and everything the store keeps of it. ErrorKind::Refused while it is listed.
    QCoro::Task<Result<ActionResult>> removePartition(Key key, Request request);

    /// How far each budget of the workspace is used up now.
    QCoro::Task<Result<std::vector<BudgetView>>> budgets();

    QCoro::Task<Result<std::vector<HeldRow>>> held(HeldFilter filter);
    /// Held deletes become events.
    QCoro::Task<Result<ActionResult>> approveHeld(HeldFilter filter, Request request);
    /// The items stay until they have been listed once more.
    QCoro::Task<Result<ActionResult>> discardHeld(HeldFilter filter, Request request);
    /// Newest first.
    QCoro::Task<Result<std::vector<AuditRow>>> audit(std::optional<Instant> since);

    /// Streams logged events into `write`, a line or row at a time; the answer is the number of events.
    QCoro::Task<Result<qint64>> exportEvents(LogQuery query, ExportFormat format,
                                             std::function<Result<void>(const QByteArray &)> write);

private:
    /// One change of one key: which keys it passes over, and how it is made.
    struct KeyChange {
        std::function<QString(const KeyState &)> skipReason;
        std::function<StoreTask<void>(KeyState, AuditRow)> apply;
        std::function<QString(const KeyState &)> detail;
    };
    struct ParkedChange {
        std::function<StoreTask<BulkOutcome>(ParkedFilter, AuditRow)> apply;
        bool poisonOnly = false;
        QString skipReason;
    };
    QCoro::Task<Result<std::vector<KeyState>>> keysIn(KeyScope scope);
    QCoro::Task<Result<ActionResult>> forEachKey(KeyScope scope, Request request, QString operation,
                                                 KeyChange change);
    [[nodiscard]] static Error noLog(const QString &poller);
    [[nodiscard]] Result<const PollerDefinition *> pollerOf(const KeyScope &scope) const;
    QCoro::Task<Result<ActionResult>> previewHeld(HeldFilter filter, QString operation);
    QCoro::Task<Result<qint64>> countLogged(LogQuery query);
    QCoro::Task<Result<ActionResult>> bulkParked(ParkedFilter filter, Request request, QString operation,
                                                 ParkedChange change);

    const WorkspaceDefinition &m_workspace;
    StateStore &m_store;
    const Clock &m_clock;
};

/// The value of a key as user interfaces show it.
[[nodiscard]] KeySnapshot snapshotOf(const KeyState &state, const PollerDefinition *poller, bool running,
                                     const QString &instance, Instant now);

/// What is shown at the keys of a poller whose partitions could not be listed.
[[nodiscard]] Warning listingWarning(const Error &error);

/// One object of `inspect --json` (spec-engine 10), with exact digits; times in epoch ms.
[[nodiscard]] QByteArray inspectJson(const KeySnapshot &snapshot);

/// One object of `partitions ls --json`.
[[nodiscard]] QByteArray partitionJson(const PartitionsView::Row &row, const PartitionListing &listing);
/// One object of `budgets --json`.
[[nodiscard]] QByteArray budgetJson(const BudgetView &budget);
/// One object of `parked ls --json` (spec-workspace).
[[nodiscard]] QByteArray parkedJson(const ParkedRow &row);
/// One object of `held ls --json`.
[[nodiscard]] QByteArray heldJson(const HeldRow &row);
/// One object of `audit --json`.
[[nodiscard]] QByteArray auditJson(const AuditRow &row);

} // namespace watukuy
