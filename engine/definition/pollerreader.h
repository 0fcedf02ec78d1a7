// SPDX-License-Identifier: GPL-3.0-or-later
// Reads one poller of a workspace (spec-workspace, "Keys of a poller").
#pragma once

#include "engine/definition/definition.h"
#include "engine/definition/reader.h"

namespace watukuy {

/// `value` as the poller `name` with every default filled in; mistakes go to `problems`.
[[nodiscard]] PollerDefinition readPoller(const QString &name, const LocatedValue &value,
                                          const QString &pointer, const Surroundings &around,
                                          Problems &problems);

} // namespace watukuy
