// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/engineloop.h"

namespace watukuy::cli {

using namespace Qt::StringLiterals;

QCoro::Task<int> runCommand(Context context)
{
    EngineLoop loop;
    loop.followFile = true;
    if (context.arguments.has(u"for"_s)) {
        const Result<Duration> span = context.arguments.duration(u"for"_s, Duration{0});
        if (!span)
            co_return context.output.fail(span.error());
        loop.runFor = *span;
    }
    std::optional<WorkspaceDefinition> workspace = readWorkspace(context);
    if (!workspace)
        co_return UsageOrWorkspace;
    loop.workspace = std::move(*workspace);
    co_return co_await runEngine(context, std::move(loop));
}

} // namespace watukuy::cli
