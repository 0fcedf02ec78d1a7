// SPDX-License-Identifier: GPL-3.0-or-later
// The errors every store answers with, so that all of them say the same.
#pragma once

#include "engine/budget/window.h"
#include "engine/model/error.h"
#include "engine/model/key.h"

namespace watukuy::storeerrors {

/// A newer epoch exists, or the lease was given back.
[[nodiscard]] Error leaseLost(const Key &key);
[[nodiscard]] Error unknownKey(const Key &key);
/// A call before open() or after close().
[[nodiscard]] Error notOpen();
/// A scan that the store does not have open; completing it would delete what was never asked for.
[[nodiscard]] Error unknownScan(const Key &key, qint64 scanId);
/// A budget of nothing can never grant anything.
/// True when it allows nothing, or in no time.
[[nodiscard]] bool isEmptyBudget(const std::vector<budget::Window> &windows);
[[nodiscard]] Error emptyBudget(const QString &budget);

} // namespace watukuy::storeerrors
