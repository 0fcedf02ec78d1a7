// SPDX-License-Identifier: GPL-3.0-or-later
// Reads `partitions` of a poller: a list, a file, a listing of the API or another poller.
#pragma once

#include "engine/definition/definition.h"
#include "engine/definition/reader.h"

namespace watukuy {

void readPartitions(ObjectReader &poller, PartitionsDefinition &partitions, const QString &pollerName,
                    const Surroundings &around);

/// The text of a partition file: a JSON list, each element what `partitions.list` holds or just the key.
/// ErrorKind::Body names the place and the line.
[[nodiscard]] Result<std::vector<PartitionDefinition>> parsePartitionFile(const QByteArray &text,
                                                                          const QString &file);

} // namespace watukuy
