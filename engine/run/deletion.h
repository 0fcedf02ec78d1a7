// SPDX-License-Identifier: GPL-3.0-or-later
// How the stored row of a deleted item becomes its event.
#pragma once

#include <memory>

#include "engine/definition/definition.h"
#include "engine/model/key.h"
#include "engine/store/statestore.h"

namespace watukuy {

/// For a store's completeScan() and approveHeld(): pure, may be called on the store's thread.
[[nodiscard]] MakeDeletion makeDeletion(std::shared_ptr<const PollerDefinition> poller, Key key, Lane lane,
                                        Instant now);

} // namespace watukuy
