// SPDX-License-Identifier: GPL-3.0-or-later
// Secrets that change while the program runs: read anew, and written back where their reference points.
#pragma once

#include <QCoroTask>
#include <QString>

#include "engine/definition/secrets.h"
#include "engine/model/error.h"

namespace watukuy {

/// The value that `reference` has now, not the one that was read before: another process may have
/// written it. `secrets` outlives the task.
QCoro::Task<Result<QString>> readAnew(Secrets *secrets, QString reference);

/// Writes `value` to where `reference` points: a file atomically, synced and with mode 0600, or a
/// keychain entry. ErrorKind::Secret for `env:`, which no program can write, and when writing fails;
/// then what stood there stays. The value before stays redacted.
QCoro::Task<Result<void>> writeBack(Secrets *secrets, QString reference, QString value);

} // namespace watukuy
