// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/demo/demoshop.h"
#include "app/cli/demo/demoworkspace.h"
#include "app/cli/endings.h"
#include "app/cli/engineloop.h"
#include "app/cli/json.h"
#include "app/cli/translation.h"

#include <QDir>
#include <QTemporaryDir>

namespace watukuy::cli {

using namespace Qt::StringLiterals;

namespace {

constexpr int usualPort = 8765; // the one that resources/demo.watukuy.json names
constexpr int largestPort = 65535;

Error demoError(const QString &title, const QString &detail, const QString &nextStep)
{
    Error error;
    error.kind = ErrorKind::Internal;
    error.name = u"DemoError"_s;
    error.title = title;
    error.detail = detail;
    error.nextStep = nextStep;
    return error;
}

Result<void> startShop(demo::DemoShop &shop, int port)
{
    if (!shop.start(static_cast<quint16>(port)))
        return fail(demoError(Text::tr("the demo API cannot listen on 127.0.0.1:%1").arg(port),
                              shop.errorString(),
                              Text::tr("Take another port with --port, or 0 for a free one.")));
    shop.changeEvery();
    return {};
}

Result<std::optional<Duration>> spanOf(const Arguments &arguments)
{
    if (!arguments.has(u"for"_s))
        return std::optional<Duration>();
    const Result<Duration> span = arguments.duration(u"for"_s, Duration{0});
    if (!span)
        return fail(span.error());
    return *span;
}

} // namespace

QCoro::Task<int> demoApiCommand(Context context)
{
    Output &output = context.output;
    const Result<int> port = context.arguments.number(u"port"_s, usualPort, 0, largestPort);
    if (!port)
        co_return output.fail(port.error());
    const Result<std::optional<Duration>> span = spanOf(context.arguments);
    if (!span)
        co_return output.fail(span.error());

    demo::DemoShop shop;
    if (const Result<void> started = startShop(shop, *port); !started)
        co_return output.fail(started.error());
    const QString url = shop.url().toString();
    if (output.json())
        output.write(json::object({{"url"_L1, json::string(url)}}) + '\n');
    else
        output.line(Text::tr("The demo API is at %1. Ctrl-C ends it.").arg(url));
    output.flush();

    Endings endings;
    if (*span)
        endings.endAfter(**span);
    co_await endings.next();
    co_return Done;
}

QCoro::Task<int> demoCommand(Context context)
{
    Output &output = context.output;
    const Result<int> port = context.arguments.number(u"port"_s, 0, 0, largestPort);
    if (!port)
        co_return output.fail(port.error());
    const Result<std::optional<Duration>> span = spanOf(context.arguments);
    if (!span)
        co_return output.fail(span.error());

    demo::DemoShop shop;
    if (const Result<void> started = startShop(shop, *port); !started)
        co_return output.fail(started.error());
    QTemporaryDir temporary;
    const QString kept = context.arguments.value(u"folder"_s);
    const std::expected<QString, QString> file =
        demo::writeDemoWorkspace(kept.isEmpty() ? temporary.path() : kept, shop.url());
    if (!file)
        co_return output.fail(demoError(Text::tr("the demo workspace cannot be written"), file.error(),
                                        Text::tr("Take another folder with --folder.")));
    std::expected<WorkspaceDefinition, WorkspaceErrors> workspace = loadWorkspace(*file);
    if (!workspace) {
        for (const WorkspaceError &error : workspace.error())
            output.message(spelled(error, *file));
        co_return Failed;
    }
    output.message(Text::tr("The demo API is at %1, the workspace at %2.").arg(shop.url().toString(), *file));
    EngineLoop loop;
    loop.workspace = std::move(*workspace);
    loop.runFor = *span;
    co_return co_await runEngine(context, std::move(loop));
}

} // namespace watukuy::cli
