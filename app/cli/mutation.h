// SPDX-License-Identifier: GPL-3.0-or-later
// How commands that change something answer, for real and as a dry run (spec-workspace, "JSON shapes").
#pragma once

#include "app/cli/context.h"

namespace watukuy::cli {

/// Writes the answer; `done` is the word for what happened, e.g. `paused`. Returns the exit code: a
/// key that failed makes it Failed, or what its error says.
[[nodiscard]] int answerMutation(Context context, const Result<ActionResult> &result, const QString &done);

} // namespace watukuy::cli
