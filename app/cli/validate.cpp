// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/json.h"
#include "app/cli/translation.h"

#include <QFileInfo>

namespace watukuy::cli {

using namespace Qt::StringLiterals;

QCoro::Task<int> validateCommand(Context context)
{
    const Result<QString> file = findWorkspace(context.arguments);
    if (!file && !context.output.json())
        co_return context.output.fail(file.error());
    std::expected<WorkspaceDefinition, WorkspaceErrors> workspace;
    if (file)
        workspace = loadWorkspace(*file);
    else
        workspace =
            std::unexpected(WorkspaceErrors{{QString(), 0, file.error().oneLine(), file.error().nextStep}});
    const WorkspaceErrors errors = workspace ? WorkspaceErrors() : workspace.error();

    if (context.output.json()) {
        std::vector<QByteArray> lines;
        for (const WorkspaceError &error : errors) {
            lines.push_back(json::object({{"pointer"_L1, json::string(error.pointer)},
                                          {"line"_L1, json::number(error.line)},
                                          {"message"_L1, json::string(error.message)},
                                          {"hint"_L1, json::string(error.hint)}}));
        }
        context.output.write(
            json::object({{"ok"_L1, json::boolean(errors.isEmpty())}, {"errors"_L1, json::array(lines)}}) +
            '\n');
        co_return errors.isEmpty() ? Done : UsageOrWorkspace;
    }
    for (const WorkspaceError &error : errors)
        context.output.message(spelled(error, *file));
    if (!errors.isEmpty()) {
        context.output.message(Text::tr("Errors: %1.").arg(errors.size()));
        co_return UsageOrWorkspace;
    }
    context.output.line(Text::tr("%1 is in order, pollers: %2.")
                            .arg(QFileInfo(*file).fileName())
                            .arg(workspace->pollers.size()));
    co_return Done;
}

} // namespace watukuy::cli
