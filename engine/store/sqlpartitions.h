// SPDX-License-Identifier: GPL-3.0-or-later
// The partitions of pollers in SQL: a key each, and when they were listed.
#pragma once

#include "engine/store/sqlconnection.h"
#include "engine/store/statestore.h"

namespace watukuy::sql {

[[nodiscard]] PartitionsOutcome setPartitions(SqlConnection &db, const PartitionsPatch &patch);
void failPartitions(SqlConnection &db, const QString &poller, const Error &error, Instant now);
[[nodiscard]] PartitionListing readPartitionListing(SqlConnection &db, const QString &poller);

} // namespace watukuy::sql
