// SPDX-License-Identifier: GPL-3.0-or-later
// Lists for people in SQL: parked and held rows, the log, timelines, the audit log.
#pragma once

#include "engine/store/sqlconnection.h"
#include "engine/store/storereader.h"

namespace watukuy::sql {

[[nodiscard]] std::vector<ParkedRow> readParked(SqlConnection &db, const ParkedFilter &filter);
[[nodiscard]] std::vector<HeldRow> readHeld(SqlConnection &db, const HeldFilter &filter);
[[nodiscard]] std::vector<LoggedEvent> readLog(SqlConnection &db, const LogQuery &query);
[[nodiscard]] std::vector<TimelineEntry> readTimeline(SqlConnection &db, const Key &key, int limit);
[[nodiscard]] std::vector<AuditRow> readAudit(SqlConnection &db, std::optional<Instant> since, int limit);

} // namespace watukuy::sql
