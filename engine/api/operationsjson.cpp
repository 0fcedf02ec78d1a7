// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/api/headless.h"
#include "engine/api/operations.h"
#include "engine/delivery/envelope.h"
#include "engine/json/canonical.h"
#include "engine/json/objectwriter.h"

namespace watukuy {

using namespace Qt::StringLiterals;
using json::arrayOf;
using json::ObjectWriter;

namespace {

std::optional<qint64> epochMs(const std::optional<Instant> &instant)
{
    return instant ? std::optional(toEpochMs(*instant)) : std::nullopt;
}

QByteArray errorJson(const std::optional<Error> &error)
{
    if (!error)
        return "null";
    return ObjectWriter()
        .text("name", error->name)
        .text("message", error->title)
        .text("detail", error->detail)
        .text("nextStep", error->nextStep)
        .finish();
}

QByteArray leaseJson(const std::optional<Lease> &lease)
{
    if (!lease)
        return "null";
    return ObjectWriter()
        .text("owner", lease->owner)
        .number("epoch", lease->epoch)
        .number("expiresAt", toEpochMs(lease->expiresAt))
        .finish();
}

QByteArray rateLimitJson(const std::optional<RateLimit> &limit)
{
    if (!limit)
        return "null";
    return ObjectWriter()
        .text("source", limit->source)
        .numberOrNull("limit", limit->limit)
        .numberOrNull("remaining", limit->remaining)
        .numberOrNull("resetAt", epochMs(limit->resetAt))
        .finish();
}

QByteArray countsJson(const EventCounts &events)
{
    return ObjectWriter()
        .number("created", events.created)
        .number("updated", events.updated)
        .number("deleted", events.deleted)
        .finish();
}

QByteArray scheduleJson(const ScheduleState &schedule)
{
    return ObjectWriter()
        .number("nextDueAt", toEpochMs(schedule.nextDueAt))
        .number("intervalMs", schedule.interval.count())
        .number("consecutiveFailures", schedule.consecutiveFailures)
        .latin1("circuit", toString(schedule.circuit))
        .numberOrNull("circuitOpenedAt", epochMs(schedule.circuitOpenedAt))
        .numberOrNull("throttledUntil", epochMs(schedule.throttledUntil))
        .raw("rateLimit", rateLimitJson(schedule.rateLimit))
        .numberOrNull("lastPollAt", epochMs(schedule.lastPollAt))
        .raw("lastError", errorJson(schedule.lastError))
        .textOrNull("reason", toString(schedule.reason))
        .finish();
}

QByteArray lastPollJson(const std::optional<PollSummary> &poll)
{
    if (!poll)
        return "null";
    return ObjectWriter()
        .latin1("lane", toString(poll->lane))
        .number("startedAt", toEpochMs(poll->startedAt))
        .number("durationMs", poll->took.count())
        .number("pages", poll->pages)
        .number("items", poll->items)
        .raw("events", countsJson(poll->events))
        .flag("notModified", poll->notModified)
        .flag("truncated", poll->truncated)
        .textOrNull("verdict", toString(poll->verdict))
        .finish();
}

QByteArray warningJson(const Warning &warning)
{
    return ObjectWriter()
        .text("code", warning.code)
        .text("message", warning.message)
        .text("key", warning.key)
        .finish();
}

QByteArray waitingJson(const KeySnapshot &snapshot)
{
    return ObjectWriter()
        .text("what", snapshot.waitingForCode)
        .numberOrNull("until", epochMs(snapshot.waitingUntil))
        .text("because", snapshot.waitingBecause)
        .finish();
}

QByteArray issueJson(const ItemIssue &issue)
{
    return ObjectWriter().text("message", issue.message).text("path", issue.path).finish();
}

QByteArray attemptJson(const AttemptRecord &attempt)
{
    return ObjectWriter()
        .number("at", toEpochMs(attempt.at))
        .text("message", attempt.sink.isEmpty() ? attempt.message : attempt.sink + u": "_s + attempt.message)
        .finish();
}

/// A parked item may be no JSON (a broken line, a NaN inside): then it is shown as a text.
QByteArray itemJson(const QByteArray &item)
{
    return json::canonicalise(item) ? item : json::quoted(QString::fromUtf8(item));
}

} // namespace

QByteArray inspectJson(const KeySnapshot &snapshot)
{
    const QByteArray cursors = ObjectWriter()
                                   .rawOrNull("live", snapshot.liveCursor)
                                   .rawOrNull("backfill", snapshot.backfillCursor)
                                   .rawOrNull("reconcile", snapshot.reconcilePosition.value_or(QByteArray()))
                                   .finish();
    return ObjectWriter(2048)
        .text("poller", snapshot.key.poller)
        .text("partition", snapshot.key.partition)
        .latin1("state", toString(snapshot.state))
        .flag("paused", snapshot.pause != Pause::None)
        .raw("lease", leaseJson(snapshot.lease))
        .raw("cursors", cursors)
        .raw("schedule", scheduleJson(snapshot.schedule))
        .raw("lastPoll", lastPollJson(snapshot.schedule.lastPoll))
        .number("outboxPending", snapshot.counts.outboxPending)
        .number("parked", snapshot.counts.parked)
        .number("held", snapshot.counts.held)
        .number("items", snapshot.counts.items)
        .numberOrNull("lagMs", snapshot.lag ? std::optional(qint64(snapshot.lag->count())) : std::nullopt)
        .raw("waitingFor", waitingJson(snapshot))
        .raw("warnings", arrayOf(snapshot.warnings, warningJson))
        .finish();
}

QByteArray parkedJson(const ParkedRow &row)
{
    const QByteArray error = ObjectWriter()
                                 .text("name", row.error.name)
                                 .text("message", row.error.oneLine())
                                 .raw("history", arrayOf(row.history, attemptJson))
                                 .raw("issues", arrayOf(row.issues, issueJson))
                                 .finish();
    return ObjectWriter(1024)
        .number("id", row.id)
        .text("poller", row.key.poller)
        .text("partition", row.key.partition)
        .latin1("kind", toString(row.kind))
        .raw("event", row.event ? nativeEnvelope(*row.event, row.attempts) : QByteArray("null"))
        .raw("item", row.item.isEmpty() ? QByteArray("null") : itemJson(row.item))
        .raw("error", error)
        .number("attempts", row.attempts)
        .number("parkedAt", toEpochMs(row.parkedAt))
        .flag("holdKey", row.holdKey)
        .finish();
}

QByteArray partitionJson(const PartitionsView::Row &row, const PartitionListing &listing)
{
    return ObjectWriter()
        .text("poller", row.snapshot.key.poller)
        .text("partition", row.snapshot.key.partition)
        .flag("listed", row.isListed)
        .latin1("state", toString(row.snapshot.state))
        .flag("paused", row.snapshot.pause != Pause::None)
        .number("items", row.snapshot.counts.items)
        .rawOrNull("data", row.data)
        .numberOrNull("listedAt", epochMs(listing.listedAt))
        .raw("error", errorJson(listing.lastError))
        .finish();
}

QByteArray budgetJson(const BudgetView &budget)
{
    return ObjectWriter()
        .text("budget", budget.definition.name)
        .number("requests", budget.definition.requests)
        .number("perMs", budget.definition.per.count())
        .number("burst", budget.definition.burst)
        .number("used", budget.used)
        .number("available", budget.available)
        .number("nextFreeAt", toEpochMs(budget.nextFree))
        .raw("pollers", arrayOf(budget.pollers, json::quoted))
        .finish();
}

QByteArray heldJson(const HeldRow &row)
{
    return ObjectWriter()
        .number("id", row.id)
        .text("poller", row.key.poller)
        .text("partition", row.key.partition)
        .text("identity", row.identity)
        .latin1("type", toString(row.type))
        .text("reason", row.reason)
        .number("heldAt", toEpochMs(row.heldAt))
        .finish();
}

QByteArray auditJson(const AuditRow &row)
{
    return ObjectWriter()
        .number("at", toEpochMs(row.at))
        .text("who", row.who)
        .text("operation", row.operation)
        .text("poller", row.key.poller)
        .text("partition", row.key.partition)
        .text("reason", row.reason)
        .rawOrNull("before", row.before)
        .rawOrNull("after", row.after)
        .finish();
}

QByteArray tickJson(const TickResult &result)
{
    return ObjectWriter()
        .text("poller", result.key.poller)
        .text("partition", result.key.partition)
        .latin1("lane", toString(result.lane))
        .textOrNull("verdict", toString(result.verdict))
        .number("pages", result.pages)
        .number("items", result.items)
        .raw("events", countsJson(result.events))
        .number("delivered", result.delivered)
        .number("durationMs", result.took.count())
        .raw("error", errorJson(result.error))
        .textOrNull("skipped", result.skipped)
        .finish();
}

QByteArray testJson(const TestReport &report)
{
    const auto exchangeJson = [](const TestReport::Exchange &exchange) {
        QByteArray headerText = "{";
        for (const auto &[name, value] : exchange.headers) {
            headerText += headerText.size() > 1 ? "," : "";
            headerText += json::quoted(name) + ':' + json::quoted(value);
        }
        return ObjectWriter()
            .text("method", exchange.method)
            .text("url", exchange.url)
            .raw("headers", headerText + '}')
            .number("status", exchange.status)
            .number("durationMs", exchange.took.count())
            .number("bytes", exchange.bytes)
            .finish();
    };
    const auto asIs = [](const QByteArray &raw) { return raw; };
    return ObjectWriter(4096)
        .raw("requests", arrayOf(report.requests, exchangeJson))
        .number("itemCount", report.itemCount)
        .raw("items", arrayOf(report.items, itemJson))
        .raw("identities", arrayOf(report.identities, json::quoted))
        .raw("events", arrayOf(report.events, asIs))
        .rawOrNull("nextCursor", report.nextCursor)
        .textOrNull("verdict", toString(report.verdict))
        .raw("warnings", arrayOf(report.warnings, warningJson))
        .raw("error", errorJson(report.error))
        .finish();
}

} // namespace watukuy
