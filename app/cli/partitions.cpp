// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/json.h"
#include "app/cli/mutation.h"
#include "app/cli/table.h"
#include "app/cli/translation.h"

namespace watukuy::cli {

using namespace Qt::StringLiterals;

namespace {

void print(Output &output, const PartitionsView &view)
{
    const Instant now = SystemClock().now();
    if (view.rows.empty()) {
        output.line(Text::tr("No partition is known yet."));
    } else {
        Table table({Text::tr("PARTITION"), Text::tr("STATE"), Text::tr("LISTED"), Text::tr("ITEMS"),
                     Text::tr("DATA")});
        table.alignRight({3});
        for (const PartitionsView::Row &row : view.rows)
            table.add({row.snapshot.key.partition, spelledState(row.snapshot.state),
                       row.isListed ? Text::tr("yes") : Text::tr("no"),
                       QString::number(row.snapshot.counts.items), QString::fromUtf8(row.data).left(60)},
                      row.isListed ? Colour::Plain : Colour::Attention);
        table.print(output);
    }
    if (view.listing.listedAt)
        output.line(Text::tr("Listed %1.").arg(relative(view.listing.listedAt, now)));
    if (view.listing.lastError)
        output.message(Text::tr("The last listing, %1, failed; the partitions of before go on. %2")
                           .arg(relative(view.listing.triedAt, now), view.listing.lastError->oneLine()));
}

int answerList(Context context, const Result<PartitionsView> &view)
{
    if (!view)
        return context.output.fail(view.error());
    if (!context.output.json()) {
        print(context.output, *view);
        return Done;
    }
    std::vector<QByteArray> elements;
    for (const PartitionsView::Row &row : view->rows)
        elements.push_back(partitionJson(row, view->listing));
    context.output.write(json::array(elements) + '\n');
    return Done;
}

Result<void> checkNames(const Arguments &arguments)
{
    const QString &action = arguments.names.constFirst();
    if (action != "ls"_L1 && action != "refresh"_L1 && action != "remove"_L1)
        return fail(usageError(Text::tr("partitions knows ls, refresh and remove, not %1").arg(action),
                               arguments.command));
    const bool namesPartition = arguments.names.size() > 2;
    if (action == "remove"_L1 && !namesPartition)
        return fail(usageError(Text::tr("partitions remove needs POLLER PARTITION"), arguments.command));
    if (action != "remove"_L1 && namesPartition)
        return fail(usageError(
            Text::tr("partitions %1 does not know what to do with %2").arg(action, arguments.names.at(2)),
            arguments.command));
    return {};
}

} // namespace

QCoro::Task<int> partitionsCommand(Context context)
{
    const Arguments &arguments = context.arguments;
    if (const Result<void> named = checkNames(arguments); !named)
        co_return context.output.fail(named.error());
    std::optional<WorkspaceDefinition> workspace = readWorkspace(context);
    if (!workspace)
        co_return UsageOrWorkspace;
    Headless headless(std::move(*workspace));
    if (const Result<void> opened = co_await headless.open(headless.allowedAccess()); !opened)
        co_return context.output.fail(opened.error());
    const QString action = arguments.names.constFirst();
    const QString poller = arguments.names.at(1);
    const Request request = requestOf(arguments);
    int code = Done;
    if (action == "ls"_L1) {
        const Result<PartitionsView> view = co_await headless.operations().partitions(poller);
        code = answerList(context, view);
    } else if (action == "refresh"_L1) {
        const Result<ActionResult> result = co_await headless.refreshPartitions(poller, request);
        code = answerMutation(context, result, Text::tr("changed"));
    } else {
        const Key key{poller, arguments.names.at(2)};
        const Result<ActionResult> result = co_await headless.operations().removePartition(key, request);
        code = answerMutation(context, result, Text::tr("removed"));
    }
    co_await headless.close();
    co_return code;
}

} // namespace watukuy::cli
