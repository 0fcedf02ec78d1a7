// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/json.h"
#include "app/cli/table.h"
#include "app/cli/translation.h"

namespace watukuy::cli {

using namespace Qt::StringLiterals;

namespace {

Colour colourOf(VisibleState state)
{
    switch (state) {
    case VisibleState::Idle:
    case VisibleState::Polling:
        return Colour::Good;
    case VisibleState::CircuitOpen:
        return Colour::Bad;
    case VisibleState::Paused:
        return Colour::Dim;
    default:
        return Colour::Attention;
    }
}

/// What a person should know beyond the table: why it waits, what failed, what to change.
void printNotes(Output &output, const KeySnapshot &key)
{
    const QString name = key.key.toString() + u": "_s;
    if (!key.waitingBecause.isEmpty()) {
        const QString at = key.waitingUntil ? toRfc3339(*key.waitingUntil) : QString();
        const QString when = at.isEmpty()                     ? QString()
                             : key.waitingForCode == "due"_L1 ? Text::tr(", at %1").arg(at)
                                                              : Text::tr(", until %1").arg(at);
        output.line(name + key.waitingBecause + when);
    }
    if (key.schedule.lastError)
        output.line(name + Text::tr("last error: %1").arg(key.schedule.lastError->oneLine()));
    for (const Warning &warning : key.warnings)
        output.line(name + Text::tr("warning: %1 (%2)").arg(warning.message, warning.key));
}

/// A poller without a key would else be missing without a word.
void printUnlisted(Output &output, const std::vector<UnlistedView> &unlisted)
{
    for (const UnlistedView &view : unlisted)
        output.line(
            view.listing.lastError
                ? Text::tr("%1: no partition is known yet; listing them failed: %2")
                      .arg(view.poller, view.listing.lastError->oneLine())
                : Text::tr("%1: no partition is known yet; `watukuy partitions refresh %1` lists them")
                      .arg(view.poller));
}

void print(Output &output, const std::vector<KeySnapshot> &keys, bool isAllThereIs)
{
    if (keys.empty()) {
        if (isAllThereIs)
            output.line(Text::tr("No key has been polled yet: `watukuy tick` makes a first pass."));
        return;
    }
    Table table({Text::tr("KEY"), Text::tr("STATE"), Text::tr("NEXT DUE"), Text::tr("LAST SUCCESS"),
                 Text::tr("LAG"), Text::tr("ITEMS"), Text::tr("OUTBOX"), Text::tr("PARKED"),
                 Text::tr("HELD")});
    table.alignRight({5, 6, 7, 8});
    for (const KeySnapshot &key : keys) {
        table.add({key.key.toString(), spelledState(key.state), relative(dueOf(key), key.takenAt),
                   relative(key.schedule.lastSuccessAt, key.takenAt), key.lag ? spelled(*key.lag) : u"-"_s,
                   QString::number(key.counts.items), QString::number(key.counts.outboxPending),
                   QString::number(key.counts.parked), QString::number(key.counts.held)},
                  colourOf(key.state));
    }
    table.print(output);
    output.line({});
    for (const KeySnapshot &key : keys)
        printNotes(output, key);
}

} // namespace

QCoro::Task<int> inspectCommand(Context context)
{
    KeyScope scope;
    if (!context.arguments.names.isEmpty()) {
        const Result<KeyScope> named = scopeOf(context.arguments, context.arguments.names.constFirst());
        if (!named)
            co_return context.output.fail(named.error());
        scope = *named;
    }
    std::optional<WorkspaceDefinition> workspace = readWorkspace(context);
    if (!workspace)
        co_return UsageOrWorkspace;
    Headless headless(std::move(*workspace));
    if (const Result<void> opened = co_await headless.open(headless.allowedAccess()); !opened)
        co_return context.output.fail(opened.error());
    const Result<std::vector<KeySnapshot>> keys = co_await headless.operations().inspect(scope);
    const Result<std::vector<UnlistedView>> unlisted = co_await headless.operations().unlisted(scope.poller);
    co_await headless.close();
    if (!keys || !unlisted)
        co_return context.output.fail(keys ? unlisted.error() : keys.error());

    if (!context.output.json()) {
        print(context.output, *keys, unlisted->empty());
        printUnlisted(context.output, *unlisted);
        co_return Done;
    }
    std::vector<QByteArray> elements;
    elements.reserve(keys->size());
    for (const KeySnapshot &key : *keys)
        elements.push_back(inspectJson(key));
    context.output.write(json::array(elements) + '\n');
    co_return Done;
}

} // namespace watukuy::cli
