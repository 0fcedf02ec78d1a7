// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/mutation.h"
#include "app/cli/json.h"
#include "app/cli/table.h"
#include "app/cli/translation.h"

namespace watukuy::cli {

using namespace Qt::StringLiterals;

namespace {

Result<ParkedFilter> filterOf(const Arguments &arguments)
{
    const Result<KeyScope> scope = scopeOf(arguments, arguments.names.at(1));
    if (!scope)
        return fail(scope.error());
    ParkedFilter filter;
    filter.poller = scope->poller;
    filter.partition = scope->partition;
    if (const std::optional<QString> kind = arguments.optional(u"kind"_s)) {
        if (*kind == toString(ParkedKind::Poison))
            filter.kind = ParkedKind::Poison;
        else if (*kind == toString(ParkedKind::Invalid))
            filter.kind = ParkedKind::Invalid;
        else
            return fail(usageError(Text::tr("--kind %1 is neither poison nor invalid").arg(*kind),
                                   arguments.command));
    }
    const Result<QList<qint64>> ids = arguments.ids();
    if (!ids)
        return fail(ids.error());
    filter.ids = *ids;
    return filter;
}

void printParked(Output &output, const std::vector<ParkedRow> &rows)
{
    const Instant now = SystemClock().now();
    if (rows.empty()) {
        output.line(Text::tr("Nothing is parked."));
        return;
    }
    Table table({Text::tr("ID"), Text::tr("KIND"), Text::tr("KEY"), Text::tr("SUBJECT"), Text::tr("TRIES"),
                 Text::tr("PARKED"), Text::tr("WHY")});
    table.alignRight({0, 4});
    for (const ParkedRow &row : rows) {
        QString why = row.error.oneLine();
        if (row.error.title.isEmpty() && !row.issues.isEmpty())
            why = row.issues.constFirst().path + u": "_s + row.issues.constFirst().message;
        table.add({QString::number(row.id), QString(toString(row.kind)), row.key.toString(),
                   row.event ? row.event->subject : u"-"_s, QString::number(row.attempts),
                   relative(row.parkedAt, now), why},
                  Colour::Attention);
    }
    table.print(output);
}

QCoro::Task<Result<std::vector<ParkedRow>>> readAll(Operations *operations, ParkedFilter filter)
{
    std::vector<ParkedRow> all;
    for (;;) {
        Result<std::vector<ParkedRow>> page = co_await operations->parked(filter);
        if (!page)
            co_return fail(page.error());
        all.insert(all.end(), page->begin(), page->end());
        if (page->size() < static_cast<size_t>(filter.limit))
            co_return all;
        filter.afterId = page->back().id;
    }
}

QCoro::Task<int> list(Context context, Headless *headless, ParkedFilter filter)
{
    const Result<std::vector<ParkedRow>> rows = co_await readAll(&headless->operations(), filter);
    if (!rows)
        co_return context.output.fail(rows.error());
    if (!context.output.json()) {
        printParked(context.output, *rows);
        co_return Done;
    }
    std::vector<QByteArray> elements;
    elements.reserve(rows->size());
    for (const ParkedRow &row : *rows)
        elements.push_back(parkedJson(row));
    context.output.write(json::array(elements) + '\n');
    co_return Done;
}

QCoro::Task<int> change(Context context, Headless *headless, ParkedFilter filter, QString action)
{
    const Request request = requestOf(context.arguments);
    if (action == "retry"_L1) {
        const Result<ActionResult> result = co_await headless->operations().retryParked(filter, request);
        co_return answerMutation(context, result, Text::tr("due again"));
    }
    const Result<ActionResult> result = co_await headless->operations().discardParked(filter, request);
    co_return answerMutation(context, result, Text::tr("discarded"));
}

} // namespace

QCoro::Task<int> parkedCommand(Context context)
{
    const QString action = context.arguments.names.constFirst();
    if (action != "ls"_L1 && action != "retry"_L1 && action != "discard"_L1)
        co_return context.output.fail(usageError(
            Text::tr("parked knows ls, retry and discard, not %1").arg(action), context.arguments.command));
    const Result<ParkedFilter> filter = filterOf(context.arguments);
    if (!filter)
        co_return context.output.fail(filter.error());
    if (action != "ls"_L1) {
        if (const Result<void> chosen = context.arguments.namesRows(); !chosen)
            co_return context.output.fail(chosen.error());
    }
    std::optional<WorkspaceDefinition> workspace = readWorkspace(context);
    if (!workspace)
        co_return UsageOrWorkspace;
    Headless headless(std::move(*workspace));
    if (const Result<void> opened = co_await headless.open(headless.allowedAccess()); !opened)
        co_return context.output.fail(opened.error());

    int code = Done;
    if (action == "ls"_L1)
        code = co_await list(context, &headless, *filter);
    else
        code = co_await change(context, &headless, *filter, action);
    co_await headless.close();
    co_return code;
}

} // namespace watukuy::cli
