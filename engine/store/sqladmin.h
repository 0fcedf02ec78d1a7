// SPDX-License-Identifier: GPL-3.0-or-later
// Administrative writes, bulk work on parked and held rows, housekeeping and budgets in SQL.
#pragma once

#include "engine/store/sqlconnection.h"
#include "engine/store/statestore.h"

namespace watukuy::sql {

void writeAudit(SqlConnection &db, const AuditRow &audit);
void pauseKey(SqlConnection &db, const Key &key, Pause pause, const AuditRow &audit);
void resumeKey(SqlConnection &db, const Key &key, const ScheduleState &schedule, const AuditRow &audit);
void triggerKey(SqlConnection &db, const Key &key, const ScheduleState &schedule, const AuditRow &audit);
void resetCursor(SqlConnection &db, const Key &key, const LaneCursor &cursor, bool clearSnapshot,
                 const ScheduleState &schedule, const AuditRow &audit);
void startBackfill(SqlConnection &db, const Key &key, const BackfillState &backfill, const AuditRow &audit);
void cancelBackfill(SqlConnection &db, const Key &key, const AuditRow &audit);
void removeKey(SqlConnection &db, const Key &key, const AuditRow &audit);
[[nodiscard]] qint64 replay(SqlConnection &db, const Key &key, Instant from, Instant to,
                            const AuditRow &audit);

[[nodiscard]] BulkOutcome retryParked(SqlConnection &db, const ParkedFilter &filter, const AuditRow &audit);
[[nodiscard]] BulkOutcome discardParked(SqlConnection &db, const ParkedFilter &filter, const AuditRow &audit);
[[nodiscard]] BulkOutcome approveHeld(SqlConnection &db, const HeldFilter &filter,
                                      const MakeDeletion &makeDeletion, bool log, const AuditRow &audit);
[[nodiscard]] BulkOutcome discardHeld(SqlConnection &db, const HeldFilter &filter, const AuditRow &audit);

[[nodiscard]] qint64 pruneLog(SqlConnection &db, const QString &poller, Instant before, int limit);
[[nodiscard]] qint64 pruneTombstones(SqlConnection &db, const QString &poller, Instant before, int limit);
[[nodiscard]] BudgetAnswer takeBudget(SqlConnection &db, const BudgetRequest &request);
void moveBudgetUse(SqlConnection &db, const QString &budget, qint64 use, Duration later);
[[nodiscard]] std::vector<budget::Use> readBudget(SqlConnection &db, const QString &budget, Instant since);

} // namespace watukuy::sql
