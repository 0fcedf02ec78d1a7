// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/store/memorystore.h"

#include "engine/store/storeerrors.h"

namespace watukuy {

namespace {

constexpr size_t timelineLength = 500;

} // namespace

MemoryStore::MemoryStore() = default;
MemoryStore::~MemoryStore() = default;

MemoryStore::KeyData *MemoryStore::find(const Key &key)
{
    const auto found = m_keys.find(key);
    return found == m_keys.end() ? nullptr : &found->second;
}

MemoryStore::KeyData *MemoryStore::fenced(const Key &key, const Lease &lease)
{
    KeyData *data = find(key);
    return data && data->state.lease && data->state.epoch == lease.epoch ? data : nullptr;
}

void MemoryStore::fence(KeyData &data)
{
    ++data.state.epoch;
    data.state.lease.reset();
}

std::optional<ScanState> &MemoryStore::scanOf(KeyData &data, Lane lane)
{
    switch (lane) {
    case Lane::Reconcile:
        return data.state.reconcileScan;
    case Lane::Backfill:
        return data.state.backfillScan;
    case Lane::Live:
    case Lane::Replay:
        break;
    }
    return data.state.liveScan;
}

void MemoryStore::moveLane(KeyData &data, Lane lane, const LaneCursor &cursor,
                           const std::optional<ScanState> &scan)
{
    std::optional<ScanState> &open = scanOf(data, lane);
    if (open && (!scan || scan->id != open->id)) {
        for (const qint64 old : {open->id, open->confirms}) {
            if (!scan || scan->confirms != old)
                data.marks.erase(old);
        }
    }
    open = scan;
    if (lane == Lane::Live)
        data.state.liveCursor = cursor;
    else if (lane == Lane::Backfill)
        data.state.backfillCursor = cursor;
}

bool MemoryStore::isOpenScan(const KeyData &data, qint64 scanId)
{
    const auto is = [scanId](const std::optional<ScanState> &scan) { return scan && scan->id == scanId; };
    return is(data.state.liveScan) || is(data.state.reconcileScan) || is(data.state.backfillScan);
}

StoreTask<void> MemoryStore::open()
{
    return answer<void>({});
}

StoreTask<void> MemoryStore::close()
{
    return answer<void>({});
}

StoreTask<std::optional<Lease>> MemoryStore::acquireLease(Key key, QString instance, Duration ttl,
                                                          Instant now)
{
    KeyData *data = find(key);
    if (!data)
        return answer<std::optional<Lease>>(fail(storeerrors::unknownKey(key)));
    KeyState &state = data->state;
    if (state.lease && state.lease->owner != instance && state.lease->expiresAt > now)
        return answer<std::optional<Lease>>(std::nullopt);
    state.lease = Lease{instance, ++state.epoch, now + ttl};
    return changed<std::optional<Lease>>(state.lease);
}

StoreTask<Renewal> MemoryStore::renewLease(Key key, Lease lease, Duration ttl, Instant now)
{
    KeyData *data = fenced(key, lease);
    if (!data)
        return answer<Renewal>(fail(storeerrors::leaseLost(key)));
    data->state.lease->expiresAt = now + ttl;
    return changed<Renewal>(Renewal{*data->state.lease, data->state.pause});
}

StoreTask<void> MemoryStore::releaseLease(Key key, Lease lease)
{
    KeyData *data = fenced(key, lease);
    if (!data)
        return answer<void>(fail(storeerrors::leaseLost(key)));
    data->state.lease.reset();
    return changed<void>({});
}

StoreTask<std::vector<StoredItem>> MemoryStore::loadVersions(Key key, std::vector<QString> identities,
                                                             std::optional<qint64> scanId)
{
    const KeyData *data = find(key);
    if (!data)
        return answer<std::vector<StoredItem>>(fail(storeerrors::unknownKey(key)));
    const auto marks = scanId ? data->marks.find(*scanId) : data->marks.end();
    std::vector<StoredItem> found;
    for (const QString &identity : identities) {
        const auto id = data->idOf.find(identity);
        if (id == data->idOf.end())
            continue;
        const bool seen = marks != data->marks.end() && marks->second.contains(id->second);
        found.push_back({data->items.at(id->second), id->second, seen});
    }
    return answer<std::vector<StoredItem>>(std::move(found));
}

qint64 MemoryStore::upsert(KeyData &data, const ItemRow &row)
{
    auto place = data.idOf.find(row.identity);
    if (place == data.idOf.end()) {
        place = data.idOf.emplace(row.identity, ++data.lastItem).first;
        data.items[place->second] = row;
        data.state.counts.items += row.tombstone ? 0 : 1;
        return place->second;
    }
    ItemRow &stored = data.items[place->second];
    data.state.counts.items += (row.tombstone ? 0 : 1) - (stored.tombstone ? 0 : 1);
    stored = row;
    return place->second;
}

void MemoryStore::releaseHold(KeyData &data, qint64 itemId)
{
    if (const auto held = data.held.find(itemId); held != data.held.end())
        forgetHeld(held->second);
}

void MemoryStore::append(KeyData &data, Event event, bool log)
{
    event.sequence = ++data.state.lastSequence;
    event.key = data.state.key;
    if (event.orderingKey.isEmpty())
        event.orderingKey = event.subject;
    if (log)
        m_log.emplace(++m_lastPosition, event);
    ++data.state.counts.outboxPending;
    data.outbox[event.sequence].event = std::move(event);
}

StoreTask<CommitReceipt> MemoryStore::commitPoll(Key key, Lease lease, PollCommit commit)
{
    KeyData *data = fenced(key, lease);
    if (!data)
        return answer<CommitReceipt>(fail(storeerrors::leaseLost(key)));
    if (commit.scan && commit.scan->id == 0)
        commit.scan->id = ++data->lastScan;
    moveLane(*data, commit.lane, commit.cursor, commit.scan);
    const auto mark = [&](qint64 id) {
        if (commit.scan)
            data->marks[commit.scan->id].insert(id);
    };
    for (const ItemRow &row : commit.upserts) {
        const qint64 id = upsert(*data, row);
        releaseHold(*data, id);
        if (commit.markSeen)
            mark(id);
    }
    for (const qint64 id : commit.seen) {
        releaseHold(*data, id);
        mark(id);
    }
    for (Event &event : commit.events)
        append(*data, std::move(event), commit.log);
    for (ParkedRow &parked : commit.parked)
        park(*data, std::move(parked));
    if (commit.validator)
        data->validators[commit.validator->requestHash] = *commit.validator;
    if (commit.backfillDone)
        data->state.backfill.reset();
    data->state.schemaVersion = commit.schemaVersion;
    data->state.updatedAt = commit.now;
    return changed<CommitReceipt>(
        CommitReceipt{commit.scan ? std::optional(commit.scan->id) : std::nullopt, data->state.lastSequence});
}

std::vector<qint64> MemoryStore::missingItems(const KeyData &data, qint64 scanId,
                                              const std::optional<ListingBefore> &before) const
{
    const auto isListedIn = [&data](qint64 scan, qint64 id) {
        const auto marks = data.marks.find(scan);
        return marks != data.marks.end() && marks->second.contains(id);
    };
    const auto wasThereBefore = [&](qint64 id, const ItemRow &row) {
        return before && (isListedIn(before->scanId, id) || row.seenAt >= before->since);
    };
    std::vector<qint64> missing;
    for (const auto &[id, row] : data.items) {
        if (row.tombstone || isListedIn(scanId, id) || wasThereBefore(id, row))
            continue;
        // What an operator decided to keep is not missing until it has been listed again.
        const auto held = data.held.find(id);
        if (held == data.held.end() || !m_held.at(held->second).discarded)
            missing.push_back(id);
    }
    return missing;
}

StoreTask<MissingCount> MemoryStore::countMissing(Key key, qint64 scanId, std::optional<ListingBefore> before)
{
    const KeyData *data = find(key);
    if (!data)
        return answer<MissingCount>(fail(storeerrors::unknownKey(key)));
    if (!isOpenScan(*data, scanId))
        return answer<MissingCount>(fail(storeerrors::unknownScan(key, scanId)));
    return answer<MissingCount>(MissingCount{
        data->state.counts.items, static_cast<qint64>(missingItems(*data, scanId, before).size())});
}

StoreTask<ScanOutcome> MemoryStore::completeScan(Key key, Lease lease, ScanCompletion completion)
{
    KeyData *data = fenced(key, lease);
    if (!data)
        return answer<ScanOutcome>(fail(storeerrors::leaseLost(key)));
    const std::optional<ScanState> &open = scanOf(*data, completion.lane);
    if (!open || open->id != completion.scanId)
        return answer<ScanOutcome>(fail(storeerrors::unknownScan(key, completion.scanId)));
    ScanOutcome outcome;
    if (completion.deletes != ScanCompletion::Deletes::None) {
        for (const qint64 id : missingItems(*data, completion.scanId, completion.before)) {
            ItemRow &row = data->items.at(id);
            if (data->held.contains(id))
                continue; // an operator decides
            if (completion.deletes == ScanCompletion::Deletes::Emit) {
                auto [tombstone, event] = completion.makeDeletion(row);
                row = std::move(tombstone);
                append(*data, std::move(event), completion.log);
                --data->state.counts.items;
                ++outcome.deleted;
            } else {
                const qint64 heldId = ++m_lastHeld;
                m_held[heldId] = {
                    {heldId, key, row.identity, EventType::Deleted, completion.holdReason, completion.now},
                    id,
                    false};
                data->held[id] = heldId;
                ++data->state.counts.held;
                ++outcome.held;
            }
        }
    }
    if (completion.next)
        outcome.nextScanId = completion.next->id = ++data->lastScan;
    moveLane(*data, completion.lane, completion.cursor, completion.next);
    data->state.updatedAt = completion.now;
    return changed<ScanOutcome>(outcome);
}

StoreTask<std::optional<ValidatorRow>> MemoryStore::loadValidator(Key key, QByteArray requestHash)
{
    const KeyData *data = find(key);
    if (!data)
        return answer<std::optional<ValidatorRow>>(fail(storeerrors::unknownKey(key)));
    const auto found = data->validators.find(requestHash);
    return answer<std::optional<ValidatorRow>>(
        found == data->validators.end() ? std::nullopt : std::optional(found->second));
}

StoreTask<void> MemoryStore::saveState(Key key, Lease lease, SchedulePatch patch)
{
    KeyData *data = fenced(key, lease);
    if (!data)
        return answer<void>(fail(storeerrors::leaseLost(key)));
    KeyState &state = data->state;
    state.schedule = std::move(patch.schedule);
    state.reconcileSchedule = std::move(patch.reconcileSchedule);
    state.backfillSchedule = std::move(patch.backfillSchedule);
    if (patch.answeredTrigger && state.triggeredAt && *state.triggeredAt <= *patch.answeredTrigger)
        state.triggeredAt.reset();
    data->timeline.insert(data->timeline.end(), patch.timeline.begin(), patch.timeline.end());
    while (data->timeline.size() > timelineLength)
        data->timeline.pop_front();
    state.updatedAt = patch.now;
    return changed<void>({});
}

} // namespace watukuy
