// SPDX-License-Identifier: GPL-3.0-or-later
// The outbox in SQL: what may be delivered, acknowledgements, retries, parking, and the way back.
#pragma once

#include "engine/store/sqlconnection.h"
#include "engine/store/statestore.h"

namespace watukuy::sql {

struct KeyRow;

/// The rows to deliver now, and whether so many rows behind parked ones were met that setAside()
/// should put them out of the way.
struct PendingRows {
    std::vector<OutboxRow> rows;
    bool shouldSetAside = false;
};
[[nodiscard]] PendingRows loadPending(SqlConnection &db, const Key &key, const PendingQuery &query);
/// Moves rows that wait behind a parked event out of the line, a bounded number at a time, so that
/// they are not met again with every query.
void setAside(SqlConnection &db, const Key &key);
/// Moves the rows back whose ordering key is held no longer.
void bringBack(SqlConnection &db, qint64 keyId);

void ackEvents(SqlConnection &db, const Key &key, const Lease &lease, const std::vector<qint64> &sequences);
void retryEvents(SqlConnection &db, const Key &key, const Lease &lease,
                 const std::vector<RetryPatch> &patches);
void parkEvent(SqlConnection &db, const Key &key, const Lease &lease, qint64 sequence,
               const ParkedRow &parked);

/// Stores a parked row. An invalid item that is parked already only has its time, its reasons and
/// its count refreshed.
void insertParked(SqlConnection &db, KeyRow &key, const ParkedRow &parked);
/// Puts an event into the outbox under the sequence it has.
void insertPending(SqlConnection &db, KeyRow &key, const OutboxRow &row);

[[nodiscard]] std::vector<OutboxRow> readOutbox(SqlConnection &db, const Key &key, qint64 afterSequence,
                                                int limit);
/// Fills in what a KeyState says about its outbox: the oldest event, and what delivery waits for.
void describeOutbox(SqlConnection &db, qint64 keyId, KeyState &state);

} // namespace watukuy::sql
