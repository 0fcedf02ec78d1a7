// SPDX-License-Identifier: GPL-3.0-or-later
// Operations that go back in time: cursors, backfill, replay, held changes, the audit log.
#include "engine/api/operations.h"
#include "engine/cursor/strategy.h"
#include "engine/run/deletion.h"
#include "engine/schedule/schedule.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

constexpr int auditRowsAtMost = 100'000;
constexpr int logSlice = 1000;

QString spelled(const LaneCursor &cursor)
{
    return cursor.isInitial() ? u"the beginning"_s : QString::fromUtf8(cursor.json);
}

Result<LaneCursor> cursorOf(const PollerDefinition &poller, const QString &text)
{
    const auto strategy = cursor::makeStrategy(poller.cursor);
    if (!strategy)
        return fail(strategy.error());
    return (*strategy)->fromArgument(text);
}

Error noCursor(const QString &poller, const QString &nextStep)
{
    return {.kind = ErrorKind::Usage,
            .name = u"NoCursorError"_s,
            .title =
                u"Poller \"%1\" lists everything each time: it has no cursor to go back to"_s.arg(poller),
            .detail = {},
            .nextStep = nextStep};
}

ScheduleState dueNow(ScheduleState schedule, Instant now)
{
    schedule.nextDueAt = now;
    return schedule;
}

} // namespace

Result<const PollerDefinition *> Operations::pollerOf(const KeyScope &scope) const
{
    if (auto known = knowsPoller(scope.poller); !known)
        return fail(known.error());
    return &m_workspace.pollers.at(scope.poller);
}

QCoro::Task<Result<ActionResult>> Operations::resetCursor(KeyScope scope, QString cursor, Snapshot snapshot,
                                                          Request request)
{
    const auto poller = pollerOf(scope);
    if (!poller)
        co_return fail(poller.error());
    LaneCursor target;
    if (cursor != u"null") {
        const auto strategy = cursor::makeStrategy((*poller)->cursor);
        if (strategy && (*strategy)->isFullScan())
            co_return fail(
                noCursor(scope.poller, u"\"reset-cursor %1 --to null --clear-snapshot\" makes every "
                                       "item new."_s.arg(scope.poller)));
        auto read = cursorOf(**poller, cursor);
        if (!read)
            co_return fail(read.error());
        target = std::move(*read);
    }
    const bool clears = snapshot == Snapshot::Clear;
    KeyChange change{.skipReason = [](const KeyState &) { return QString(); },
                     .apply =
                         [this, target, clears](KeyState state, AuditRow audit) {
                             audit.after = target.json;
                             return m_store.resetCursor(state.key, target, clears,
                                                        dueNow(state.schedule, audit.at), audit);
                         },
                     .detail =
                         [target, clears](const KeyState &state) {
                             QString text =
                                 u"from %1 to %2"_s.arg(spelled(state.liveCursor), spelled(target));
                             if (clears)
                                 text += u", %1 items forgotten"_s.arg(state.counts.items);
                             return text;
                         }};
    co_return co_await forEachKey(std::move(scope), std::move(request), u"reset-cursor"_s, std::move(change));
}

QCoro::Task<Result<ActionResult>> Operations::startBackfill(KeyScope scope, BackfillWish wish,
                                                            Request request)
{
    const auto poller = pollerOf(scope);
    if (!poller)
        co_return fail(poller.error());
    const auto strategy = cursor::makeStrategy((*poller)->cursor);
    if (strategy && (*strategy)->isFullScan())
        co_return fail(
            noCursor(scope.poller, u"Every cycle sees all items already; \"reset-cursor %1 --to null "
                                   "--clear-snapshot\" emits them again."_s.arg(scope.poller)));
    const auto from = cursorOf(**poller, wish.from);
    if (!from)
        co_return fail(from.error());
    const auto to = wish.to ? cursorOf(**poller, *wish.to) : Result<LaneCursor>{};
    if (!to)
        co_return fail(to.error());
    const auto target = [to = *to](const KeyState &state) { return to.isInitial() ? state.liveCursor : to; };
    KeyChange change{.skipReason =
                         [target](const KeyState &state) {
                             if (state.backfill)
                                 return u"a backfill is under way; cancel it first"_s;
                             return target(state).isInitial()
                                        ? u"was not polled yet: there is nothing to go back from"_s
                                        : QString();
                         },
                     .apply =
                         [this, target, from = *from, force = wish.force](KeyState state, AuditRow audit) {
                             audit.after = from.json;
                             BackfillState backfill{from, target(state), force, audit.at};
                             return m_store.startBackfill(state.key, std::move(backfill), audit);
                         },
                     .detail =
                         [target, from = *from](const KeyState &state) {
                             return u"from %1 to %2"_s.arg(spelled(from), spelled(target(state)));
                         }};
    co_return co_await forEachKey(std::move(scope), std::move(request), u"backfill"_s, std::move(change));
}

QCoro::Task<Result<ActionResult>> Operations::cancelBackfill(KeyScope scope, Request request)
{
    KeyChange change{
        .skipReason =
            [](const KeyState &state) { return state.backfill ? QString() : u"no backfill is under way"_s; },
        .apply = [this](KeyState state, AuditRow audit) { return m_store.cancelBackfill(state.key, audit); },
        .detail =
            [](const KeyState &state) {
                return u"cancelled at %1; what was committed stays"_s.arg(spelled(state.backfillCursor));
            }};
    return forEachKey(std::move(scope), std::move(request), u"cancel-backfill"_s, std::move(change));
}

QCoro::Task<Result<qint64>> Operations::countLogged(LogQuery query)
{
    query.limit = logSlice;
    qint64 count = 0;
    for (;;) {
        auto events = co_await m_store.readLog(query);
        if (!events)
            co_return fail(events.error());
        count += static_cast<qint64>(events->size());
        if (events->size() < static_cast<size_t>(query.limit))
            co_return count;
        query.after = events->back().position;
    }
}

QCoro::Task<Result<ActionResult>> Operations::replay(KeyScope scope, Instant from, std::optional<Instant> to,
                                                     Request request)
{
    if (auto allowed = mayWrite(u"replay"_s); !allowed && request.run == Run::ForReal)
        co_return fail(allowed.error());
    const auto poller = pollerOf(scope);
    if (!poller)
        co_return fail(poller.error());
    if (!(*poller)->logRetention)
        co_return fail(noLog(scope.poller));
    const auto states = co_await keysIn(scope);
    if (!states)
        co_return fail(states.error());
    const Instant now = m_clock.now();
    const Instant end = to.value_or(now);
    ActionResult result;
    for (const KeyState &state : *states) {
        Result<qint64> events;
        if (request.run == Run::Dry) {
            LogQuery query{
                .poller = state.key.poller, .partition = state.key.partition, .from = from, .to = end};
            events = co_await countLogged(std::move(query));
        } else {
            AuditRow row{.at = now,
                         .who = request.who,
                         .operation = u"replay"_s,
                         .key = state.key,
                         .reason = request.reason};
            events = co_await m_store.replay(state.key, from, end, std::move(row));
        }
        if (!events) {
            result.failed.append({state.key, events.error()});
            continue;
        }
        result.done += *events;
        result.details.append(u"%1: %2 events"_s.arg(state.key.toString()).arg(*events));
    }
    co_return result;
}

QCoro::Task<Result<std::vector<HeldRow>>> Operations::held(HeldFilter filter)
{
    if (auto known = knowsPoller(filter.poller); !known)
        co_return fail(known.error());
    co_return co_await m_store.readHeld(std::move(filter));
}

QCoro::Task<Result<ActionResult>> Operations::previewHeld(HeldFilter filter, QString operation)
{
    const auto rows = co_await held(filter);
    if (!rows)
        co_return fail(rows.error());
    ActionResult result;
    result.done = static_cast<qint64>(rows->size());
    for (const HeldRow &row : *rows)
        result.details.append(
            u"%1: %2 %3 of %4"_s.arg(row.id).arg(operation, row.identity, row.key.toString()));
    co_return result;
}

QCoro::Task<Result<ActionResult>> Operations::approveHeld(HeldFilter filter, Request request)
{
    filter.limit = std::numeric_limits<int>::max();
    if (request.run == Run::Dry)
        co_return co_await previewHeld(std::move(filter), u"delete"_s);
    if (auto allowed = mayWrite(u"held approve"_s); !allowed)
        co_return fail(allowed.error());
    const KeyScope scope{filter.poller, filter.partition};
    const auto poller = pollerOf(scope);
    if (!poller)
        co_return fail(poller.error());
    const auto states = co_await keysIn(scope);
    if (!states)
        co_return fail(states.error());
    const auto definition = std::make_shared<const PollerDefinition>(**poller);
    ActionResult result;
    for (const KeyState &state : *states) {
        if (state.counts.held == 0)
            continue;
        HeldFilter ofKey = filter;
        ofKey.partition = state.key.partition;
        const Instant now = m_clock.now();
        AuditRow row{.at = now,
                     .who = request.who,
                     .operation = u"held approve"_s,
                     .key = state.key,
                     .reason = request.reason};
        const auto outcome = co_await m_store.approveHeld(
            std::move(ofKey), makeDeletion(definition, state.key, Lane::Live, now),
            definition->logRetention.has_value(), std::move(row));
        if (!outcome) {
            result.failed.append({state.key, outcome.error()});
            continue;
        }
        result.done += outcome->done;
        result.skipped += outcome->skipped;
    }
    co_return result;
}

QCoro::Task<Result<ActionResult>> Operations::discardHeld(HeldFilter filter, Request request)
{
    filter.limit = std::numeric_limits<int>::max();
    if (request.run == Run::Dry)
        co_return co_await previewHeld(std::move(filter), u"keep"_s);
    if (auto allowed = mayWrite(u"held discard"_s); !allowed)
        co_return fail(allowed.error());
    if (auto known = knowsPoller(filter.poller); !known)
        co_return fail(known.error());
    AuditRow row{.at = m_clock.now(),
                 .who = request.who,
                 .operation = u"held discard"_s,
                 .key = Key{filter.poller, filter.partition.value_or(QString())},
                 .reason = request.reason};
    const auto outcome = co_await m_store.discardHeld(std::move(filter), std::move(row));
    if (!outcome)
        co_return fail(outcome.error());
    ActionResult result;
    result.done = outcome->done;
    result.skipped = outcome->skipped;
    co_return result;
}

QCoro::Task<Result<std::vector<AuditRow>>> Operations::audit(std::optional<Instant> since)
{
    return m_store.readAudit(since, auditRowsAtMost);
}

} // namespace watukuy
