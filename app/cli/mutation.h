// SPDX-License-Identifier: GPL-3.0-or-later
// How commands that change something answer, for real and as a dry run (spec-workspace, "JSON shapes").
#pragma once

#include <functional>

#include "app/cli/context.h"

namespace watukuy::cli {

/// What a command does to the keys of its scope.
using Administration =
    std::function<QCoro::Task<Result<ActionResult>>(Operations &operations, KeyScope scope, Request request)>;

/// The one way of every command that changes keys: reads scope and workspace, opens the store, works,
/// answers. `done` as in answerMutation().
QCoro::Task<int> administer(Context context, QString name, Administration work, QString done);

/// Writes the answer; `done` is the word for what happened, e.g. `paused`. Returns the exit code: a
/// key that failed makes it Failed, or what its error says.
[[nodiscard]] int answerMutation(Context context, const Result<ActionResult> &result, const QString &done);

} // namespace watukuy::cli
