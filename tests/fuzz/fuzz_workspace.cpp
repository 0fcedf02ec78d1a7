// SPDX-License-Identifier: GPL-3.0-or-later
// Workspace files: what is accepted keeps the promises of the definition, what is refused says where.
#include <algorithm>

#include <QJsonDocument>
#include <QSet>

#include "engine/definition/workspace.h"
#include "engine/json/path.h"
#include "engine/json/rawvalue.h"
#include "tests/fuzz/property.h"

using namespace Qt::StringLiterals;
using namespace watukuy;
using fuzz::require;

namespace {

const QString fileName = u"/nowhere/fuzz.watukuy.json"_s;

void checkErrors(const QByteArray &text, const WorkspaceErrors &errors)
{
    require(!errors.isEmpty(), "a refused workspace has an error");
    const int lines = 1 + static_cast<int>(text.count('\n'));
    const bool isAmbiguous = std::ranges::any_of(
        errors, [](const WorkspaceError &error) { return error.message.endsWith(u"is named twice"_s); });
    int line = 1;
    for (const WorkspaceError &error : errors) {
        require(!error.message.isEmpty(), "an error says what is wrong", {{"pointer", error.pointer}});
        require(error.line >= 1 && error.line <= lines, "an error names a line of the text",
                {{"message", error.message}, {"line", error.line}, {"lines", lines}});
        require(error.line >= line, "errors stand in the order of the text",
                {{"message", error.message}, {"line", error.line}, {"before", line}});
        line = error.line;
        const auto place = json::Path::parse(error.pointer);
        require(place && (error.pointer.isEmpty() || error.pointer.startsWith(u'/')),
                "an error names a place by a JSON Pointer",
                {{"message", error.message}, {"pointer", error.pointer}});
        if (error.pointer.isEmpty() || isAmbiguous)
            continue;
        const auto found = json::find(text, *place);
        require(found && found->has_value(), "the place that an error names is in the text",
                {{"message", error.message}, {"pointer", error.pointer}});
    }
}

void checkBackoff(const BackoffDefinition &backoff)
{
    require(backoff.base > Duration::zero() && backoff.max >= backoff.base, "a backoff grows",
            {{"base", backoff.base.count()}, {"max", backoff.max.count()}});
    require(backoff.factor >= 1 && backoff.factor <= 100, "the factor of a backoff is in its range");
}

void checkRequest(const RequestDefinition &request, const WorkspaceDefinition &workspace)
{
    require(!request.url.isEmpty(), "a request has a url");
    require(!request.method.isEmpty(), "a request has a method");
    require(request.timeout > Duration::zero() && request.maxBytes > 0 && request.cost >= 1,
            "the limits of a request are more than zero",
            {{"timeout", request.timeout.count()}, {"maxBytes", request.maxBytes}, {"cost", request.cost}});
    require(request.credential.isEmpty() || workspace.credentials.contains(request.credential),
            "the credential of a request is there", {{"credential", request.credential}});
}

void checkPaging(const PaginationDefinition &paging)
{
    require(paging.maxPages >= 1 && paging.step >= 1 && paging.start >= 0 && paging.size.value_or(1) >= 1,
            "paging moves on",
            {{"maxPages", paging.maxPages},
             {"step", paging.step},
             {"start", paging.start},
             {"size", paging.size.value_or(1)}});
}

void checkPoller(const PollerDefinition &poller, const WorkspaceDefinition &workspace)
{
    require(!poller.source.isEmpty(), "a poller has a source");
    checkRequest(poller.request, workspace);
    checkPaging(poller.pagination);
    require(!poller.identity.paths.empty() || poller.identity.pattern, "items can be told apart");
    require(poller.schemaVersion >= 1 && poller.maxPagesPerCycle >= 1 && poller.budgetWeight > 0,
            "the counts of a poller are more than zero");
    require(!poller.maxCycleTime || *poller.maxCycleTime > Duration::zero(), "a cycle has time");
    if (poller.reconcile) {
        require(poller.reconcile->every > Duration::zero(), "a reconcile is not always due");
        checkRequest(poller.reconcile->request, workspace);
        require(!poller.reconcile->request.uses(u"cursor."), "a reconcile does not ask from the cursor on");
        checkPaging(poller.reconcile->pagination);
    }
    const ScheduleDefinition &schedule = poller.schedule;
    require(schedule.min > Duration::zero() && schedule.max >= schedule.min, "an interval has a range",
            {{"min", schedule.min.count()}, {"max", schedule.max.count()}});
    require(schedule.jitter >= 0 && schedule.jitter <= 1, "jitter is a share");
    checkBackoff(schedule.backoff);
    require(poller.circuit.failures >= 1 && poller.circuit.probeEvery > Duration::zero(), "a circuit closes");
    const auto budget = workspace.budgets.find(poller.budget);
    require(poller.budget.isEmpty() || budget != workspace.budgets.end(), "the budget of a poller is there");
    require(poller.budget.isEmpty() || poller.request.cost <= budget->second.burst,
            "a request fits into its budget",
            {{"cost", poller.request.cost}, {"burst", budget->second.burst}});
    const DeliverDefinition &deliver = poller.deliver;
    for (const QString &sink : deliver.to)
        require(workspace.sinks.contains(sink), "every sink of a poller is there", {{"sink", sink}});
    require(QSet<QString>(deliver.to.begin(), deliver.to.end()).size() == deliver.to.size(),
            "no sink gets an event twice");
    require(deliver.concurrency >= 1 && deliver.retry.attempts >= 1, "something is delivered");
    checkBackoff(deliver.retry.backoff);
    QSet<QString> keys;
    for (const PartitionDefinition &partition : poller.partitions.list) {
        require(!partition.key.isEmpty() && !keys.contains(partition.key),
                "every partition has a key of its own", {{"key", partition.key}});
        keys.insert(partition.key);
    }
    require(poller.partitions.refresh > Duration::zero(), "partitions are not always read again");
}

void checkAccepted(const QByteArray &text, const WorkspaceDefinition &workspace)
{
    QJsonParseError error;
    (void)QJsonDocument::fromJson(text, &error);
    require(error.error == QJsonParseError::NoError || error.error == QJsonParseError::IllegalNumber,
            "an accepted workspace is JSON", {{"text", text}, {"error", error.errorString()}});
    require(workspace.leaseTtl > workspace.leaseRenewEvery && workspace.leaseRenewEvery > Duration::zero(),
            "a lease is renewed before it ends",
            {{"ttl", workspace.leaseTtl.count()}, {"renewEvery", workspace.leaseRenewEvery.count()}});
    require(workspace.dispatchBatchSize >= 1, "a dispatch takes at least one event");
    for (const auto &[name, budget] : workspace.budgets)
        require(budget.requests >= 1 && budget.per > Duration::zero() && budget.burst >= 1 &&
                    budget.burst <= budget.requests,
                "a budget has something to give", {{"budget", name}});
    QSet<QString> sources;
    for (const auto &[name, poller] : workspace.pollers) {
        require(poller.name == name, "a poller knows its name", {{"poller", name}});
        require(!sources.contains(poller.source), "no two pollers have one source",
                {{"source", poller.source}});
        sources.insert(poller.source);
        checkPoller(poller, workspace);
    }
}

/// The same text some lines further down has the same errors, as many lines further down.
void checkMovedDown(const QByteArray &text, const std::expected<WorkspaceDefinition, WorkspaceErrors> &read)
{
    const auto moved = parseWorkspace("\n\n" + text, fileName);
    require(moved.has_value() == read.has_value(), "empty lines before a workspace do not matter");
    if (read)
        return;
    WorkspaceErrors expected = read.error();
    for (WorkspaceError &error : expected)
        error.line += 2;
    require(moved.error().size() == expected.size(), "two lines further down there are the same errors",
            {{"here", read.error().size()}, {"there", moved.error().size()}});
    for (qsizetype at = 0; at < expected.size(); ++at)
        require(moved.error().at(at) == expected.at(at), "two lines further down there is the same error",
                {{"message", expected.at(at).message},
                 {"line", expected.at(at).line},
                 {"there", moved.error().at(at).message},
                 {"line there", moved.error().at(at).line}});
}

void checkUnits(const QString &text)
{
    if (const auto duration = parseDuration(text))
        require(*duration >= Duration::zero() && *duration <= std::chrono::days{36'500},
                "a duration is in its range", {{"text", text}, {"ms", duration->count()}});
    if (const auto size = parseSize(text))
        require(*size >= 0, "a size is not negative", {{"text", text}, {"bytes", *size}});
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const QByteArray text(reinterpret_cast<const char *>(data), static_cast<qsizetype>(size));
    if (text.size() <= 24)
        checkUnits(QString::fromUtf8(text));
    const auto read = parseWorkspace(text, fileName);
    if (read)
        checkAccepted(text, *read);
    else
        checkErrors(text, read.error());
    if (!text.trimmed().isEmpty() && !text.startsWith("\xEF\xBB\xBF"))
        checkMovedDown(text, read);
    return 0;
}
