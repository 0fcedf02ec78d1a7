// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/mutation.h"

#include "app/cli/json.h"
#include "app/cli/translation.h"

#include <QCryptographicHash>

namespace watukuy::cli {

using namespace Qt::StringLiterals;

namespace {

QStringList detailsOf(const ActionResult &result)
{
    QStringList details = result.details;
    for (const ActionResult::Failed &failed : result.failed)
        details.append(failed.key.toString() + u": "_s + failed.error.oneLine());
    return details;
}

/// Two dry runs with one token would do the same.
QByteArray tokenOf(const ActionResult &result)
{
    QStringList sorted = result.details;
    sorted.sort();
    QCryptographicHash hash(QCryptographicHash::Sha256);
    hash.addData(QByteArray::number(result.done) + '\n' + sorted.join(u'\n').toUtf8());
    return hash.result().toHex().first(16);
}

QByteArray dryJson(const ActionResult &result)
{
    return json::object({{"wouldAffect"_L1, json::number(result.done)},
                         {"details"_L1, json::strings(detailsOf(result))},
                         {"token"_L1, '"' + tokenOf(result) + '"'}});
}

QByteArray realJson(const ActionResult &result)
{
    return json::object({{"done"_L1, json::number(result.done)},
                         {"skipped"_L1, json::number(result.skipped)},
                         {"failed"_L1, json::number(result.failed.size())},
                         {"details"_L1, json::strings(detailsOf(result))}});
}

} // namespace

int answerMutation(Context context, const Result<ActionResult> &result, const QString &done)
{
    Output &output = context.output;
    if (!result)
        return output.fail(result.error());

    const bool dry = context.arguments.has(u"dry-run"_s);
    if (output.json()) {
        output.write((dry ? dryJson(*result) : realJson(*result)) + '\n');
    } else {
        for (const QString &detail : result->details)
            output.line(detail);
        output.line(
            dry ? Text::tr("%1 would be %2, %3 skipped.").arg(result->done).arg(done).arg(result->skipped)
                : Text::tr("%1 %2, %3 skipped.").arg(result->done).arg(done).arg(result->skipped));
    }
    int code = Done;
    for (const ActionResult::Failed &failed : result->failed) {
        Error named = failed.error;
        named.title = failed.key.toString() + u": "_s + named.title;
        code = output.fail(named);
    }
    return code;
}

QCoro::Task<int> administer(Context context, QString name, Administration work, QString done)
{
    const Result<KeyScope> scope = scopeOf(context.arguments, name);
    if (!scope)
        co_return context.output.fail(scope.error());
    std::optional<WorkspaceDefinition> workspace = readWorkspace(context);
    if (!workspace)
        co_return UsageOrWorkspace;
    Headless headless(std::move(*workspace));
    if (const Result<void> opened = co_await headless.open(headless.allowedAccess()); !opened)
        co_return context.output.fail(opened.error());

    const Request request = requestOf(context.arguments);
    const Result<ActionResult> result = co_await work(headless.operations(), *scope, request);
    co_await headless.close();
    co_return answerMutation(context, result, done);
}

} // namespace watukuy::cli
