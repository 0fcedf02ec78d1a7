// SPDX-License-Identifier: GPL-3.0-or-later
// Commands that go back in time.
#include "app/cli/commands.h"
#include "app/cli/json.h"
#include "app/cli/mutation.h"
#include "app/cli/table.h"
#include "app/cli/translation.h"

namespace watukuy::cli {

using namespace Qt::StringLiterals;

namespace {

Error missing(const Arguments &arguments, const QString &option)
{
    return usageError(Text::tr("%1 needs %2").arg(QLatin1StringView(arguments.command->name), option),
                      arguments.command);
}

int answerReplay(Context context, const Result<ActionResult> &result)
{
    const bool isPlain = !context.output.json() || context.arguments.has(u"dry-run"_s) || !result;
    if (isPlain || !result->failed.isEmpty())
        return answerMutation(context, result, Text::tr("replayed"));
    context.output.write(json::object({{"replayed"_L1, json::number(result->done)}}) + '\n');
    return Done;
}

} // namespace

QCoro::Task<int> resetCursorCommand(Context context)
{
    const std::optional<QString> to = context.arguments.optional(u"to"_s);
    if (!to)
        co_return context.output.fail(missing(context.arguments, u"--to CURSOR|null"_s));
    const Snapshot snapshot = context.arguments.has(u"clear-snapshot"_s) ? Snapshot::Clear : Snapshot::Keep;
    co_return co_await administer(
        context, context.arguments.names.constFirst(),
        [cursor = *to, snapshot](Operations &operations, KeyScope scope, Request request) {
            return operations.resetCursor(std::move(scope), cursor, snapshot, std::move(request));
        },
        Text::tr("reset"));
}

QCoro::Task<int> backfillCommand(Context context)
{
    const std::optional<QString> from = context.arguments.optional(u"from"_s);
    if (!from)
        co_return context.output.fail(missing(context.arguments, u"--from CURSOR|null"_s));
    BackfillWish wish{*from, context.arguments.optional(u"to"_s), context.arguments.has(u"force"_s)};
    co_return co_await administer(
        context, context.arguments.names.constFirst(),
        [wish](Operations &operations, KeyScope scope, Request request) {
            return operations.startBackfill(std::move(scope), wish, std::move(request));
        },
        Text::tr("going back"));
}

QCoro::Task<int> cancelBackfillCommand(Context context)
{
    return administer(context, context.arguments.names.constFirst(), std::mem_fn(&Operations::cancelBackfill),
                      Text::tr("cancelled"));
}

QCoro::Task<int> replayCommand(Context context)
{
    const Result<KeyScope> scope = scopeOf(context.arguments, context.arguments.names.constFirst());
    if (!scope)
        co_return context.output.fail(scope.error());
    const Result<std::optional<Instant>> from = context.arguments.time(u"from"_s);
    if (!from)
        co_return context.output.fail(from.error());
    if (!*from)
        co_return context.output.fail(missing(context.arguments, u"--from TIME"_s));
    const Result<std::optional<Instant>> to = context.arguments.time(u"to"_s);
    if (!to)
        co_return context.output.fail(to.error());
    std::optional<WorkspaceDefinition> workspace = readWorkspace(context);
    if (!workspace)
        co_return UsageOrWorkspace;
    Headless headless(std::move(*workspace));
    if (const Result<void> opened = co_await headless.open(headless.allowedAccess()); !opened)
        co_return context.output.fail(opened.error());
    const Request request = requestOf(context.arguments);
    const Result<ActionResult> result = co_await headless.operations().replay(*scope, **from, *to, request);
    co_await headless.close();
    co_return answerReplay(context, result);
}

QCoro::Task<int> auditCommand(Context context)
{
    const Result<std::optional<Instant>> since = context.arguments.time(u"since"_s);
    if (!since)
        co_return context.output.fail(since.error());
    std::optional<WorkspaceDefinition> workspace = readWorkspace(context);
    if (!workspace)
        co_return UsageOrWorkspace;
    Headless headless(std::move(*workspace));
    if (const Result<void> opened = co_await headless.open(headless.allowedAccess()); !opened)
        co_return context.output.fail(opened.error());
    const Result<std::vector<AuditRow>> rows = co_await headless.operations().audit(*since);
    co_await headless.close();
    if (!rows)
        co_return context.output.fail(rows.error());
    if (context.output.json()) {
        std::vector<QByteArray> elements;
        for (const AuditRow &row : *rows)
            elements.push_back(auditJson(row));
        context.output.write(json::array(elements) + '\n');
        co_return Done;
    }
    if (rows->empty()) {
        context.output.line(Text::tr("Nobody has changed anything."));
        co_return Done;
    }
    Table table({Text::tr("WHEN"), Text::tr("WHO"), Text::tr("WHAT"), Text::tr("KEY"), Text::tr("WHY")});
    for (const AuditRow &row : *rows)
        table.add({toRfc3339(row.at), row.who, row.operation, row.key.toString(), row.reason}, Colour::Plain);
    table.print(context.output);
    co_return Done;
}

} // namespace watukuy::cli
