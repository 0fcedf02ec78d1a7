// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/engineloop.h"

#include "app/cli/endings.h"
#include "app/cli/translation.h"
#include "engine/api/eventjson.h"

#include <QFileInfo>
#include <QPointer>

namespace watukuy::cli {

using namespace Qt::StringLiterals;

namespace {

/// How long deliveries that are under way may take after the first signal.
constexpr Duration drainLimit = std::chrono::seconds{30};

void printEvent(Output &output, const Event &event)
{
    if (output.json()) {
        output.write(eventJson(event) + '\n');
    } else {
        const Colour colour = event.type == EventType::Deleted   ? Colour::Attention
                              : event.type == EventType::Created ? Colour::Good
                                                                 : Colour::Plain;
        output.line(output.coloured(Colour::Dim, toRfc3339(event.time)) + u' ' + event.key.toString() + u' ' +
                    output.coloured(colour, QString(toString(event.type))) + u' ' + event.subject);
    }
    output.flush(); // people and pipes see it now, not with the next 64 KB
}

void printLog(Output &output, const LogLine &line)
{
    if (line.level < LogLevel::Warning)
        return;
    QString text = toRfc3339(line.at) + u' ';
    if (!line.key.poller.isEmpty())
        text += line.key.toString() + u": "_s;
    output.message(text + line.text);
}

QCoro::Task<Result<void>> start(Headless *headless, Output *output)
{
    return headless->start([output](const LogLine &line) { printLog(*output, line); },
                           [output](const Event &event) { printEvent(*output, event); });
}

/// Opens the store and starts the engine; after an error everything is closed again.
QCoro::Task<Result<void>> begin(Headless *headless, Output *output)
{
    Result<void> begun = co_await headless->open(headless->allowedAccess());
    if (!begun)
        co_return begun;
    begun = co_await start(headless, output);
    if (!begun)
        co_await headless->close();
    co_return begun;
}

/// The workspace as it is in the file now; nothing when the running one has to stay.
std::optional<WorkspaceDefinition> readChanged(Output &output, const QString &file)
{
    std::expected<WorkspaceDefinition, WorkspaceErrors> workspace = loadWorkspace(file);
    if (!workspace) {
        output.message(Text::tr("The workspace was changed but is not valid; the old one goes on:"));
        for (const WorkspaceError &error : workspace.error())
            output.message(spelled(error, file));
        return std::nullopt;
    }
    if (std::holds_alternative<MemoryStoreDefinition>(workspace->store)) {
        output.message(Text::tr(
            "The workspace was changed; it is used at the next start, because its store is in memory."));
        return std::nullopt;
    }
    return std::move(*workspace);
}

} // namespace

QCoro::Task<int> runEngine(Context context, EngineLoop loop)
{
    Output *output = &context.output;
    Endings endings;
    output->onBroken([guard = QPointer(&endings)] {
        if (guard)
            guard->readerGone();
    });
    const QString file = loop.workspace.file;
    const size_t pollers = loop.workspace.pollers.size();
    if (loop.followFile)
        endings.watch(file);
    if (loop.runFor)
        endings.endAfter(*loop.runFor);

    WorkspaceDefinition inUse = std::move(loop.workspace);
    auto headless = std::make_unique<Headless>(inUse);
    if (const Result<void> begun = co_await begin(headless.get(), output); !begun)
        co_return output->fail(begun.error());
    output->message(
        Text::tr("Running %1, pollers: %2. Ctrl-C stops.").arg(QFileInfo(file).fileName()).arg(pollers));

    bool atOnce = false;
    QObject::connect(&endings, &Endings::hurried, &endings, [&] {
        atOnce = true;
        headless->stopNow();
    });
    while (co_await endings.next() == Endings::Reason::FileChanged) {
        std::optional<WorkspaceDefinition> changed = readChanged(*output, file);
        if (!changed)
            continue;
        co_await headless->stop(drainLimit);
        co_await headless->close();
        headless = std::make_unique<Headless>(*changed);
        if (const Result<void> begun = co_await begin(headless.get(), output); !begun) {
            output->message(Text::tr("The workspace was changed but cannot be run; the old one goes on:"));
            output->fail(begun.error());
            headless = std::make_unique<Headless>(inUse);
            if (const Result<void> again = co_await begin(headless.get(), output); !again)
                co_return output->fail(again.error());
            continue;
        }
        inUse = std::move(*changed);
        output->message(Text::tr("The changed workspace is in use."));
    }
    co_await headless->stop(drainLimit);
    co_await headless->close();
    if (!atOnce)
        co_return Done;
    output->message(Text::tr("Stopped at once: what was under way is delivered again at the next start."));
    co_return Failed;
}

} // namespace watukuy::cli
