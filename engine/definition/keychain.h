// SPDX-License-Identifier: GPL-3.0-or-later
// Reads keychain entries ahead of time, since the system's keychain answers asynchronously.
#pragma once

#include <QCoroTask>
#include <QStringList>

#include "engine/definition/definition.h"
#include "engine/definition/secrets.h"
#include "engine/model/error.h"

namespace watukuy {

/// Every secret reference that the workspace's credentials, sinks, store and headers name.
[[nodiscard]] QStringList secretReferences(const WorkspaceDefinition &workspace);

/// Reads those of `references` that point into the keychain (service `Watukuy`) into `secrets`,
/// which outlives the task. ErrorKind::Secret names the entry and says why; nothing is asked of the
/// keychain when no reference needs it.
QCoro::Task<Result<void>> readKeychain(Secrets *secrets, QStringList references);

} // namespace watukuy
