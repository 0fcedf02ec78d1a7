// SPDX-License-Identifier: GPL-3.0-or-later
// The partitions of a poller: asked for where they are listed, and kept as its keys (spec-engine 7).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <QCoroTask>

#include "engine/definition/definition.h"
#include "engine/run/cycle.h"
#include "engine/store/statestore.h"

namespace watukuy {

/// True when the workspace itself says which partitions there are: one, or a list.
[[nodiscard]] bool areWritten(const PartitionsDefinition &partitions);

/// Those of a workspace that says it itself.
[[nodiscard]] std::vector<PartitionDefinition> writtenPartitions(const PartitionsDefinition &partitions);

/// What makes `listed` the keys of `poller`.
[[nodiscard]] PartitionsPatch partitionsPatch(const PollerDefinition &poller,
                                              std::vector<PartitionDefinition> listed, Instant now);

/// Reads the file, asks the API or reads the other poller's snapshot; writes nothing. An entry that
/// cannot be a partition fails the whole listing: a part of it would pause the others.
/// Waits for its budget as long as `ports` says; ends with ErrorKind::Cancelled when `mayGoOn` says no.
/// `ports` outlives the task.
QCoro::Task<Result<std::vector<PartitionDefinition>>>
listPartitions(Ports *ports, std::shared_ptr<const PollerDefinition> poller, std::function<bool()> mayGoOn);

/// Lists, and makes the poller's keys what was listed; `audit` when an operator asked for it. After a
/// failure the old partitions stay, and the store remembers why.
QCoro::Task<Result<PartitionsOutcome>> refreshPartitions(Ports *ports,
                                                         std::shared_ptr<const PollerDefinition> poller,
                                                         std::function<bool()> mayGoOn,
                                                         std::optional<AuditRow> audit = {});

/// What setting `listed` would do to a poller whose keys are among `states`.
[[nodiscard]] PartitionsOutcome changeOf(const QString &poller,
                                         const std::vector<PartitionDefinition> &listed,
                                         const std::vector<KeyState> &states);

/// When the partitions are to be listed again; nothing when the workspace itself says which there are.
/// A listing that failed is tried again after the poller's shortest interval.
[[nodiscard]] std::optional<Instant> nextListing(const PollerDefinition &poller,
                                                 const PartitionListing &listing, Instant now);

} // namespace watukuy
