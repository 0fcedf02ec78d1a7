// SPDX-License-Identifier: GPL-3.0-or-later
// What operators do with partitions and budgets.
#include <map>
#include <set>

#include "engine/api/operations.h"
#include "engine/budget/window.h"
#include "engine/run/partitions.h"

namespace watukuy {

using namespace Qt::StringLiterals;

QCoro::Task<Result<PartitionsView>> Operations::partitions(QString poller)
{
    KeyScope all{.poller = poller, .partition = {}, .alsoGone = true};
    auto states = co_await keysIn(std::move(all));
    if (!states)
        co_return fail(states.error());
    auto listing = co_await m_store.readPartitionListing(poller);
    if (!listing)
        co_return fail(listing.error());
    const auto definition = m_workspace.pollers.find(poller);
    PartitionsView view{.rows = {}, .listing = std::move(*listing)};
    for (const KeyState &state : *states)
        view.rows.push_back(
            {.snapshot =
                 snapshotOf(state, definition == m_workspace.pollers.end() ? nullptr : &definition->second,
                            false, QString(), m_clock.now()),
             .isListed = state.partitionData.has_value(),
             .data = state.partitionData.value_or(QByteArray())});
    co_return view;
}

QCoro::Task<Result<std::vector<UnlistedView>>> Operations::unlisted(QString poller)
{
    const auto states = co_await m_store.loadKeys();
    if (!states)
        co_return fail(states.error());
    std::set<QString> listed;
    for (const KeyState &state : *states)
        listed.insert(state.key.poller);
    std::vector<UnlistedView> views;
    for (const auto &[name, definition] : m_workspace.pollers) {
        const bool isMeant = poller.isEmpty() || poller == name;
        if (!isMeant || !definition.enabled || areWritten(definition.partitions) || listed.contains(name))
            continue;
        auto listing = co_await m_store.readPartitionListing(name);
        if (!listing)
            co_return fail(listing.error());
        views.push_back({name, std::move(*listing)});
    }
    co_return views;
}

QCoro::Task<Result<ActionResult>> Operations::removePartition(Key key, Request request)
{
    const KeyScope scope{.poller = key.poller, .partition = key.partition, .alsoGone = true};
    const auto states = co_await keysIn(scope);
    if (!states)
        co_return fail(states.error());
    if (states->front().partitionData && m_workspace.pollers.contains(key.poller))
        co_return fail({.kind = ErrorKind::Refused,
                        .name = u"PartitionListedError"_s,
                        .title = u"%1 is still listed: it would be made anew"_s.arg(key.toString()),
                        .detail = u"Nothing was removed."_s,
                        .nextStep = u"Take it out of where the partitions are listed, then "
                                    "\"watukuy partitions refresh %1\"."_s.arg(key.poller)});
    KeyChange change{
        .skipReason = [](const KeyState &) { return QString(); },
        .apply = [this](KeyState state, AuditRow audit) { return m_store.removeKey(state.key, audit); },
        .detail =
            [](const KeyState &state) {
                return u"%1 items, %2 undelivered events, %3 parked and %4 held changes"_s
                    .arg(state.counts.items)
                    .arg(state.counts.outboxPending)
                    .arg(state.counts.parked)
                    .arg(state.counts.held);
            }};
    co_return co_await forEachKey(scope, std::move(request), u"partitions remove"_s, std::move(change));
}

QCoro::Task<Result<std::vector<BudgetView>>> Operations::budgets()
{
    std::vector<BudgetView> views;
    for (const auto &[name, definition] : m_workspace.budgets) {
        const std::vector<budget::Window> windows = budget::windowsOf(definition);
        const Instant now = m_clock.now();
        const auto uses = co_await m_store.readBudget(name, now - budget::longest(windows));
        if (!uses)
            co_return fail(uses.error());
        BudgetView view{.definition = definition};
        const Duration at = now.time_since_epoch();
        for (const budget::Use &use : *uses)
            view.used += use.at > at - definition.per ? use.cost : 0;
        view.available = budget::available(*uses, windows, at);
        view.nextFree = Instant{budget::earliest(*uses, windows, 1, at)};
        for (const auto &[poller, wants] : m_workspace.pollers) {
            if (wants.budget == name)
                view.pollers.append(poller);
        }
        views.push_back(std::move(view));
    }
    co_return views;
}

} // namespace watukuy
