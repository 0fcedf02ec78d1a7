// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/table.h"
#include "app/cli/translation.h"

#include <algorithm>

namespace watukuy::cli {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype shownSamples = 3;
constexpr qsizetype shownIdentities = 10;
constexpr qsizetype longestSample = 400;

QString shortened(const QByteArray &raw)
{
    const QString text = QString::fromUtf8(raw).simplified();
    return text.size() <= longestSample ? text : text.first(longestSample) + u" ..."_s;
}

void title(Output &output, const QString &text)
{
    output.line({});
    output.line(output.coloured(Colour::Bold, text));
}

void printExchange(Output &output, const TestReport::Exchange &exchange)
{
    output.line(u"  "_s + exchange.method + u' ' + exchange.url);
    for (const auto &[name, value] : exchange.headers)
        output.line(output.coloured(Colour::Dim, u"    "_s + name + u": "_s + value));
    if (exchange.status == 0) { // no answer, or one that is no page: the error at the end says which
        output.line(u"    "_s + output.coloured(Colour::Bad, Text::tr("failed")));
        return;
    }
    const bool good = exchange.status < 400;
    output.line(u"    "_s + output.coloured(good ? Colour::Good : Colour::Bad,
                                            Text::tr("%1, %2 in %3")
                                                .arg(exchange.status)
                                                .arg(spelledSize(exchange.bytes), spelled(exchange.took))));
}

void printSamples(Output &output, const std::vector<QByteArray> &samples, qint64 all)
{
    const auto shown = std::min<qsizetype>(shownSamples, static_cast<qsizetype>(samples.size()));
    for (qsizetype i = 0; i < shown; ++i)
        output.line(u"  "_s + shortened(samples[static_cast<size_t>(i)]));
    if (const qint64 more = all - shown; more > 0)
        output.line(output.coloured(Colour::Dim, Text::tr("  and %1 more").arg(more)));
}

void print(Output &output, const QString &poller, const TestReport &report)
{
    output.line(Text::tr("A real fetch for %1. Nothing is written, nothing is delivered.").arg(poller));
    title(output, Text::tr("Requests: %1").arg(report.requests.size()));
    for (const TestReport::Exchange &exchange : report.requests)
        printExchange(output, exchange);

    if (!report.lastAnswer.isEmpty()) {
        title(output, Text::tr("The last answer begins with"));
        output.line(u"  "_s + shortened(report.lastAnswer.toUtf8()));
    }
    title(output, Text::tr("Items found: %1").arg(report.itemCount));
    printSamples(output, report.items, report.itemCount);
    title(output, Text::tr("Identities"));
    const QStringList identities =
        report.identities.first(std::min(shownIdentities, report.identities.size()));
    if (identities.isEmpty())
        output.line(Text::tr("  none"));
    else
        output.line(u"  "_s + identities.join(u", "_s) +
                    (report.identities.size() > identities.size() ? u", ..."_s : QString()));
    title(output, Text::tr("Events that a cycle would emit now: %1").arg(report.events.size()));
    if (report.events.empty())
        output.line(Text::tr("  none"));
    printSamples(output, report.events, static_cast<qint64>(report.events.size()));
    title(output, Text::tr("Next cursor"));
    output.line(u"  "_s + (report.nextCursor.isEmpty() ? u"null"_s : QString::fromUtf8(report.nextCursor)));
    if (report.verdict == Verdict::Truncated && !report.error)
        output.line(Text::tr("The listing goes on after these pages; --pages fetches more of it."));
    else if (report.verdict != Verdict::None)
        output.line(Text::tr("Verdict of the listing: %1").arg(QString(toString(report.verdict))));

    title(output, Text::tr("Warnings: %1").arg(report.warnings.size()));
    for (const Warning &warning : report.warnings)
        output.line(u"  "_s + output.coloured(Colour::Attention, warning.message) + u" ("_s + warning.code +
                    (warning.key.isEmpty() ? QString() : u", "_s + warning.key) + u')');
}

} // namespace

QCoro::Task<int> testCommand(Context context)
{
    const Result<KeyScope> scope = scopeOf(context.arguments, context.arguments.names.constFirst());
    if (!scope)
        co_return context.output.fail(scope.error());
    const Result<int> pages = context.arguments.number(u"pages"_s, 2, 1, 1000);
    if (!pages)
        co_return context.output.fail(pages.error());
    std::optional<WorkspaceDefinition> workspace = readWorkspace(context);
    if (!workspace)
        co_return UsageOrWorkspace;
    Headless headless(std::move(*workspace));
    const Result<void> opened = co_await headless.open(StoreAccess::Read);
    if (!opened && opened.error().name != "StoreMissing"_L1)
        context.output.message(
            Text::tr("The store cannot be read, so this is what a first cycle would do: %1")
                .arg(opened.error().oneLine()));
    if (!opened) {
        if (const Result<void> inMemory = co_await headless.openInMemory(); !inMemory)
            co_return context.output.fail(inMemory.error());
    }

    const QString partition = scope->partition.value_or(QString());
    const std::optional<QString> cursor = context.arguments.optional(u"cursor"_s);
    const Result<TestReport> report = co_await headless.test(scope->poller, partition, *pages, cursor);
    co_await headless.close();
    if (!report)
        co_return context.output.fail(report.error());
    if (context.output.json())
        context.output.write(testJson(*report) + '\n');
    else
        print(context.output, scope->poller, *report);
    context.output.flush();
    co_return report->error ? context.output.fail(*report->error) : static_cast<int>(Done);
}

} // namespace watukuy::cli
