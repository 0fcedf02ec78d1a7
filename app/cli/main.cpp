// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/platform.h"
#include "app/cli/translation.h"

#include <array>
#include <cstring>

#include <QCoreApplication>
#include <QTimer>

namespace watukuy::cli {

namespace {

using Command = QCoro::Task<int> (*)(Context);

constexpr std::array<std::pair<const char *, Command>, 22> handlers{{
    {"run", runCommand},
    {"tick", tickCommand},
    {"inspect", inspectCommand},
    {"validate", validateCommand},
    {"test", testCommand},
    {"trigger", triggerCommand},
    {"pause", pauseCommand},
    {"resume", resumeCommand},
    {"parked", parkedCommand},
    {"held", heldCommand},
    {"backfill", backfillCommand},
    {"cancel-backfill", cancelBackfillCommand},
    {"replay", replayCommand},
    {"reset-cursor", resetCursorCommand},
    {"partitions", partitionsCommand},
    {"budgets", budgetsCommand},
    {"audit", auditCommand},
    {"export", exportCommand},
    {"migrate", migrateCommand},
    {"demo-api", demoApiCommand},
    {"demo", demoCommand},
    {"version", versionCommand},
}};

Command handlerOf(const char *name)
{
    for (const auto &[known, handler] : handlers) {
        if (std::strcmp(known, name) == 0)
            return handler;
    }
    return nullptr;
}

QCoro::Task<void> answer(Context context)
{
    const Arguments &arguments = context.arguments;
    int code = Done;
    if (arguments.help) {
        context.output.write(helpText(arguments.command).toUtf8());
    } else if (arguments.version) {
        code = co_await versionCommand(context);
    } else {
        code = co_await handlerOf(arguments.command->name)(context);
    }
    context.output.flush();
    if (const std::optional<Error> error = writeErrorOf(context.output))
        code = context.output.fail(*error);
    QCoreApplication::exit(code);
}

} // namespace

} // namespace watukuy::cli

int main(int argc, char *argv[])
{
    using namespace watukuy::cli;
    prepareProcess();
    QCoreApplication app(argc, argv);
    installTranslation(app);
    QCoreApplication::setApplicationName(QStringLiteral("watukuy"));
    QCoreApplication::setApplicationVersion(QStringLiteral(WATUKUY_VERSION));

    const watukuy::Result<Arguments> arguments = parseArguments(QCoreApplication::arguments().sliced(1));
    Output output(arguments && arguments->json());
    if (!arguments)
        return output.fail(arguments.error());
    QTimer::singleShot(0, &app, [&] { answer(Context{*arguments, output}); });
    return QCoreApplication::exec();
}
