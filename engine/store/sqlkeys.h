// SPDX-License-Identifier: GPL-3.0-or-later
// Keys in SQL: their counters, leases and fences, schedules, lanes, and the whole state read back.
#pragma once

#include <vector>

#include "engine/store/sqlconnection.h"
#include "engine/store/statestore.h"

namespace watukuy::sql {

/// What a writing transaction works with: the counters are changed here and stored once at its end.
struct KeyRow {
    qint64 id = 0;
    Key key;
    qint64 epoch = 0;
    std::optional<Lease> lease;
    qint64 lastSequence = 0;
    qint64 lastItem = 0;
    qint64 lastScan = 0;
    qint64 lastTimeline = 0;
    int schemaVersion = 1;
    KeyCounts counts;
};

[[nodiscard]] std::optional<KeyRow> findKey(SqlConnection &db, const Key &key);
/// Makes the work fail with UnknownKey.
[[nodiscard]] KeyRow requireKey(SqlConnection &db, const Key &key);
/// Makes the work fail with LeaseLostError unless `lease` still holds the key.
[[nodiscard]] KeyRow fencedKey(SqlConnection &db, const Key &key, const Lease &lease);
void storeCounters(SqlConnection &db, const KeyRow &row, Instant now);
/// Keys of a filter: of all pollers when `poller` is empty.
[[nodiscard]] std::vector<KeyRow> keysOf(SqlConnection &db, const QString &poller,
                                         const std::optional<QString> &partition);

[[nodiscard]] std::optional<Lease> acquireLease(SqlConnection &db, const Key &key, const QString &instance,
                                                Duration ttl, Instant now);
[[nodiscard]] Renewal renewLease(SqlConnection &db, const Key &key, const Lease &lease, Duration ttl,
                                 Instant now);
void releaseLease(SqlConnection &db, const Key &key, const Lease &lease);
/// The next epoch, held by nobody.
void fence(SqlConnection &db, const KeyRow &row);

void writePause(SqlConnection &db, qint64 keyId, Pause pause, const QString &reason, Instant now);
void writeSchedule(SqlConnection &db, qint64 keyId, const ScheduleState &schedule, Instant now);
void writeLaneSchedule(SqlConnection &db, qint64 keyId, Lane lane, const LaneSchedule &schedule);
/// The lane's cursor and its open scan, or none.
void writeLane(SqlConnection &db, qint64 keyId, Lane lane, const LaneCursor &cursor,
               const std::optional<ScanState> &scan);
void saveState(SqlConnection &db, const Key &key, const Lease &lease, const SchedulePatch &patch);

/// All keys, or the one.
[[nodiscard]] std::vector<KeyState> loadKeyStates(SqlConnection &db, const std::optional<Key> &only);
/// The schedule of a key that exists.
[[nodiscard]] ScheduleState readSchedule(SqlConnection &db, qint64 keyId);

} // namespace watukuy::sql
