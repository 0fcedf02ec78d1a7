// SPDX-License-Identifier: GPL-3.0-or-later
// What `${...}` stands for in a request of a running cycle (spec-workspace, "Placeholders").
#pragma once

#include "engine/cursor/paging.h"
#include "engine/cursor/strategy.h"
#include "engine/definition/definition.h"
#include "engine/model/key.h"

namespace watukuy {

/// Everything a request's placeholders can name.
struct PlaceholderValues {
    const WorkspaceDefinition &workspace;
    const cursor::CursorStrategy &strategy;
    const LaneCursor &cursor;
    const cursor::PagePosition &position;
    const PartitionDefinition &partition;
    const Key &key;
    Lane lane;
};

/// The value of one placeholder; nothing = null. ErrorKind::Workspace for an unknown name.
[[nodiscard]] Result<std::optional<QString>> placeholderValue(const QString &name,
                                                              const PlaceholderValues &values);

} // namespace watukuy
