// SPDX-License-Identifier: GPL-3.0-or-later
#include <limits>

#include "engine/store/memorystore.h"
#include "engine/store/rowcodec.h"
#include "engine/store/storeerrors.h"

namespace watukuy {

namespace {

template <typename Filter>
bool fits(const Filter &filter, const Key &key, qint64 id)
{
    return id > filter.afterId && (filter.poller.isEmpty() || filter.poller == key.poller) &&
           (!filter.partition || *filter.partition == key.partition) &&
           (filter.ids.isEmpty() || filter.ids.contains(id));
}

} // namespace

bool MemoryStore::isHeldBack(const Key &key, const QString &orderingKey) const
{
    const auto holds = m_holds.find(key);
    return holds != m_holds.end() && holds->second.contains(orderingKey);
}

StoreTask<std::vector<OutboxRow>> MemoryStore::loadPending(Key key, PendingQuery query)
{
    const KeyData *data = find(key);
    if (!data)
        return answer<std::vector<OutboxRow>>(fail(storeerrors::unknownKey(key)));
    QSet<QString> passedOver = query.busyOrderingKeys;
    std::vector<OutboxRow> rows;
    for (const auto &[sequence, row] : data->outbox) {
        if (static_cast<int>(rows.size()) >= query.limit)
            break;
        const QString &orderingKey = row.event.orderingKey;
        if (passedOver.contains(orderingKey) || isHeldBack(key, orderingKey))
            continue;
        if (row.notBefore && *row.notBefore > query.now)
            passedOver.insert(orderingKey);
        else
            rows.push_back(row);
    }
    return answer<std::vector<OutboxRow>>(std::move(rows));
}

StoreTask<void> MemoryStore::ackEvents(Key key, Lease lease, std::vector<qint64> sequences)
{
    KeyData *data = fenced(key, lease);
    if (!data)
        return answer<void>(fail(storeerrors::leaseLost(key)));
    for (const qint64 sequence : sequences)
        data->state.counts.outboxPending -= static_cast<qint64>(data->outbox.erase(sequence));
    return changed<void>({});
}

StoreTask<void> MemoryStore::retryEvents(Key key, Lease lease, std::vector<RetryPatch> patches)
{
    KeyData *data = fenced(key, lease);
    if (!data)
        return answer<void>(fail(storeerrors::leaseLost(key)));
    for (const RetryPatch &patch : patches) {
        const auto row = data->outbox.find(patch.sequence);
        if (row == data->outbox.end())
            continue;
        row->second.attempts = patch.attempts;
        row->second.notBefore = patch.notBefore;
        row->second.acceptedBy = patch.acceptedBy;
        if (patch.record)
            rowcodec::addToHistory(row->second.history, *patch.record);
    }
    return changed<void>({});
}

StoreTask<void> MemoryStore::parkEvent(Key key, Lease lease, qint64 sequence, ParkedRow parked)
{
    KeyData *data = fenced(key, lease);
    if (!data)
        return answer<void>(fail(storeerrors::leaseLost(key)));
    const auto pending = data->outbox.find(sequence);
    if (pending == data->outbox.end())
        return answer<void>({}); // acknowledged already: there is nothing left to park
    parked.kind = ParkedKind::Poison;
    parked.event = pending->second.event;
    if (parked.history.isEmpty())
        parked.history = pending->second.history;
    data->outbox.erase(pending);
    --data->state.counts.outboxPending;
    data->state.updatedAt = parked.parkedAt;
    park(*data, std::move(parked));
    return changed<void>({});
}

void MemoryStore::park(KeyData &data, ParkedRow parked)
{
    parked.key = data.state.key;
    if (parked.kind == ParkedKind::Invalid) {
        const auto [known, fresh] = m_parkedItems.try_emplace({parked.key, parked.item}, m_lastParked + 1);
        if (!fresh) {
            ParkedRow &row = m_parked.at(known->second);
            row.parkedAt = parked.parkedAt;
            row.error = parked.error;
            row.issues = parked.issues;
            ++row.seen;
            return;
        }
    }
    parked.id = ++m_lastParked;
    if (parked.event && parked.holdKey)
        m_holds[parked.key].insert(parked.event->orderingKey);
    ++data.state.counts.parked;
    m_parked.emplace(parked.id, std::move(parked));
}

void MemoryStore::forgetParked(qint64 id)
{
    const auto found = m_parked.find(id);
    const ParkedRow &parked = found->second;
    if (parked.kind == ParkedKind::Invalid)
        m_parkedItems.erase({parked.key, parked.item});
    if (parked.event && parked.holdKey) {
        auto &holds = m_holds[parked.key];
        holds.erase(holds.find(parked.event->orderingKey));
    }
    --find(parked.key)->state.counts.parked;
    m_parked.erase(found);
}

void MemoryStore::forgetHeld(qint64 id)
{
    const auto found = m_held.find(id);
    KeyData *data = find(found->second.row.key);
    data->held.erase(found->second.itemId);
    data->state.counts.held -= found->second.discarded ? 0 : 1;
    m_held.erase(found);
}

KeyState MemoryStore::describe(const KeyData &data) const
{
    KeyState state = data.state;
    if (data.outbox.empty())
        return state;
    state.oldestPendingAt = data.outbox.begin()->second.event.time;
    QSet<QString> waiting;
    std::optional<Instant> earliest;
    for (const auto &[sequence, row] : data.outbox) {
        const QString &orderingKey = row.event.orderingKey;
        if (waiting.contains(orderingKey) || isHeldBack(state.key, orderingKey))
            continue;
        if (!row.notBefore)
            return state;
        waiting.insert(orderingKey);
        earliest = std::min(earliest.value_or(*row.notBefore), *row.notBefore);
    }
    state.nextDeliveryAt = earliest;
    state.deliveryHeld = !earliest;
    return state;
}

StoreTask<std::vector<KeyState>> MemoryStore::loadKeys()
{
    std::vector<KeyState> states;
    for (const auto &[key, data] : m_keys)
        states.push_back(describe(data));
    return answer<std::vector<KeyState>>(std::move(states));
}

StoreTask<KeyState> MemoryStore::loadKey(Key key)
{
    const KeyData *data = find(key);
    return data ? answer<KeyState>(describe(*data)) : answer<KeyState>(fail(storeerrors::unknownKey(key)));
}

StoreTask<qint64> MemoryStore::changeStamp()
{
    return answer<qint64>(m_changes);
}

StoreTask<std::vector<OutboxRow>> MemoryStore::readOutbox(Key key, qint64 afterSequence, int limit)
{
    const KeyData *data = find(key);
    if (!data)
        return answer<std::vector<OutboxRow>>(fail(storeerrors::unknownKey(key)));
    std::vector<OutboxRow> rows;
    for (auto row = data->outbox.upper_bound(afterSequence);
         row != data->outbox.end() && static_cast<int>(rows.size()) < limit; ++row)
        rows.push_back(row->second);
    return answer<std::vector<OutboxRow>>(std::move(rows));
}

std::vector<ParkedRow> MemoryStore::selectParked(const ParkedFilter &filter) const
{
    std::vector<ParkedRow> rows;
    for (const auto &[id, row] : m_parked) {
        if (static_cast<int>(rows.size()) >= filter.limit)
            break;
        if (fits(filter, row.key, id) && (!filter.kind || *filter.kind == row.kind))
            rows.push_back(row);
    }
    return rows;
}

std::vector<HeldRow> MemoryStore::selectHeld(const HeldFilter &filter) const
{
    std::vector<HeldRow> rows;
    for (const auto &[id, held] : m_held) {
        if (static_cast<int>(rows.size()) >= filter.limit)
            break;
        if (!held.discarded && fits(filter, held.row.key, id))
            rows.push_back(held.row);
    }
    return rows;
}

std::vector<LoggedEvent> MemoryStore::selectLog(const LogQuery &query) const
{
    std::vector<LoggedEvent> events;
    for (auto entry = m_log.upper_bound(query.after);
         entry != m_log.end() && static_cast<int>(events.size()) < query.limit; ++entry) {
        const Event &event = entry->second;
        if ((query.poller.isEmpty() || event.key.poller == query.poller) &&
            (!query.partition || event.key.partition == *query.partition) &&
            (!query.from || event.time >= *query.from) && (!query.to || event.time < *query.to))
            events.push_back({entry->first, event});
    }
    return events;
}

StoreTask<std::vector<ParkedRow>> MemoryStore::readParked(ParkedFilter filter)
{
    return answer<std::vector<ParkedRow>>(selectParked(filter));
}

StoreTask<std::vector<HeldRow>> MemoryStore::readHeld(HeldFilter filter)
{
    return answer<std::vector<HeldRow>>(selectHeld(filter));
}

StoreTask<std::vector<LoggedEvent>> MemoryStore::readLog(LogQuery query)
{
    return answer<std::vector<LoggedEvent>>(selectLog(query));
}

StoreTask<std::vector<TimelineEntry>> MemoryStore::readTimeline(Key key, int limit)
{
    const KeyData *data = find(key);
    if (!data)
        return answer<std::vector<TimelineEntry>>(fail(storeerrors::unknownKey(key)));
    std::vector<TimelineEntry> entries;
    for (auto entry = data->timeline.rbegin();
         entry != data->timeline.rend() && static_cast<int>(entries.size()) < limit; ++entry)
        entries.push_back(*entry);
    return answer<std::vector<TimelineEntry>>(std::move(entries));
}

StoreTask<std::vector<AuditRow>> MemoryStore::readAudit(std::optional<Instant> since, int limit)
{
    std::vector<AuditRow> rows;
    for (auto row = m_audit.rbegin(); row != m_audit.rend() && static_cast<int>(rows.size()) < limit; ++row) {
        if (!since || row->at >= *since)
            rows.push_back(*row);
    }
    return answer<std::vector<AuditRow>>(std::move(rows));
}

StoreTask<std::vector<ItemRow>> MemoryStore::readItems(Key key, QString afterIdentity, int limit)
{
    const KeyData *data = find(key);
    if (!data)
        return answer<std::vector<ItemRow>>(fail(storeerrors::unknownKey(key)));
    std::vector<ItemRow> items;
    for (auto id = data->idOf.upper_bound(afterIdentity);
         id != data->idOf.end() && static_cast<int>(items.size()) < limit; ++id) {
        if (const ItemRow &row = data->items.at(id->second); !row.tombstone)
            items.push_back(row);
    }
    return answer<std::vector<ItemRow>>(std::move(items));
}

} // namespace watukuy
