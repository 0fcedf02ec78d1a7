// SPDX-License-Identifier: GPL-3.0-or-later
// The schema and its history: numbered steps forward, each in one transaction.
#pragma once

#include <span>

#include "engine/model/error.h"

namespace watukuy {

class SqlConnection;

/// One step. Once released it never changes; a correction is the next step.
struct Migration {
    int number = 0; ///< 1, 2, 3, ... without gaps
    std::span<const char *const> statements;
};

/// Every step of the SQLite schema, in order.
[[nodiscard]] std::span<const Migration> sqliteMigrations();

/// Applies the steps that are missing. Safe against other processes that do the same. Fails with
/// ErrorKind::StoreNewer, touching nothing, when the store has steps this program does not know.
[[nodiscard]] Result<void> migrate(SqlConnection &connection, std::span<const Migration> migrations,
                                   const QString &storeName);

/// The error for a store with steps this program does not know.
[[nodiscard]] Error newerStore(const QString &storeName, int found, int known);

} // namespace watukuy
