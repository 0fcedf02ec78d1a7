// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/json.h"
#include "app/cli/mutation.h"
#include "app/cli/table.h"
#include "app/cli/translation.h"

namespace watukuy::cli {

using namespace Qt::StringLiterals;

namespace {

void printHeld(Output &output, const std::vector<HeldRow> &rows)
{
    if (rows.empty()) {
        output.line(Text::tr("Nothing is held."));
        return;
    }
    const Instant now = SystemClock().now();
    Table table({Text::tr("ID"), Text::tr("KEY"), Text::tr("ITEM"), Text::tr("WOULD BE"), Text::tr("HELD"),
                 Text::tr("WHY")});
    table.alignRight({0});
    for (const HeldRow &row : rows)
        table.add({QString::number(row.id), row.key.toString(), row.identity, QString(toString(row.type)),
                   relative(row.heldAt, now), row.reason},
                  Colour::Attention);
    table.print(output);
}

QCoro::Task<int> list(Context context, Headless *headless, HeldFilter filter)
{
    std::vector<HeldRow> all;
    for (;;) {
        const Result<std::vector<HeldRow>> rows = co_await headless->operations().held(filter);
        if (!rows)
            co_return context.output.fail(rows.error());
        all.insert(all.end(), rows->begin(), rows->end());
        if (rows->size() < static_cast<size_t>(filter.limit))
            break;
        filter.afterId = rows->back().id;
    }
    if (!context.output.json()) {
        printHeld(context.output, all);
        co_return Done;
    }
    std::vector<QByteArray> elements;
    elements.reserve(all.size());
    for (const HeldRow &row : all)
        elements.push_back(heldJson(row));
    context.output.write(json::array(elements) + '\n');
    co_return Done;
}

} // namespace

QCoro::Task<int> heldCommand(Context context)
{
    const Arguments &arguments = context.arguments;
    const QString action = arguments.names.constFirst();
    if (action != "ls"_L1 && action != "approve"_L1 && action != "discard"_L1)
        co_return context.output.fail(usageError(
            Text::tr("held knows ls, approve and discard, not %1").arg(action), arguments.command));
    const Result<KeyScope> scope = scopeOf(arguments, arguments.names.at(1));
    if (!scope)
        co_return context.output.fail(scope.error());
    const Result<QList<qint64>> ids = arguments.ids();
    if (!ids)
        co_return context.output.fail(ids.error());
    if (const Result<void> chosen = arguments.namesRows(); !chosen && action != "ls"_L1)
        co_return context.output.fail(chosen.error());
    const HeldFilter filter{.poller = scope->poller, .partition = scope->partition, .ids = *ids};

    std::optional<WorkspaceDefinition> workspace = readWorkspace(context);
    if (!workspace)
        co_return UsageOrWorkspace;
    Headless headless(std::move(*workspace));
    if (const Result<void> opened = co_await headless.open(headless.allowedAccess()); !opened)
        co_return context.output.fail(opened.error());
    int code = Done;
    const Request request = requestOf(arguments);
    if (action == "ls"_L1) {
        code = co_await list(context, &headless, filter);
    } else if (action == "approve"_L1) {
        const Result<ActionResult> result = co_await headless.operations().approveHeld(filter, request);
        code = answerMutation(context, result, Text::tr("deleted"));
    } else {
        const Result<ActionResult> result = co_await headless.operations().discardHeld(filter, request);
        code = answerMutation(context, result, Text::tr("kept"));
    }
    co_await headless.close();
    co_return code;
}

} // namespace watukuy::cli
