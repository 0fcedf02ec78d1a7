// SPDX-License-Identifier: GPL-3.0-or-later
// Reads `cursor` of a poller: the strategy and the keys that belong to it.
#pragma once

#include "engine/definition/definition.h"
#include "engine/definition/reader.h"

namespace watukuy {

/// False when the strategy is missing or unknown: then nothing can be said about what depends on it.
[[nodiscard]] bool readCursor(ObjectReader &poller, CursorDefinition &cursor);

} // namespace watukuy
