// SPDX-License-Identifier: GPL-3.0-or-later
// Reads what a workspace connects to: credentials, sinks and the store (spec-workspace).
#pragma once

#include <optional>

#include "engine/definition/definition.h"
#include "engine/definition/reader.h"

namespace watukuy {

[[nodiscard]] std::optional<CredentialDefinition> readCredential(const LocatedValue &value,
                                                                 const QString &pointer,
                                                                 const Surroundings &around,
                                                                 Problems &problems);
[[nodiscard]] std::optional<SinkDefinition> readSink(const LocatedValue &value, const QString &pointer,
                                                     const Surroundings &around, Problems &problems);
[[nodiscard]] std::optional<StoreDefinition> readStore(const LocatedValue &value, const QString &pointer,
                                                       const Surroundings &around, Problems &problems);

/// The `kind` of an endpoint as an index into `kinds`. Nothing when it is missing or unknown: then
/// the problem is reported and the rest of the object is left alone.
[[nodiscard]] std::optional<qsizetype> readKind(ObjectReader &reader, const QStringList &kinds);

/// A member that may hold a secret by reference only: a workspace is kept in version control.
void readSecret(ObjectReader &reader, const QString &name, Template &into, const PlaceholderRules &rules,
                bool isRequired);

} // namespace watukuy
