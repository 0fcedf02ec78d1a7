// SPDX-License-Identifier: GPL-3.0-or-later
// Keys in a store, without an engine that makes them.
#pragma once

#include <map>
#include <vector>

#include "engine/store/statestore.h"

namespace watukuy::tests {

/// Lists the partitions of `keys` beside those that are listed already. All new keys of a poller get
/// the interval of its first one.
inline QCoro::Task<Result<void>> ensureKeys(StateStore *store, std::vector<std::pair<Key, Duration>> keys,
                                            Instant now)
{
    std::map<QString, PartitionsPatch> patches;
    for (const auto &[key, interval] : keys) {
        PartitionsPatch &patch = patches.try_emplace(key.poller).first->second;
        if (patch.listed.empty())
            patch = {.poller = key.poller, .firstInterval = interval, .now = now};
        patch.listed.push_back({key.partition, {}});
    }
    const auto known = co_await store->loadKeys();
    if (!known)
        co_return fail(known.error());
    for (auto &[poller, patch] : patches) {
        for (const KeyState &state : *known) {
            const bool isAsked =
                std::ranges::any_of(keys, [&](const auto &asked) { return asked.first == state.key; });
            if (state.key.poller == poller && state.partitionData && !isAsked)
                patch.listed.push_back({state.key.partition, *state.partitionData});
        }
        if (auto set = co_await store->setPartitions(std::move(patch)); !set)
            co_return fail(set.error());
    }
    co_return Result<void>{};
}

} // namespace watukuy::tests
