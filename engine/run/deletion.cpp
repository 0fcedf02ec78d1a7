// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/run/deletion.h"

#include "engine/change/change.h"

namespace watukuy {

MakeDeletion makeDeletion(std::shared_ptr<const PollerDefinition> poller, Key key, Lane lane, Instant now)
{
    return [poller = std::move(poller), key = std::move(key), lane, now](const ItemRow &row) {
        change::Deletion deletion =
            change::deletionOf(row, *poller, {.key = key, .lane = lane, .now = now}, 0);
        deletion.event.orderingKey = change::orderingKeyOf(deletion.event, poller->deliver.orderingKey);
        return std::pair{std::move(deletion.tombstone), std::move(deletion.event)};
    };
}

} // namespace watukuy
