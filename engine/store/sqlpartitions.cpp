// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/store/sqlpartitions.h"

#include <map>

#include "engine/store/rowcodec.h"
#include "engine/store/sqladmin.h"
#include "engine/store/sqlkeys.h"

namespace watukuy::sql {

namespace {

/// A key as it stood before.
struct Known {
    qint64 id = 0;
    Pause pause = Pause::None;
    std::optional<QByteArray> data;
};

std::map<QString, Known> knownKeys(SqlConnection &db, const QString &poller)
{
    std::map<QString, Known> known;
    Statement rows = db.use("SELECT id, partition, pause, partition_data FROM keys WHERE poller = ?");
    rows.run(poller);
    while (rows.next())
        known.emplace(rows.text(1), Known{rows.integer(0), static_cast<Pause>(rows.number(2)),
                                          rows.isNull(3) ? std::nullopt : std::optional(rows.bytes(3))});
    return known;
}

void add(SqlConnection &db, const PartitionsPatch &patch, const PartitionDefinition &partition)
{
    // A key that was removed and comes back goes on above the old epochs: leases of its former life
    // must not fit the new one.
    db.use("INSERT INTO keys(poller, partition, next_due_at, interval_ms, updated_at, partition_data, epoch)"
           " VALUES(?, ?, ?, ?, ?, ?, (SELECT value FROM meta WHERE name = 'epoch_floor'))")
        .run(patch.poller, partition.key, patch.now, patch.firstInterval, patch.now, partition.data);
}

void setData(SqlConnection &db, qint64 keyId, const std::optional<QByteArray> &data, Instant now)
{
    db.use("UPDATE keys SET partition_data = ?, updated_at = ? WHERE id = ?").run(data, now, keyId);
}

} // namespace

PartitionsOutcome setPartitions(SqlConnection &db, const PartitionsPatch &patch)
{
    PartitionsOutcome outcome;
    std::map<QString, Known> known = knownKeys(db, patch.poller);
    for (const PartitionDefinition &partition : patch.listed) {
        const auto found = known.find(partition.key);
        if (found == known.end()) {
            add(db, patch, partition);
            outcome.added.append(partition.key);
            continue;
        }
        const Known key = found->second;
        known.erase(found);
        if (key.data != partition.data)
            setData(db, key.id, partition.data, patch.now);
        if (key.pause != Pause::PartitionRemoved)
            continue;
        writePause(db, key.id, Pause::None, QString(), patch.now);
        writeSchedule(db, key.id, patch.resume(readSchedule(db, key.id)), patch.now);
        outcome.returned.append(partition.key);
    }
    for (const auto &[partition, key] : known) {
        if (key.data)
            setData(db, key.id, std::nullopt, patch.now);
        if (key.pause != Pause::None)
            continue;
        writePause(db, key.id, Pause::PartitionRemoved, QString(), patch.now);
        outcome.removed.append(partition);
    }
    if (patch.listedAt)
        db.use("INSERT INTO partition_listings(poller, listed_at, tried_at, source) VALUES(?, ?, ?, ?)"
               " ON CONFLICT(poller) DO UPDATE SET listed_at = excluded.listed_at, tried_at = "
               "excluded.tried_at, last_error = NULL, source = excluded.source")
            .run(patch.poller, *patch.listedAt, *patch.listedAt, patch.source);
    if (patch.audit)
        writeAudit(db, *patch.audit);
    return outcome;
}

void failPartitions(SqlConnection &db, const QString &poller, const Error &error, Instant now)
{
    db.use(
          "INSERT INTO partition_listings(poller, tried_at, last_error) VALUES(?, ?, ?)"
          " ON CONFLICT(poller) DO UPDATE SET tried_at = excluded.tried_at, last_error = excluded.last_error")
        .run(poller, now, rowcodec::encode(error));
}

PartitionListing readPartitionListing(SqlConnection &db, const QString &poller)
{
    Statement row =
        db.use("SELECT listed_at, tried_at, last_error, source FROM partition_listings WHERE poller = ?");
    row.run(poller);
    if (!row.next())
        return {};
    return {row.maybeInstant(0), row.maybeInstant(1), rowcodec::decodeError(row.bytes(2)), row.bytes(3)};
}

} // namespace watukuy::sql
