// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/mutation.h"
#include "app/cli/translation.h"

namespace watukuy::cli {

using namespace Qt::StringLiterals;

namespace {

using Operation = QCoro::Task<Result<ActionResult>> (Operations::*)(KeyScope, Request);

/// The one way of trigger, pause and resume.
QCoro::Task<int> administer(Context context, Operation operation, QString done)
{
    const Result<KeyScope> scope = scopeOf(context.arguments, context.arguments.names.constFirst());
    if (!scope)
        co_return context.output.fail(scope.error());
    std::optional<WorkspaceDefinition> workspace = readWorkspace(context);
    if (!workspace)
        co_return UsageOrWorkspace;
    Headless headless(std::move(*workspace));
    if (const Result<void> opened = co_await headless.open(headless.allowedAccess()); !opened)
        co_return context.output.fail(opened.error());

    const Request request = requestOf(context.arguments);
    const Result<ActionResult> result = co_await (headless.operations().*operation)(*scope, request);
    co_await headless.close();
    co_return answerMutation(context, result, done);
}

} // namespace

QCoro::Task<int> triggerCommand(Context context)
{
    return administer(context, &Operations::trigger, Text::tr("due now"));
}

QCoro::Task<int> pauseCommand(Context context)
{
    return administer(context, &Operations::pause, Text::tr("paused"));
}

QCoro::Task<int> resumeCommand(Context context)
{
    return administer(context, &Operations::resume, Text::tr("resumed"));
}

} // namespace watukuy::cli
