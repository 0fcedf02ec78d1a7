// SPDX-License-Identifier: GPL-3.0-or-later
// What every command is handed, and the steps that most of them begin with.
#pragma once

#include <memory>
#include <optional>

#include <QCoroTask>

#include "app/cli/arguments.h"
#include "app/cli/exitcode.h"
#include "app/cli/output.h"
#include "engine/api/headless.h"
#include "engine/definition/workspace.h"

namespace watukuy::cli {

/// Owned by main() and alive until the program ends: coroutines may keep copies.
struct Context {
    const Arguments &arguments;
    Output &output;
};

/// The file that `--workspace` names, or the only `*.watukuy.json` of the current folder.
[[nodiscard]] Result<QString> findWorkspace(const Arguments &arguments);

/// Reads the workspace. Says what is wrong with it and answers nothing when it cannot be used: the
/// exit code is then UsageOrWorkspace.
[[nodiscard]] std::optional<WorkspaceDefinition> readWorkspace(Context context);

/// One line for people: `file:12: /pollers/orders: what. hint`.
[[nodiscard]] QString spelled(const WorkspaceError &error, const QString &file);

/// `POLLER` or `POLLER/PARTITION`; `--partition` may name the partition instead.
[[nodiscard]] Result<KeyScope> scopeOf(const Arguments &arguments, const QString &name);

/// Who asks, for the audit log: user and machine.
[[nodiscard]] Request requestOf(const Arguments &arguments);

/// An error that stopped writing to stdout, or nothing; a reader that has gone is no error.
[[nodiscard]] std::optional<Error> writeErrorOf(const Output &output);

} // namespace watukuy::cli
