// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/json.h"
#include "app/cli/stopsignals.h"
#include "app/cli/table.h"
#include "app/cli/translation.h"

namespace watukuy::cli {

using namespace Qt::StringLiterals;

namespace {

QString spelledResult(const TickResult &result)
{
    if (result.error)
        return Text::tr("failed");
    if (result.skipped == "not-due"_L1)
        return Text::tr("not due");
    if (result.skipped == "paused"_L1)
        return Text::tr("paused");
    if (result.skipped == "leased"_L1)
        return Text::tr("leased elsewhere");
    if (result.verdict != Verdict::None)
        return QString(toString(result.verdict));
    return Text::tr("done");
}

Colour colourOf(const TickResult &result)
{
    if (result.error)
        return Colour::Bad;
    return result.skipped.isEmpty() ? Colour::Good : Colour::Dim;
}

void printTable(Output &output, const std::vector<TickResult> &results)
{
    if (results.empty()) {
        output.line(Text::tr("There is nothing to poll."));
        return;
    }
    Table table({Text::tr("KEY"), Text::tr("RESULT"), Text::tr("LANE"), Text::tr("PAGES"), Text::tr("ITEMS"),
                 Text::tr("CREATED"), Text::tr("UPDATED"), Text::tr("DELETED"), Text::tr("DELIVERED"),
                 Text::tr("TOOK")});
    table.alignRight({3, 4, 5, 6, 7, 8, 9});
    for (const TickResult &result : results) {
        table.add({result.key.toString(), spelledResult(result), QString(toString(result.lane)),
                   QString::number(result.pages), QString::number(result.items),
                   QString::number(result.events.created), QString::number(result.events.updated),
                   QString::number(result.events.deleted), QString::number(result.delivered),
                   spelled(result.took)},
                  colourOf(result));
    }
    table.print(output);
}

/// The table first, then why something failed: on a terminal the reason is what stays in sight.
int report(Output &output, const std::vector<TickResult> &results)
{
    if (output.json()) {
        std::vector<QByteArray> elements;
        elements.reserve(results.size());
        for (const TickResult &result : results)
            elements.push_back(tickJson(result));
        output.write(json::array(elements) + '\n');
    } else {
        printTable(output, results);
    }
    output.flush();
    int code = Done;
    for (const TickResult &result : results) {
        const QString name = result.key.toString() + u": "_s;
        for (const Warning &warning : result.warnings)
            output.message(name + Text::tr("warning: %1 (%2)").arg(warning.message, warning.key));
        if (result.sinkError)
            output.message(name + Text::tr("a sink is down, its events wait for the next tick: %1")
                                      .arg(result.sinkError->oneLine()));
        if (!result.error)
            continue;
        Error named = *result.error;
        named.title = name + named.title;
        output.fail(named);
        code = Failed;
    }
    return code;
}

} // namespace

QCoro::Task<int> tickCommand(Context context)
{
    const Result<Duration> longest = context.arguments.duration(u"max-duration"_s, std::chrono::seconds{50});
    if (!longest)
        co_return context.output.fail(longest.error());
    KeyScope only;
    if (context.arguments.has(u"only"_s)) {
        const Result<KeyScope> scope = scopeOf(context.arguments, context.arguments.value(u"only"_s));
        if (!scope)
            co_return context.output.fail(scope.error());
        only = *scope;
    }
    std::optional<WorkspaceDefinition> workspace = readWorkspace(context);
    if (!workspace)
        co_return UsageOrWorkspace;
    Headless headless(std::move(*workspace));
    if (const Result<void> opened = co_await headless.open(headless.allowedAccess()); !opened)
        co_return context.output.fail(opened.error());

    StopSignals signals;
    QObject::connect(&signals, &StopSignals::received, &signals, [&headless](int count) {
        if (count == 1)
            headless.endTick();
        else
            headless.stopNow();
    });
    const Result<std::vector<TickResult>> results = co_await headless.tick(*longest, only);
    co_await headless.close();
    if (!results)
        co_return context.output.fail(results.error());
    co_return report(context.output, *results);
}

} // namespace watukuy::cli
