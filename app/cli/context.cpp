// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/context.h"

#include "app/cli/platform.h"
#include "app/cli/translation.h"

#include <QDir>
#include <QFileInfo>
#include <QSysInfo>

namespace watukuy::cli {

using namespace Qt::StringLiterals;

Result<QString> findWorkspace(const Arguments &arguments)
{
    if (const std::optional<QString> named = arguments.optional(u"workspace"_s)) {
        const QFileInfo file(*named);
        if (file.isFile())
            return file.absoluteFilePath();
        Error error = usageError(file.exists() ? Text::tr("the workspace %1 is no file").arg(*named)
                                               : Text::tr("there is no workspace %1").arg(*named));
        error.nextStep = Text::tr("Name an existing file with --workspace.");
        return fail(error);
    }
    const QDir here;
    const QStringList found = here.entryList({u"*.watukuy.json"_s}, QDir::Files | QDir::Hidden, QDir::Name);
    if (found.size() == 1)
        return here.absoluteFilePath(found.constFirst());
    Error error;
    if (found.isEmpty()) {
        error = usageError(Text::tr("there is no *.watukuy.json in %1").arg(here.absolutePath()));
        error.nextStep = Text::tr("Go to the workspace's folder, or name it with --workspace FILE.");
    } else {
        error = usageError(
            Text::tr("there are several workspaces in %1: %2").arg(here.absolutePath(), found.join(u", "_s)));
        error.nextStep = Text::tr("Name one with --workspace FILE.");
    }
    return fail(error);
}

QString spelled(const WorkspaceError &error, const QString &file)
{
    QString text = QDir().relativeFilePath(file);
    if (text.startsWith(u"../"_s))
        text = file;
    if (error.line > 0)
        text += u':' + QString::number(error.line);
    text += u": "_s;
    if (!error.pointer.isEmpty())
        text += error.pointer + u": "_s;
    text += error.message;
    if (!error.hint.isEmpty())
        text += u"\n  "_s + error.hint;
    return text;
}

std::optional<WorkspaceDefinition> readWorkspace(Context context)
{
    const Result<QString> file = findWorkspace(context.arguments);
    if (!file) {
        context.output.fail(file.error());
        return std::nullopt;
    }
    std::expected<WorkspaceDefinition, WorkspaceErrors> workspace = loadWorkspace(*file);
    if (workspace)
        return std::move(*workspace);
    for (const WorkspaceError &error : workspace.error())
        context.output.message(spelled(error, *file));
    return std::nullopt;
}

Result<KeyScope> scopeOf(const Arguments &arguments, const QString &name)
{
    KeyScope scope;
    const qsizetype slash = name.indexOf(u'/'); // poller names have none
    scope.poller = slash < 0 ? name : name.first(slash);
    if (slash >= 0)
        scope.partition = name.sliced(slash + 1);
    if (scope.poller.isEmpty())
        return fail(usageError(Text::tr("the name of the poller is empty"), arguments.command));
    if (const std::optional<QString> partition = arguments.optional(u"partition"_s)) {
        if (scope.partition && *scope.partition != *partition)
            return fail(
                usageError(Text::tr("two partitions are named: %1 and %2").arg(*scope.partition, *partition),
                           arguments.command));
        scope.partition = partition;
    }
    return scope;
}

Request requestOf(const Arguments &arguments)
{
    Request request;
    request.who = userName() + u'@' + QSysInfo::machineHostName();
    request.reason = arguments.value(u"reason"_s);
    request.run = arguments.has(u"dry-run"_s) ? Run::Dry : Run::ForReal;
    return request;
}

std::optional<Error> writeErrorOf(const Output &output)
{
    if (output.writeError().isEmpty())
        return std::nullopt;
    Error error;
    error.kind = ErrorKind::Internal;
    error.name = u"OutputError"_s;
    error.title = Text::tr("the answer could not be written to stdout");
    error.detail = output.writeError();
    error.nextStep = Text::tr("Make room where stdout goes, then ask again.");
    return error;
}

} // namespace watukuy::cli
