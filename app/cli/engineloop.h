// SPDX-License-Identifier: GPL-3.0-or-later
// An engine at work until something ends it: what `run` and `demo` share.
#pragma once

#include <functional>
#include <optional>

#include <QCoroTask>

#include "app/cli/context.h"

namespace watukuy::cli {

struct EngineLoop {
    WorkspaceDefinition workspace;
    std::optional<Duration> runFor;
    bool followFile = false; ///< reload the workspace when its file changes and is valid
};

/// Runs until SIGINT, SIGTERM, the time is over, or nobody reads stdout; then drains and stops.
/// Answers with the exit code.
QCoro::Task<int> runEngine(Context context, EngineLoop loop);

} // namespace watukuy::cli
