// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/api/operations.h"

#include "engine/api/eventtext.h"
#include "engine/json/objectwriter.h"
#include "engine/model/nearestword.h"
#include "engine/run/partitions.h"
#include "engine/schedule/schedule.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

constexpr int exportSlice = 1000;
constexpr qsizetype mostNamed = 20;

} // namespace

AuditRow auditRow(const QString &operation, const Key &key, const Request &request, Instant now,
                  const KeyState *before)
{
    AuditRow row{.at = now, .who = request.who, .operation = operation, .key = key, .reason = request.reason};
    if (before) {
        row.before = json::ObjectWriter()
                         .flag("paused", before->pause != Pause::None)
                         .number("nextDueAt", toEpochMs(before->schedule.nextDueAt))
                         .latin1("circuit", toString(before->schedule.circuit))
                         .finish();
    }
    return row;
}

Operations::Operations(const WorkspaceDefinition &workspace, StateStore &store, const Clock &clock)
    : m_workspace(workspace)
    , m_store(store)
    , m_clock(clock)
{
}

Result<void> mayWrite(const WorkspaceDefinition &workspace, const QString &operation)
{
    if (!workspace.readOnly)
        return {};
    return fail(
        {.kind = ErrorKind::Refused,
         .name = u"ReadOnlyError"_s,
         .title = u"This workspace is read-only: %1 was not done"_s.arg(operation),
         .detail = workspace.file,
         .nextStep = u"Set \"readOnly\" to false in the workspace if you mean to change its store."_s});
}

Result<void> Operations::mayWrite(const QString &operation) const
{
    return watukuy::mayWrite(m_workspace, operation);
}

Result<void> Operations::knowsPoller(const QString &poller) const
{
    if (poller.isEmpty() || m_workspace.pollers.contains(poller))
        return {};
    QStringList known;
    for (const auto &[name, definition] : m_workspace.pollers)
        known.append(name);
    const QString nearest = nearestWord(poller, known);
    return fail({.kind = ErrorKind::Usage,
                 .name = u"UnknownPollerError"_s,
                 .title = u"There is no poller \"%1\""_s.arg(poller),
                 .detail = u"%1 has: %2"_s.arg(m_workspace.file, known.join(u", "_s)),
                 .nextStep = nearest.isEmpty() ? u"\"watukuy inspect\" lists the pollers."_s
                                               : u"Did you mean \"%1\"?"_s.arg(nearest)});
}

Result<void> knowsPartition(const Key &key, const QStringList &known)
{
    if (known.contains(key.partition))
        return {};
    Error error{.kind = ErrorKind::Usage, .name = u"UnknownPartitionError"_s};
    if (key.partition.isEmpty()) {
        error.title = u"Poller \"%1\" has partitions: name one"_s.arg(key.poller);
        error.nextStep = u"--partition %1"_s.arg(known.value(0));
    } else {
        const QString nearest = nearestWord(key.partition, known);
        error.title = u"Poller \"%1\" has no partition \"%2\""_s.arg(key.poller, key.partition);
        error.nextStep = nearest.isEmpty() ? u"\"watukuy inspect %1\" lists its partitions."_s.arg(key.poller)
                                           : u"Did you mean \"%1\"?"_s.arg(nearest);
    }
    if (known != QStringList{QString()} && !known.isEmpty())
        error.detail =
            u"It has: %1"_s.arg(known.mid(0, mostNamed).join(u", "_s)) +
            (known.size() > mostNamed ? u" and %1 more"_s.arg(known.size() - mostNamed) : QString());
    return fail(std::move(error));
}

QCoro::Task<Result<std::vector<KeyState>>> Operations::keysIn(KeyScope scope)
{
    if (auto isKnown = knowsPoller(scope.poller); !isKnown && !scope.alsoGone)
        co_return fail(isKnown.error());
    auto states = co_await m_store.loadKeys();
    if (!states)
        co_return fail(states.error());
    QStringList known;
    for (const KeyState &state : *states) {
        if (state.key.poller == scope.poller)
            known.append(state.key.partition);
    }
    std::erase_if(*states, [&](const KeyState &state) {
        return (!scope.poller.isEmpty() && state.key.poller != scope.poller) ||
               (scope.partition && state.key.partition != *scope.partition);
    });
    if (auto isKnown = knowsPoller(scope.poller); !isKnown && states->empty())
        co_return fail(isKnown.error());
    if (states->empty() && scope.partition) {
        const auto unknown = knowsPartition({scope.poller, *scope.partition}, known);
        co_return fail(unknown.error());
    }
    co_return std::move(*states);
}

QCoro::Task<Result<std::vector<KeySnapshot>>> Operations::inspect(KeyScope scope)
{
    auto states = co_await keysIn(std::move(scope));
    if (!states)
        co_return fail(states.error());
    std::vector<KeySnapshot> snapshots;
    snapshots.reserve(states->size());
    std::map<QString, PartitionListing> listings;
    for (const KeyState &state : *states) {
        if (!listings.contains(state.key.poller)) {
            auto listing = co_await m_store.readPartitionListing(state.key.poller);
            if (!listing)
                co_return fail(listing.error());
            listings[state.key.poller] = std::move(*listing);
        }
        const auto poller = m_workspace.pollers.find(state.key.poller);
        snapshots.push_back(snapshotOf(state, poller == m_workspace.pollers.end() ? nullptr : &poller->second,
                                       false, QString(), m_clock.now()));
        const auto &error = listings[state.key.poller].lastError;
        if (error && poller != m_workspace.pollers.end() && !areWritten(poller->second.partitions))
            snapshots.back().warnings.append(listingWarning(*error));
    }
    co_return snapshots;
}

QCoro::Task<Result<ActionResult>> Operations::forEachKey(KeyScope scope, Request request, QString operation,
                                                         KeyChange change)
{
    if (auto allowed = mayWrite(operation); !allowed && request.run == Run::ForReal)
        co_return fail(allowed.error());
    auto states = co_await keysIn(std::move(scope));
    if (!states)
        co_return fail(states.error());
    ActionResult result;
    for (const KeyState &state : *states) {
        const QString name = state.key.toString();
        if (const QString why = change.skipReason(state); !why.isEmpty()) {
            ++result.skipped;
            result.details.append(u"%1: %2"_s.arg(name, why));
            continue;
        }
        if (request.run == Run::ForReal) {
            const auto done =
                co_await change.apply(state, auditRow(operation, state.key, request, m_clock.now(), &state));
            if (!done) {
                result.failed.append({state.key, done.error()});
                continue;
            }
        }
        ++result.done;
        result.details.append(u"%1: %2"_s.arg(name, change.detail(state)));
    }
    co_return result;
}

QCoro::Task<Result<ActionResult>> Operations::trigger(KeyScope scope, Request request)
{
    KeyChange change{.skipReason =
                         [](const KeyState &state) {
                             return state.pause == Pause::None ? QString() : u"is paused; resume it first"_s;
                         },
                     .apply =
                         [this](KeyState state, AuditRow audit) {
                             return m_store.triggerKey(
                                 state.key, schedule::afterTrigger(state.schedule, audit.at).state, audit);
                         },
                     .detail = [](const KeyState &) { return u"due now"_s; }};
    return forEachKey(std::move(scope), std::move(request), u"trigger"_s, std::move(change));
}

QCoro::Task<Result<ActionResult>> Operations::pause(KeyScope scope, Request request)
{
    KeyChange change{
        .skipReason =
            [](const KeyState &state) {
                return state.pause == Pause::Operator ? u"is paused already"_s : QString();
            },
        .apply = [this](KeyState state,
                        AuditRow audit) { return m_store.pauseKey(state.key, Pause::Operator, audit); },
        .detail = [](const KeyState &) { return u"paused"_s; }};
    return forEachKey(std::move(scope), std::move(request), u"pause"_s, std::move(change));
}

QCoro::Task<Result<ActionResult>> Operations::resume(KeyScope scope, Request request)
{
    KeyChange change{.skipReason =
                         [](const KeyState &state) {
                             if (state.pause == Pause::PartitionRemoved)
                                 return u"its partition is not listed; it goes on by itself when it is"_s;
                             return state.pause == Pause::None ? u"is not paused"_s : QString();
                         },
                     .apply =
                         [this](KeyState state, AuditRow audit) {
                             // Unlisted, it goes on by itself when it is listed again, and not before.
                             if (!state.partitionData)
                                 return m_store.pauseKey(state.key, Pause::PartitionRemoved, audit);
                             return m_store.resumeKey(
                                 state.key, schedule::afterResume(state.schedule, audit.at).state, audit);
                         },
                     .detail =
                         [](const KeyState &state) {
                             return state.partitionData ? u"resumed, due now"_s
                                                        : u"goes on when its partition is listed again"_s;
                         }};
    return forEachKey(std::move(scope), std::move(request), u"resume"_s, std::move(change));
}

QCoro::Task<Result<std::vector<ParkedRow>>> Operations::parked(ParkedFilter filter)
{
    if (auto known = knowsPoller(filter.poller); !known)
        co_return fail(known.error());
    co_return co_await m_store.readParked(std::move(filter));
}

QCoro::Task<Result<ActionResult>> Operations::bulkParked(ParkedFilter filter, Request request,
                                                         QString operation, ParkedChange change)
{
    if (auto allowed = mayWrite(operation); !allowed && request.run == Run::ForReal)
        co_return fail(allowed.error());
    if (auto known = knowsPoller(filter.poller); !known)
        co_return fail(known.error());
    filter.limit = std::numeric_limits<int>::max();
    ActionResult result;
    if (request.run == Run::Dry) {
        auto rows = co_await m_store.readParked(filter);
        if (!rows)
            co_return fail(rows.error());
        for (const ParkedRow &row : *rows) {
            const bool affected = !change.poisonOnly || row.kind == ParkedKind::Poison;
            ++(affected ? result.done : result.skipped);
            result.details.append(u"%1: %2"_s.arg(row.id).arg(affected ? operation : change.skipReason));
        }
        co_return result;
    }
    const Key key{filter.poller, filter.partition.value_or(QString())};
    auto outcome = co_await change.apply(filter, auditRow(operation, key, request, m_clock.now()));
    if (!outcome)
        co_return fail(outcome.error());
    result.done = outcome->done;
    result.skipped = outcome->skipped;
    if (outcome->skipped > 0)
        result.details.append(u"%1 skipped: %2"_s.arg(outcome->skipped).arg(change.skipReason));
    co_return result;
}

QCoro::Task<Result<ActionResult>> Operations::retryParked(ParkedFilter filter, Request request)
{
    ParkedChange change{
        .apply = [this](ParkedFilter rows, AuditRow audit) { return m_store.retryParked(rows, audit); },
        .poisonOnly = true,
        .skipReason = u"an invalid item comes again with its listing; it cannot be retried"_s};
    return bulkParked(std::move(filter), std::move(request), u"parked retry"_s, std::move(change));
}

QCoro::Task<Result<ActionResult>> Operations::discardParked(ParkedFilter filter, Request request)
{
    ParkedChange change{
        .apply = [this](ParkedFilter rows, AuditRow audit) { return m_store.discardParked(rows, audit); },
        .poisonOnly = false,
        .skipReason = u"is gone already"_s};
    return bulkParked(std::move(filter), std::move(request), u"parked discard"_s, std::move(change));
}

Error Operations::noLog(const QString &poller)
{
    return {.kind = ErrorKind::Usage,
            .name = u"NoLogError"_s,
            .title = u"Poller \"%1\" keeps no event log"_s.arg(poller),
            .detail = {},
            .nextStep = u"Add \"log\": {\"retention\": \"30d\"} to it; events from then on are kept."_s};
}

QCoro::Task<Result<qint64>> Operations::exportEvents(LogQuery query, ExportFormat format,
                                                     std::function<Result<void>(const QByteArray &)> write)
{
    if (auto known = knowsPoller(query.poller); !known)
        co_return fail(known.error());
    const auto poller = m_workspace.pollers.find(query.poller);
    if (poller != m_workspace.pollers.end() && !poller->second.logRetention) {
        co_return fail(noLog(query.poller));
    }
    query.limit = exportSlice;
    qint64 count = 0;
    EventText text(format);
    Result<void> written = write(text.head());
    while (written) {
        auto events = co_await m_store.readLog(query);
        if (!events)
            co_return fail(events.error());
        for (const LoggedEvent &logged : *events) {
            written = write(text.row(logged.event));
            if (!written)
                break;
            ++count;
            query.after = logged.position;
        }
        if (events->size() < static_cast<size_t>(query.limit))
            break;
    }
    if (written)
        written = write(text.tail());
    if (!written)
        co_return fail(written.error());
    co_return count;
}

} // namespace watukuy
