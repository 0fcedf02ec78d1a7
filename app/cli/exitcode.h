// SPDX-License-Identifier: GPL-3.0-or-later
// The exit codes of spec-workspace, and which error becomes which.
#pragma once

#include "engine/model/error.h"

namespace watukuy::cli {

enum ExitCode { Done = 0, Failed = 1, UsageOrWorkspace = 2, Refused = 3 };

[[nodiscard]] constexpr int exitCodeOf(ErrorKind kind)
{
    switch (kind) {
    case ErrorKind::Usage:
    case ErrorKind::Workspace:
        return UsageOrWorkspace;
    case ErrorKind::Refused:
        return Refused;
    default:
        return Failed;
    }
}

} // namespace watukuy::cli
