// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/json.h"
#include "app/cli/table.h"
#include "app/cli/translation.h"

namespace watukuy::cli {

using namespace Qt::StringLiterals;

namespace {

void print(Output &output, const std::vector<BudgetView> &budgets)
{
    if (budgets.empty()) {
        output.line(Text::tr("The workspace has no budget."));
        return;
    }
    const Instant now = SystemClock().now();
    Table table({Text::tr("BUDGET"), Text::tr("ALLOWS"), Text::tr("USED"), Text::tr("FREE NOW"),
                 Text::tr("NEXT FREE"), Text::tr("POLLERS")});
    table.alignRight({2, 3});
    for (const BudgetView &budget : budgets)
        table.add({budget.definition.name,
                   Text::tr("%1 in %2").arg(budget.definition.requests).arg(spelled(budget.definition.per)),
                   QString::number(budget.used), QString::number(budget.available),
                   relative(budget.nextFree, now), budget.pollers.join(u", "_s)},
                  Colour::Plain);
    table.print(output);
}

} // namespace

QCoro::Task<int> budgetsCommand(Context context)
{
    std::optional<WorkspaceDefinition> workspace = readWorkspace(context);
    if (!workspace)
        co_return UsageOrWorkspace;
    Headless headless(std::move(*workspace));
    if (const Result<void> opened = co_await headless.open(headless.allowedAccess()); !opened)
        co_return context.output.fail(opened.error());
    const Result<std::vector<BudgetView>> budgets = co_await headless.operations().budgets();
    co_await headless.close();
    if (!budgets)
        co_return context.output.fail(budgets.error());
    if (!context.output.json()) {
        print(context.output, *budgets);
        co_return Done;
    }
    std::vector<QByteArray> elements;
    for (const BudgetView &budget : *budgets)
        elements.push_back(budgetJson(budget));
    context.output.write(json::array(elements) + '\n');
    co_return Done;
}

} // namespace watukuy::cli
