// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/store/memorystore.h"
#include "engine/store/storeerrors.h"

namespace watukuy {

StoreTask<void> MemoryStore::pauseKey(Key key, Pause pause, AuditRow audit)
{
    KeyData *data = find(key);
    if (!data)
        return answer<void>(fail(storeerrors::unknownKey(key)));
    data->state.pause = pause;
    data->state.pauseReason = audit.reason;
    data->state.updatedAt = audit.at;
    m_audit.push_back(std::move(audit));
    return changed<void>({});
}

StoreTask<void> MemoryStore::resumeKey(Key key, ScheduleState schedule, AuditRow audit)
{
    KeyData *data = find(key);
    if (!data)
        return answer<void>(fail(storeerrors::unknownKey(key)));
    data->state.pause = Pause::None;
    data->state.pauseReason.clear();
    data->state.schedule = std::move(schedule);
    data->state.updatedAt = audit.at;
    m_audit.push_back(std::move(audit));
    return changed<void>({});
}

StoreTask<void> MemoryStore::triggerKey(Key key, ScheduleState schedule, AuditRow audit)
{
    KeyData *data = find(key);
    if (!data)
        return answer<void>(fail(storeerrors::unknownKey(key)));
    data->state.schedule = std::move(schedule);
    data->state.triggeredAt = audit.at;
    data->state.updatedAt = audit.at;
    m_audit.push_back(std::move(audit));
    return changed<void>({});
}

StoreTask<void> MemoryStore::resetCursor(Key key, LaneCursor cursor, bool clearSnapshot,
                                         ScheduleState schedule, AuditRow audit)
{
    KeyData *data = find(key);
    if (!data)
        return answer<void>(fail(storeerrors::unknownKey(key)));
    fence(*data);
    moveLane(*data, Lane::Live, cursor, std::nullopt);
    // A validator would answer 304 and hide what is to be read again.
    data->validators.clear();
    if (clearSnapshot) {
        moveLane(*data, Lane::Reconcile, {}, std::nullopt);
        // Tombstones, not nothing: what comes back is a new observation and needs a new id.
        for (auto &[id, row] : data->items) {
            if (row.tombstone)
                continue;
            row.tombstone = true;
            row.seenAt = audit.at;
            row.payload.reset();
        }
        data->state.counts.items = 0;
        while (!data->held.empty())
            forgetHeld(data->held.begin()->second);
    }
    data->state.schedule = std::move(schedule);
    data->state.updatedAt = audit.at;
    m_audit.push_back(std::move(audit));
    return changed<void>({});
}

StoreTask<void> MemoryStore::startBackfill(Key key, BackfillState backfill, AuditRow audit)
{
    KeyData *data = find(key);
    if (!data)
        return answer<void>(fail(storeerrors::unknownKey(key)));
    fence(*data);
    moveLane(*data, Lane::Backfill, backfill.from, std::nullopt);
    data->state.backfillSchedule = {.nextDueAt = audit.at, .lastError = {}, .lastCompletedAt = {}};
    data->state.backfill = std::move(backfill);
    data->state.updatedAt = audit.at;
    m_audit.push_back(std::move(audit));
    return changed<void>({});
}

StoreTask<void> MemoryStore::cancelBackfill(Key key, AuditRow audit)
{
    KeyData *data = find(key);
    if (!data)
        return answer<void>(fail(storeerrors::unknownKey(key)));
    fence(*data);
    moveLane(*data, Lane::Backfill, {}, std::nullopt);
    data->state.backfillSchedule = {};
    data->state.backfill.reset();
    data->state.updatedAt = audit.at;
    m_audit.push_back(std::move(audit));
    return changed<void>({});
}

StoreTask<void> MemoryStore::removeKey(Key key, AuditRow audit)
{
    KeyData *data = find(key);
    if (!data)
        return answer<void>(fail(storeerrors::unknownKey(key)));
    m_epochFloor = std::max(m_epochFloor, data->state.epoch + 1);
    std::erase_if(m_parked, [&](const auto &entry) { return entry.second.key == key; });
    std::erase_if(m_parkedItems, [&](const auto &entry) { return entry.first.first == key; });
    std::erase_if(m_held, [&](const auto &entry) { return entry.second.row.key == key; });
    std::erase_if(m_log, [&](const auto &entry) { return entry.second.key == key; });
    m_holds.erase(key);
    m_keys.erase(key);
    m_audit.push_back(std::move(audit));
    return changed<void>({});
}

StoreTask<qint64> MemoryStore::replay(Key key, Instant from, Instant to, AuditRow audit)
{
    KeyData *data = find(key);
    if (!data)
        return answer<qint64>(fail(storeerrors::unknownKey(key)));
    qint64 done = 0;
    for (const auto &[position, logged] : m_log) {
        if (logged.key != key || logged.time < from || logged.time >= to)
            continue;
        Event event = logged;
        event.lane = Lane::Replay;
        append(*data, std::move(event), false);
        ++done;
    }
    data->state.updatedAt = audit.at;
    m_audit.push_back(std::move(audit));
    return changed<qint64>(done);
}

StoreTask<BulkOutcome> MemoryStore::retryParked(ParkedFilter filter, AuditRow audit)
{
    BulkOutcome outcome;
    for (const ParkedRow &parked : selectParked(filter)) {
        if (!parked.event) {
            ++outcome.skipped;
            continue;
        }
        KeyData *data = find(parked.key);
        data->outbox[parked.event->sequence] = {*parked.event, 0, std::nullopt, parked.acceptedBy,
                                                parked.history};
        ++data->state.counts.outboxPending;
        data->state.updatedAt = audit.at;
        forgetParked(parked.id);
        ++outcome.done;
    }
    m_audit.push_back(std::move(audit));
    return changed<BulkOutcome>(outcome);
}

StoreTask<BulkOutcome> MemoryStore::discardParked(ParkedFilter filter, AuditRow audit)
{
    BulkOutcome outcome;
    for (const ParkedRow &parked : selectParked(filter)) {
        find(parked.key)->state.updatedAt = audit.at;
        forgetParked(parked.id);
        ++outcome.done;
    }
    m_audit.push_back(std::move(audit));
    return changed<BulkOutcome>(outcome);
}

StoreTask<BulkOutcome> MemoryStore::approveHeld(HeldFilter filter, MakeDeletion makeDeletion, bool log,
                                                AuditRow audit)
{
    BulkOutcome outcome;
    for (const HeldRow &held : selectHeld(filter)) {
        KeyData *data = find(held.key);
        const auto item = data->items.find(m_held.at(held.id).itemId);
        forgetHeld(held.id);
        if (item == data->items.end() || item->second.tombstone) {
            ++outcome.skipped;
            continue;
        }
        auto [tombstone, event] = makeDeletion(item->second);
        item->second = std::move(tombstone);
        --data->state.counts.items;
        append(*data, std::move(event), log);
        data->state.updatedAt = audit.at;
        ++outcome.done;
    }
    m_audit.push_back(std::move(audit));
    return changed<BulkOutcome>(outcome);
}

StoreTask<BulkOutcome> MemoryStore::discardHeld(HeldFilter filter, AuditRow audit)
{
    BulkOutcome outcome;
    for (const HeldRow &held : selectHeld(filter)) {
        m_held.at(held.id).discarded = true;
        KeyData *data = find(held.key);
        --data->state.counts.held;
        data->state.updatedAt = audit.at;
        ++outcome.done;
    }
    m_audit.push_back(std::move(audit));
    return changed<BulkOutcome>(outcome);
}

StoreTask<qint64> MemoryStore::pruneLog(QString poller, Instant before, int limit)
{
    qint64 removed = 0;
    for (auto entry = m_log.begin(); entry != m_log.end() && removed < limit;) {
        const bool old = entry->second.key.poller == poller && entry->second.time < before;
        removed += old ? 1 : 0;
        entry = old ? m_log.erase(entry) : std::next(entry);
    }
    return changed<qint64>(removed);
}

StoreTask<qint64> MemoryStore::pruneTombstones(QString poller, Instant before, int limit)
{
    qint64 removed = 0;
    for (auto &[key, data] : m_keys) {
        if (key.poller != poller)
            continue;
        for (auto item = data.items.begin(); item != data.items.end() && removed < limit;) {
            const bool old = item->second.tombstone && item->second.seenAt < before;
            if (old)
                data.idOf.erase(item->second.identity);
            removed += old ? 1 : 0;
            item = old ? data.items.erase(item) : std::next(item);
        }
    }
    return changed<qint64>(removed);
}

StoreTask<void> MemoryStore::moveBudgetUse(QString budget, qint64 use, Duration later)
{
    auto &uses = m_budgets[budget];
    if (const auto found = uses.find(use); found != uses.end())
        found->second.at += later;
    return changed<void>({});
}

StoreTask<BudgetAnswer> MemoryStore::takeBudget(BudgetRequest request)
{
    if (storeerrors::isEmptyBudget(request.windows))
        return answer<BudgetAnswer>(fail(storeerrors::emptyBudget(request.budget)));
    const Duration now = request.now.time_since_epoch();
    const Duration horizon = budget::longest(request.windows);
    auto &uses = m_budgets[request.budget];
    uses.erase(request.replaces);
    std::erase_if(uses, [&](const auto &use) { return use.second.at <= now - horizon; });
    // A clock that was far ahead must not block for longer than one window.
    for (auto &[number, use] : uses) {
        if (use.at > now + horizon)
            use.at = now;
    }
    std::vector<budget::Use> spent;
    for (const auto &[number, use] : uses)
        spent.push_back(use);
    std::ranges::stable_sort(spent, {}, &budget::Use::at);
    const Duration at = budget::earliest(spent, request.windows, request.cost, now);
    if (at > now)
        return changed<BudgetAnswer>(BudgetAnswer{.granted = false, .tryAgainAt = Instant{at}});
    uses.emplace(++m_lastUse, budget::Use{now, request.cost});
    return changed<BudgetAnswer>(BudgetAnswer{.granted = true, .use = m_lastUse});
}

StoreTask<std::vector<budget::Use>> MemoryStore::readBudget(QString budget, Instant since)
{
    std::vector<budget::Use> uses;
    for (const auto &[number, use] : m_budgets[budget]) {
        if (use.at > since.time_since_epoch())
            uses.push_back(use);
    }
    std::ranges::stable_sort(uses, {}, &budget::Use::at);
    return answer<std::vector<budget::Use>>(std::move(uses));
}

} // namespace watukuy
