// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/store/memorystore.h"

namespace watukuy {

MemoryStore::KeyData &MemoryStore::make(const Key &key, Duration firstInterval, Instant now)
{
    KeyData &data = m_keys[key];
    data.state.key = key;
    data.state.schedule.nextDueAt = now;
    data.state.schedule.interval = firstInterval;
    data.state.updatedAt = now;
    // Leases of a former life of the key must not fit this one.
    data.state.epoch = m_epochFloor;
    return data;
}

StoreTask<PartitionsOutcome> MemoryStore::setPartitions(PartitionsPatch patch)
{
    PartitionsOutcome outcome;
    std::set<QString> listed;
    for (const PartitionDefinition &partition : patch.listed) {
        listed.insert(partition.key);
        KeyData *data = find({patch.poller, partition.key});
        if (!data) {
            data = &make({patch.poller, partition.key}, patch.firstInterval, patch.now);
            outcome.added.append(partition.key);
        }
        data->state.partitionData = partition.data;
        if (data->state.pause != Pause::PartitionRemoved)
            continue;
        data->state.pause = Pause::None;
        data->state.schedule = patch.resume(data->state.schedule);
        outcome.returned.append(partition.key);
    }
    for (auto &[key, data] : m_keys) {
        if (key.poller != patch.poller || listed.contains(key.partition))
            continue;
        data.state.partitionData.reset();
        if (data.state.pause != Pause::None)
            continue;
        data.state.pause = Pause::PartitionRemoved;
        data.state.pauseReason.clear();
        outcome.removed.append(key.partition);
    }
    if (patch.listedAt)
        m_listings[patch.poller] = {
            .listedAt = patch.listedAt, .triedAt = patch.listedAt, .lastError = {}, .source = patch.source};
    if (patch.audit)
        m_audit.push_back(std::move(*patch.audit));
    return changed<PartitionsOutcome>(std::move(outcome));
}

StoreTask<void> MemoryStore::failPartitions(QString poller, Error error, Instant now)
{
    PartitionListing &listing = m_listings[poller];
    listing.triedAt = now;
    listing.lastError = std::move(error);
    return changed<void>({});
}

StoreTask<PartitionListing> MemoryStore::readPartitionListing(QString poller)
{
    const auto found = m_listings.find(poller);
    return answer<PartitionListing>(found == m_listings.end() ? PartitionListing{} : found->second);
}

} // namespace watukuy
