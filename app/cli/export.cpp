// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/translation.h"

#include <QFile>
#include <QSaveFile>

namespace watukuy::cli {

using namespace Qt::StringLiterals;

namespace {

Result<ExportFormat> formatOf(const Arguments &arguments)
{
    const QString word = arguments.has(u"format"_s) ? arguments.value(u"format"_s) : u"jsonl"_s;
    if (word == "jsonl"_L1)
        return ExportFormat::JsonLines;
    if (word == "csv"_L1)
        return ExportFormat::Csv;
    if (word == "cloudevents"_L1)
        return ExportFormat::CloudEvents;
    return fail(
        usageError(Text::tr("--format %1 is none of jsonl, csv, cloudevents").arg(word), arguments.command));
}

Result<LogQuery> queryOf(const Arguments &arguments)
{
    const Result<KeyScope> scope = scopeOf(arguments, arguments.names.constFirst());
    if (!scope)
        return fail(scope.error());
    const Result<std::optional<Instant>> from = arguments.time(u"from"_s);
    if (!from)
        return fail(from.error());
    const Result<std::optional<Instant>> to = arguments.time(u"to"_s);
    if (!to)
        return fail(to.error());
    LogQuery query;
    query.poller = scope->poller;
    query.partition = scope->partition;
    query.from = *from;
    query.to = *to;
    return query;
}

Error fileError(const QSaveFile &file)
{
    Error error;
    error.kind = ErrorKind::Internal;
    error.name = u"OutputError"_s;
    error.title = Text::tr("the export could not be written to %1").arg(file.fileName());
    error.detail = file.errorString();
    error.nextStep = Text::tr("Nothing was left behind there. Check the folder and the space on it.");
    return error;
}

Error readerGone()
{
    Error error;
    error.kind = ErrorKind::Cancelled;
    error.name = u"ReaderGone"_s;
    error.title = Text::tr("stdout takes no more");
    return error;
}

QCoro::Task<int> exportToStdout(Context context, Operations *operations, LogQuery query, ExportFormat format)
{
    Output *output = &context.output;
    const auto write = [output](const QByteArray &bytes) -> Result<void> {
        output->write(bytes);
        if (output->readerGone() || !output->writeError().isEmpty())
            return fail(readerGone());
        return {};
    };
    const Result<qint64> written = co_await operations->exportEvents(query, format, write);
    const bool stopped = output->readerGone() || !output->writeError().isEmpty();
    if (!written && !stopped) // main() says why stdout took no more
        co_return output->fail(written.error());
    co_return Done;
}

QCoro::Task<int> exportToFile(Context context, Operations *operations, LogQuery query, ExportFormat format,
                              QString name)
{
    // Replaced in one step at the end: a reader sees the old file or the whole new one.
    const auto file = std::make_shared<QSaveFile>(name);
    if (!file->open(QIODevice::WriteOnly) || !file->setPermissions(QFile::ReadOwner | QFile::WriteOwner))
        co_return context.output.fail(fileError(*file));
    const auto write = [file](const QByteArray &bytes) -> Result<void> {
        if (file->write(bytes) != bytes.size())
            return fail(fileError(*file));
        return {};
    };
    const Result<qint64> written = co_await operations->exportEvents(query, format, write);
    if (!written)
        co_return context.output.fail(written.error());
    if (!file->commit())
        co_return context.output.fail(fileError(*file));
    context.output.message(Text::tr("%1 events written to %2.").arg(*written).arg(name));
    co_return Done;
}

} // namespace

QCoro::Task<int> exportCommand(Context context)
{
    const Result<ExportFormat> format = formatOf(context.arguments);
    if (!format)
        co_return context.output.fail(format.error());
    const Result<LogQuery> query = queryOf(context.arguments);
    if (!query)
        co_return context.output.fail(query.error());
    std::optional<WorkspaceDefinition> workspace = readWorkspace(context);
    if (!workspace)
        co_return UsageOrWorkspace;
    Headless headless(std::move(*workspace));
    if (const Result<void> opened = co_await headless.open(headless.allowedAccess()); !opened)
        co_return context.output.fail(opened.error());

    Operations *operations = &headless.operations();
    const QString file = context.arguments.value(u"output"_s);
    int code = Done;
    if (file.isEmpty() || file == "-"_L1)
        code = co_await exportToStdout(context, operations, *query, *format);
    else
        code = co_await exportToFile(context, operations, *query, *format, file);
    co_await headless.close();
    co_return code;
}

} // namespace watukuy::cli
