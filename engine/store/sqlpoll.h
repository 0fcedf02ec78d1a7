// SPDX-License-Identifier: GPL-3.0-or-later
// The poll cycle in SQL: stored rows, the commit of a page, and full scans at flat memory.
#pragma once

#include "engine/store/sqlconnection.h"
#include "engine/store/statestore.h"

namespace watukuy::sql {

struct KeyRow;

[[nodiscard]] std::vector<StoredItem> loadVersions(SqlConnection &db, const Key &key,
                                                   const std::vector<QString> &identities,
                                                   const std::optional<qint64> &scanId);
[[nodiscard]] CommitReceipt commitPoll(SqlConnection &db, const Key &key, const Lease &lease,
                                       const PollCommit &commit);
[[nodiscard]] MissingCount countMissing(SqlConnection &db, const Key &key, qint64 scanId,
                                        const std::optional<ListingBefore> &before);
[[nodiscard]] ScanOutcome completeScan(SqlConnection &db, const Key &key, const Lease &lease,
                                       const ScanCompletion &completion);
[[nodiscard]] std::optional<ValidatorRow> loadValidator(SqlConnection &db, const Key &key,
                                                        const QByteArray &requestHash);

/// The id of the lane's open scan.
[[nodiscard]] std::optional<qint64> openScan(SqlConnection &db, qint64 keyId, Lane lane);
/// Of the lane's open scan and of the one that it confirms, but for those that `next` needs.
void dropScanMarks(SqlConnection &db, qint64 keyId, Lane lane, const std::optional<ScanState> &next);
[[nodiscard]] std::optional<ItemRow> readItem(SqlConnection &db, qint64 itemId);
/// Live rows by identity.
[[nodiscard]] std::vector<ItemRow> readItems(SqlConnection &db, const Key &key, const QString &afterIdentity,
                                             int limit);
void updateItem(SqlConnection &db, qint64 itemId, const ItemRow &row);

} // namespace watukuy::sql
