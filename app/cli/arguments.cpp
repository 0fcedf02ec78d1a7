// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"

#include "app/cli/translation.h"
#include "engine/definition/workspace.h"
#include "engine/model/nearestword.h"

#include <algorithm>
#include <array>

#include <QCommandLineParser>

namespace watukuy::cli {

using namespace Qt::StringLiterals;

namespace {

struct OptionSpec {
    const char *name;
    const char *value; ///< "" = a flag
    const char *text;
    bool global = false;
};

const std::array optionSpecs{
    OptionSpec{"workspace", "FILE",
               QT_TRANSLATE_NOOP("Cli", "the workspace; default: the only *.watukuy.json here"), true},
    OptionSpec{"json", "", QT_TRANSLATE_NOOP("Cli", "machine-readable answers on stdout"), true},
    OptionSpec{"for", "DURATION", QT_TRANSLATE_NOOP("Cli", "stop after that time, e.g. 60s")},
    OptionSpec{"max-duration", "DURATION",
               QT_TRANSLATE_NOOP("Cli", "start nothing new after that time (50s)")},
    OptionSpec{"only", "POLLER[/PARTITION]", QT_TRANSLATE_NOOP("Cli", "nothing but this")},
    OptionSpec{"partition", "P", QT_TRANSLATE_NOOP("Cli", "one partition of the poller")},
    OptionSpec{"pages", "N", QT_TRANSLATE_NOOP("Cli", "how many pages to fetch (2)")},
    OptionSpec{"cursor", "C", QT_TRANSLATE_NOOP("Cli", "the API's own text of the cursor, or null")},
    OptionSpec{"reason", "TEXT", QT_TRANSLATE_NOOP("Cli", "why, for the audit log")},
    OptionSpec{"dry-run", "", QT_TRANSLATE_NOOP("Cli", "only say what would happen")},
    OptionSpec{"kind", "poison|invalid", QT_TRANSLATE_NOOP("Cli", "only this kind")},
    OptionSpec{"ids", "A,B", QT_TRANSLATE_NOOP("Cli", "these rows, by the ids that `ls` shows")},
    OptionSpec{"all", "", QT_TRANSLATE_NOOP("Cli", "every row of the poller")},
    OptionSpec{
        "from", "FROM",
        QT_TRANSLATE_NOOP(
            "Cli", "from there: a time (RFC 3339 or epoch ms), or the text of a cursor, where one is meant")},
    OptionSpec{"to", "TO",
               QT_TRANSLATE_NOOP("Cli", "before that time, or, where a cursor is meant, as far as its text")},
    OptionSpec{"since", "TIME", QT_TRANSLATE_NOOP("Cli", "from then on (RFC 3339 or epoch ms)")},
    OptionSpec{"force", "", QT_TRANSLATE_NOOP("Cli", "emit known items again, too")},
    OptionSpec{"clear-snapshot", "",
               QT_TRANSLATE_NOOP("Cli", "forget what was listed: every item is new again")},
    OptionSpec{"format", "jsonl|csv|cloudevents", QT_TRANSLATE_NOOP("Cli", "how events are written (jsonl)")},
    OptionSpec{"output", "FILE",
               QT_TRANSLATE_NOOP("Cli", "write there, readable by you only; default: stdout")},
    OptionSpec{"port", "N", QT_TRANSLATE_NOOP("Cli", "the port on 127.0.0.1; 0 takes a free one")},
    OptionSpec{"folder", "FOLDER",
               QT_TRANSLATE_NOOP("Cli", "keep the demo's files there; default: a temporary folder")},
};

const std::array commands{
    CommandSpec{"run",
                "",
                QT_TRANSLATE_NOOP("Cli", "the engine, until Ctrl-C or SIGTERM (drains, then stops)"),
                0,
                0,
                {u"for"_s}},
    CommandSpec{"tick",
                "",
                QT_TRANSLATE_NOOP("Cli", "one pass over what is due, then exit"),
                0,
                0,
                {u"max-duration"_s, u"only"_s}},
    CommandSpec{
        "inspect", "[POLLER[/PARTITION]]", QT_TRANSLATE_NOOP("Cli", "the state of every key"), 0, 1, {}},
    CommandSpec{"validate", "", QT_TRANSLATE_NOOP("Cli", "check the workspace"), 0, 0, {}},
    CommandSpec{"test",
                "POLLER",
                QT_TRANSLATE_NOOP("Cli", "fetch for real, write nothing, explain what was found"),
                1,
                1,
                {u"partition"_s, u"pages"_s, u"cursor"_s}},
    CommandSpec{"trigger",
                "POLLER",
                QT_TRANSLATE_NOOP("Cli", "make it due now"),
                1,
                1,
                {u"partition"_s, u"reason"_s, u"dry-run"_s}},
    CommandSpec{"pause",
                "POLLER",
                QT_TRANSLATE_NOOP("Cli", "stop polling it"),
                1,
                1,
                {u"partition"_s, u"reason"_s, u"dry-run"_s}},
    CommandSpec{"resume",
                "POLLER",
                QT_TRANSLATE_NOOP("Cli", "poll it again"),
                1,
                1,
                {u"partition"_s, u"reason"_s, u"dry-run"_s}},
    CommandSpec{"parked",
                "ls|retry|discard POLLER",
                QT_TRANSLATE_NOOP("Cli", "events no try could deliver, items that were invalid"),
                2,
                2,
                {u"kind"_s, u"ids"_s, u"all"_s, u"partition"_s, u"reason"_s, u"dry-run"_s}},
    CommandSpec{"held",
                "ls|approve|discard POLLER",
                QT_TRANSLATE_NOOP("Cli", "deletes that the delete guard holds back"),
                2,
                2,
                {u"ids"_s, u"all"_s, u"partition"_s, u"reason"_s, u"dry-run"_s}},
    CommandSpec{"backfill",
                "POLLER",
                QT_TRANSLATE_NOOP("Cli", "list again from an older cursor"),
                1,
                1,
                {u"from"_s, u"to"_s, u"force"_s, u"partition"_s, u"reason"_s, u"dry-run"_s}},
    CommandSpec{"cancel-backfill",
                "POLLER",
                QT_TRANSLATE_NOOP("Cli", "end a backfill; what was committed stays"),
                1,
                1,
                {u"partition"_s, u"reason"_s, u"dry-run"_s}},
    CommandSpec{"replay",
                "POLLER",
                QT_TRANSLATE_NOOP("Cli", "deliver logged events again, under their own ids"),
                1,
                1,
                {u"from"_s, u"to"_s, u"partition"_s, u"reason"_s, u"dry-run"_s}},
    CommandSpec{"reset-cursor",
                "POLLER",
                QT_TRANSLATE_NOOP("Cli", "set where the next cycle begins"),
                1,
                1,
                {u"to"_s, u"clear-snapshot"_s, u"partition"_s, u"reason"_s, u"dry-run"_s}},
    CommandSpec{"partitions",
                "ls|refresh|remove POLLER [PARTITION]",
                QT_TRANSLATE_NOOP("Cli", "the partitions of a poller: list, look for new ones, forget one"),
                2,
                3,
                {u"reason"_s, u"dry-run"_s}},
    CommandSpec{"budgets", "", QT_TRANSLATE_NOOP("Cli", "how far each budget is used up"), 0, 0, {}},
    CommandSpec{"audit", "", QT_TRANSLATE_NOOP("Cli", "who changed what, when and why"), 0, 0, {u"since"_s}},
    CommandSpec{"export",
                "POLLER",
                QT_TRANSLATE_NOOP("Cli", "logged events to a file or stdout"),
                1,
                1,
                {u"from"_s, u"to"_s, u"format"_s, u"output"_s, u"partition"_s}},
    CommandSpec{
        "migrate", "", QT_TRANSLATE_NOOP("Cli", "bring the store to this version"), 0, 0, {u"dry-run"_s}},
    CommandSpec{"demo-api",
                "",
                QT_TRANSLATE_NOOP("Cli", "a small shop API on 127.0.0.1 that changes by itself"),
                0,
                0,
                {u"port"_s, u"for"_s}},
    CommandSpec{"demo",
                "",
                QT_TRANSLATE_NOOP("Cli", "the demo API and an engine that polls it, in one"),
                0,
                0,
                {u"for"_s, u"port"_s, u"folder"_s}},
    CommandSpec{"version", "", QT_TRANSLATE_NOOP("Cli", "the version"), 0, 0, {}},
};

const CommandSpec *findCommand(const QString &name)
{
    const auto found = std::ranges::find_if(
        commands, [&](const CommandSpec &c) { return name == QLatin1StringView(c.name); });
    return found == commands.end() ? nullptr : &*found;
}

Error unknownCommand(const QString &name)
{
    QStringList known;
    for (const CommandSpec &command : commands)
        known.append(QString::fromLatin1(command.name));
    Error error = usageError(Text::tr("unknown command %1").arg(name));
    if (const QString nearest = nearestWord(name, known); !nearest.isEmpty())
        error.nextStep = Text::tr("Did you mean %1? `watukuy --help` lists the commands.").arg(nearest);
    return error;
}

/// Options that are given but that the command does not take.
Result<void> checkOptions(const Arguments &arguments)
{
    for (const OptionSpec &option : optionSpecs) {
        const QString name = QString::fromLatin1(option.name);
        if (option.global || !arguments.has(name) || arguments.command->options.contains(name))
            continue;
        return fail(usageError(
            Text::tr("%1 has no option --%2").arg(QLatin1StringView(arguments.command->name), name),
            arguments.command));
    }
    return {};
}

Result<void> checkNames(const Arguments &arguments)
{
    const CommandSpec &command = *arguments.command;
    if (arguments.names.size() < command.leastNames)
        return fail(
            usageError(Text::tr("%1 needs %2")
                           .arg(QLatin1StringView(command.name), QLatin1StringView(command.parameters)),
                       &command));
    if (arguments.names.size() > command.mostNames)
        return fail(
            usageError(Text::tr("%1 does not know what to do with %2")
                           .arg(QLatin1StringView(command.name), arguments.names.at(command.mostNames)),
                       &command));
    return {};
}

QString optionLine(const OptionSpec &option)
{
    QString left = u"  --"_s + QLatin1StringView(option.name);
    if (*option.value)
        left += u' ' + QLatin1StringView(option.value);
    return left.leftJustified(32) + u' ' + QCoreApplication::translate("Cli", option.text) + u'\n';
}

} // namespace

std::optional<QString> Arguments::optional(const QString &option) const
{
    return has(option) ? std::optional(value(option)) : std::nullopt;
}

bool Arguments::json() const
{
    return has(u"json"_s);
}

Result<Duration> Arguments::duration(const QString &option, Duration otherwise) const
{
    if (!has(option))
        return otherwise;
    if (const std::optional<Duration> parsed = parseDuration(value(option)))
        return *parsed;
    return fail(usageError(
        Text::tr("--%1 %2 is no duration, write for instance 250ms, 20s or 5m").arg(option, value(option)),
        command));
}

Result<std::optional<Instant>> Arguments::time(const QString &option) const
{
    if (!has(option))
        return std::optional<Instant>();
    bool isNumber = false;
    const qint64 ms = value(option).toLongLong(&isNumber);
    if (isNumber)
        return fromEpochMs(ms);
    const QDateTime parsed = QDateTime::fromString(value(option), Qt::ISODateWithMs);
    // Without an offset it would mean another instant on another machine.
    if (parsed.isValid() && parsed.timeSpec() != Qt::LocalTime)
        return fromEpochMs(parsed.toMSecsSinceEpoch());
    return fail(usageError(
        Text::tr("--%1 %2 is no time, write for instance 2026-01-31T09:30:00Z or epoch milliseconds")
            .arg(option, value(option)),
        command));
}

Result<QList<qint64>> Arguments::ids() const
{
    QList<qint64> numbers;
    const QStringList words = value(u"ids"_s).split(u',', Qt::SkipEmptyParts);
    for (const QString &word : words) {
        bool isNumber = false;
        numbers.append(word.trimmed().toLongLong(&isNumber));
        if (!isNumber)
            return fail(usageError(Text::tr("--ids: %1 is no id").arg(word), command));
    }
    if (has(u"ids"_s) && numbers.isEmpty())
        return fail(usageError(Text::tr("--ids names no row"), command));
    return numbers;
}

Result<void> Arguments::namesRows() const
{
    if (has(u"ids"_s) && has(u"all"_s))
        return fail(usageError(Text::tr("--ids and --all exclude each other"), command));
    if (!has(u"ids"_s) && !has(u"all"_s) && !has(u"kind"_s))
        return fail(usageError(Text::tr("say which rows: --ids A,B or --all"), command));
    return {};
}

Result<int> Arguments::number(const QString &option, int otherwise, int least, int most) const
{
    if (!has(option))
        return otherwise;
    bool isNumber = false;
    const int parsed = value(option).toInt(&isNumber);
    if (isNumber && parsed >= least && parsed <= most)
        return parsed;
    return fail(usageError(
        Text::tr("--%1 %2 is no number from %3 to %4").arg(option, value(option)).arg(least).arg(most),
        command));
}

Result<Arguments> parseArguments(const QStringList &words)
{
    QCommandLineParser parser;
    parser.setOptionsAfterPositionalArgumentsMode(QCommandLineParser::ParseAsOptions);
    parser.setSingleDashWordOptionMode(QCommandLineParser::ParseAsLongOptions);
    parser.addOption({{u"h"_s, u"help"_s}, QString()});
    parser.addOption({u"version"_s, QString()});
    for (const OptionSpec &option : optionSpecs)
        parser.addOption({QString::fromLatin1(option.name), QString(), QString::fromLatin1(option.value)});
    if (!parser.parse(QStringList{u"watukuy"_s} + words))
        return fail(usageError(parser.errorText()));

    Arguments arguments;
    arguments.help = parser.isSet(u"help"_s);
    arguments.version = parser.isSet(u"version"_s);
    for (const OptionSpec &option : optionSpecs) {
        const QString name = QString::fromLatin1(option.name);
        const QStringList given = parser.values(name);
        if (given.size() > 1)
            return fail(usageError(Text::tr("--%1 is given twice").arg(name)));
        if (parser.isSet(name))
            arguments.options.insert(name, given.value(0));
    }

    arguments.names = parser.positionalArguments();
    if (arguments.names.isEmpty()) {
        if (arguments.help || arguments.version)
            return arguments;
        return fail(usageError(Text::tr("no command is given")));
    }
    const QString name = arguments.names.takeFirst();
    if (name == "help"_L1) {
        arguments.help = true;
        if (!arguments.names.isEmpty())
            arguments.command = findCommand(arguments.names.constFirst());
        return arguments;
    }
    arguments.command = findCommand(name);
    if (!arguments.command)
        return fail(unknownCommand(name));
    if (arguments.help || arguments.version)
        return arguments;
    if (const Result<void> checked = checkOptions(arguments); !checked)
        return fail(checked.error());
    if (const Result<void> checked = checkNames(arguments); !checked)
        return fail(checked.error());
    return arguments;
}

QString helpText(const CommandSpec *command)
{
    QString text;
    if (command) {
        text +=
            Text::tr("usage: watukuy [--workspace FILE] [--json] %1").arg(QLatin1StringView(command->name));
        if (*command->parameters)
            text += u' ' + QLatin1StringView(command->parameters);
        text += u"\n\n"_s + QCoreApplication::translate("Cli", command->summary) + u"\n\n"_s;
    } else {
        text += Text::tr("usage: watukuy [--workspace FILE] [--json] COMMAND\n\n"
                         "Polls APIs, decides what changed, and hands the changes on.\n\n");
        for (const CommandSpec &known : commands) {
            const QString left =
                u"  "_s + QLatin1StringView(known.name) + u' ' + QLatin1StringView(known.parameters);
            const QString gap = left.size() > 32 ? u'\n' + QString(33, u' ') : u" "_s;
            text += left.leftJustified(32) + gap + QCoreApplication::translate("Cli", known.summary) + u'\n';
        }
        text += u'\n';
    }
    for (const OptionSpec &option : optionSpecs) {
        if (option.global || (command && command->options.contains(QLatin1StringView(option.name))))
            text += optionLine(option);
    }
    if (!command)
        text += Text::tr("\n`watukuy COMMAND --help` shows the options of a command.\n"
                         "Exit codes: 0 done, 1 failed, 2 wrong usage or workspace, 3 refused.\n");
    return text;
}

Error usageError(const QString &title, const CommandSpec *command)
{
    Error error;
    error.kind = ErrorKind::Usage;
    error.name = u"UsageError"_s;
    error.title = title;
    error.nextStep =
        command ? Text::tr("`watukuy %1 --help` shows how to use it.").arg(QLatin1StringView(command->name))
                : Text::tr("`watukuy --help` lists the commands.");
    return error;
}

} // namespace watukuy::cli
