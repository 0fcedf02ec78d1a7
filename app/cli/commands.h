// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of spec-workspace. Each answers with the exit code.
#pragma once

#include <QCoroTask>

#include "app/cli/context.h"

namespace watukuy::cli {

QCoro::Task<int> runCommand(Context context);
QCoro::Task<int> tickCommand(Context context);
QCoro::Task<int> inspectCommand(Context context);
QCoro::Task<int> validateCommand(Context context);
QCoro::Task<int> testCommand(Context context);
QCoro::Task<int> triggerCommand(Context context);
QCoro::Task<int> pauseCommand(Context context);
QCoro::Task<int> resumeCommand(Context context);
QCoro::Task<int> parkedCommand(Context context);
QCoro::Task<int> heldCommand(Context context);
QCoro::Task<int> resetCursorCommand(Context context);
QCoro::Task<int> backfillCommand(Context context);
QCoro::Task<int> cancelBackfillCommand(Context context);
QCoro::Task<int> replayCommand(Context context);
QCoro::Task<int> partitionsCommand(Context context);
QCoro::Task<int> budgetsCommand(Context context);
QCoro::Task<int> auditCommand(Context context);
QCoro::Task<int> exportCommand(Context context);
QCoro::Task<int> migrateCommand(Context context);
QCoro::Task<int> demoApiCommand(Context context);
QCoro::Task<int> demoCommand(Context context);
QCoro::Task<int> versionCommand(Context context);

} // namespace watukuy::cli
