// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/run/runner.h"

#include "engine/run/lane.h"
#include "engine/run/wake.h"
#include "engine/schedule/schedule.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

schedule::Settings settingsOf(const PollerDefinition &poller)
{
    return {poller.schedule, poller.circuit};
}

Listing liveListing(const PollerDefinition &poller)
{
    return {poller.request, poller.response, poller.pagination};
}

RunReport skipped(QLatin1StringView why)
{
    RunReport report;
    report.skipped = QString(why);
    return report;
}

RunReport failed(Error error)
{
    RunReport report;
    report.error = std::move(error);
    return report;
}

void note(Cycle *cycle, VisibleState from, VisibleState to, QString cause, QString detail, Duration took = {})
{
    cycle->timeline.push_back(
        {cycle->ports.clock.now(), from, to, std::move(cause), std::move(detail), took});
}

QString summaryLine(const PollSummary &summary)
{
    QString line = u"%1 pages, %2 items, %3 created, %4 updated, %5 deleted"_s.arg(summary.pages)
                       .arg(summary.items)
                       .arg(summary.events.created)
                       .arg(summary.events.updated)
                       .arg(summary.events.deleted);
    if (summary.notModified)
        line += u", not modified"_s;
    if (summary.verdict != Verdict::None)
        line += u", verdict "_s + toString(summary.verdict);
    return line;
}

/// A lane that is not the live one backs off by itself (spec-engine 2).
void laneFailed(Cycle *cycle, LaneSchedule &lane, const Error &error)
{
    if (error.kind == ErrorKind::Cancelled)
        return;
    ++lane.consecutiveFailures;
    lane.lastError = error;
    lane.nextDueAt =
        cycle->ports.clock.now() +
        std::max(cycle->poller->schedule.min,
                 schedule::backoffDelay(lane.consecutiveFailures, cycle->poller->schedule.backoff,
                                        cycle->ports.random.uniform()));
    lane.nextDueAt = std::max(*lane.nextDueAt, error.notBefore.value_or(*lane.nextDueAt));
}

void laneThrottled(Cycle *cycle, LaneSchedule &lane, const LaneOutcome &outcome)
{
    const Instant now = cycle->ports.clock.now();
    const auto next = schedule::afterThrottle(cycle->state.schedule, settingsOf(*cycle->poller),
                                              outcome.retryAfter, outcome.rateLimit, *outcome.throttle, now);
    cycle->state.schedule = next.state;
    lane.lastError = outcome.throttle;
    lane.nextDueAt = next.state.throttledUntil;
    note(cycle, VisibleState::Polling, VisibleState::Throttled, QString(toString(next.reason)),
         outcome.throttle->oneLine());
}

/// The lane's budget has nothing left for now; that is nobody's failure.
void laneDeferred(Cycle *cycle, LaneSchedule &lane, const Error &deferral)
{
    lane.lastError = deferral;
    lane.nextDueAt = deferral.notBefore.value_or(cycle->ports.clock.now() + cycle->poller->schedule.min);
}

void keep(Cycle *cycle, const LaneOutcome &outcome)
{
    if (outcome.deferral && outcome.deferral->kind != ErrorKind::Cancelled)
        cycle->warnings.append({u"budget-timeout"_s, outcome.deferral->oneLine(), u"budget"_s});
    cycle->lanes.push_back(outcome.summary);
    cycle->warnings += outcome.warnings;
    if (outcome.error && !cycle->error)
        cycle->error = outcome.error;
    if (outcome.throttle && !cycle->error)
        cycle->error = outcome.throttle;
}

} // namespace

Runner::Runner(Ports ports, Dispatcher &dispatcher)
    : m_ports(std::move(ports))
    , m_dispatcher(dispatcher)
{
}

QCoro::Task<RunReport> Runner::run(Key key, std::shared_ptr<const PollerDefinition> poller,
                                   std::function<bool()> mayGoOn)
{
    // 1. Is there anything to do?
    auto state = co_await m_ports.store.loadKey(key);
    if (!state)
        co_return failed(state.error());
    if (state->pause != Pause::None)
        co_return skipped(QLatin1StringView("paused"));
    if (!hasWork(*state, *poller, m_ports.clock.now()))
        co_return skipped(QLatin1StringView("not-due"));

    // 2. Acquire the lease.
    auto lease = co_await m_ports.store.acquireLease(key, m_ports.instance, m_ports.workspace.leaseTtl,
                                                     m_ports.clock.now());
    if (!lease)
        co_return failed(lease.error());
    if (!*lease)
        co_return skipped(QLatin1StringView("leased"));
    LeaseKeeper keeper(m_ports.store, m_ports.clock, key, **lease, m_ports.workspace.leaseTtl,
                       m_ports.workspace.leaseRenewEvery);
    state = co_await m_ports.store.loadKey(key);
    auto strategy = cursor::makeStrategy(poller->cursor);
    if (!state || !strategy) {
        co_await keeper.release();
        co_return failed(state ? strategy.error() : state.error());
    }
    Cycle cycle{.ports = m_ports,
                .key = key,
                .partition = {.key = key.partition, .data = state->partitionData.value_or(QByteArray())},
                .poller = poller,
                .strategy = std::move(*strategy),
                .state = std::move(*state),
                .keeper = keeper,
                .mayGoOn = [&keeper, asked = std::move(mayGoOn)] { return !keeper.isPaused() && asked(); },
                .startedAt = m_ports.clock.now()};
    cycle.deliverCommitted = [this, c = &cycle] { return drainOutbox(c); };
    const auto mayFetch = [c = &cycle] { return !c->abandoned && !c->poisonHalt && c->mayGoOn(); };

    // 3. Drain the outbox first.
    co_await drainOutbox(&cycle);
    // 4. Live lane.
    cycle.liveRuns = isLiveDue(cycle.state, *poller, cycle.startedAt) && mayFetch();
    if (cycle.liveRuns)
        co_await liveLane(&cycle);
    // 5. Reconcile lane.
    if (isReconcileDue(cycle.state, *poller, cycle.startedAt) && mayFetch())
        co_await reconcileLane(&cycle);
    // 6. Backfill lane.
    if (isBackfillDue(cycle.state, *poller, cycle.startedAt) && mayFetch())
        co_await backfillLane(&cycle);
    // 7. Persist the schedule and release the lease.
    if (!cycle.abandoned)
        co_await persistSchedule(&cycle);
    co_await keeper.release();

    RunReport report;
    report.lanes = std::move(cycle.lanes);
    report.warnings = std::move(cycle.warnings);
    report.delivered = cycle.delivered;
    report.error = std::move(cycle.error);
    report.deliverAgainAt = cycle.deliverAgainAt;
    report.sinkError = std::move(cycle.sinkError);
    co_return report;
}

QCoro::Task<void> Runner::drainOutbox(Cycle *cycle)
{
    if (cycle->poller->deliver.to.isEmpty() || cycle->abandoned)
        co_return;
    DrainPermit permit{.lease = [keeper = &cycle->keeper] { return keeper->lease(); },
                       .renew = [keeper = &cycle->keeper] { return keeper->renew(); },
                       .mayGoOn = cycle->mayGoOn};
    DrainReport report = co_await m_dispatcher.drain(cycle->poller, cycle->key, std::move(permit));
    cycle->delivered += report.delivered;
    cycle->deliverAgainAt = report.tryAgainAt;
    if (report.sinkError)
        cycle->sinkError = report.sinkError;
    if (!report.error)
        co_return;
    cycle->abandoned = report.error->kind == ErrorKind::LeaseLost;
    cycle->poisonHalt = cycle->poisonHalt || report.error->name == u"PoisonHalt"_s;
    cycle->error = report.error;
}

QCoro::Task<void> Runner::liveLane(Cycle *cycle)
{
    const PollerDefinition &poller = *cycle->poller;
    KeyState &state = cycle->state;
    note(cycle, schedule::visibleState(state, false, cycle->startedAt),
         state.schedule.circuit == Circuit::Closed ? VisibleState::Polling : VisibleState::HalfOpen,
         state.triggeredAt ? u"manual"_s : u"due"_s, {});
    LaneOutcome outcome;
    do {
        LanePlan plan{.lane = Lane::Live,
                      .listing = liveListing(poller),
                      .fullScan = cycle->strategy->isFullScan(),
                      .cursor = state.liveCursor,
                      .scan = state.liveScan,
                      .maxPages = cycle->strategy->isFullScan() ? poller.pagination.maxPages
                                                                : poller.maxPagesPerCycle};
        outcome = co_await runLane(cycle, std::move(plan));
        state.liveCursor = outcome.cursor;
        state.liveScan = outcome.scan;
        keep(cycle, outcome);
    } while (outcome.listAgain && !cycle->abandoned && cycle->mayGoOn());
    // A request that a stop aborted says nothing about the API, nor does a run that asked for nothing.
    const bool askedNothing =
        outcome.summary.pages == 0 && !outcome.error && !outcome.throttle && !outcome.deferral;
    if (cycle->abandoned || (askedNothing && !cycle->poisonHalt) ||
        (outcome.error && outcome.error->kind == ErrorKind::Cancelled))
        co_return;

    cycle->triggerIsAnswered = !outcome.deferral;
    const Instant now = cycle->ports.clock.now();
    const double uniform = cycle->ports.random.uniform();
    schedule::Next next;
    if (outcome.throttle) {
        next = schedule::afterThrottle(state.schedule, settingsOf(poller), outcome.retryAfter,
                                       outcome.rateLimit, *outcome.throttle, now);
    } else if (outcome.deferral) {
        next = schedule::afterDeferral(state.schedule, settingsOf(poller), *outcome.deferral, now);
    } else if (outcome.error || cycle->poisonHalt) {
        next = schedule::afterFailure(state.schedule, settingsOf(poller),
                                      {.error = outcome.error ? *outcome.error : *cycle->error,
                                       .rateLimit = outcome.rateLimit,
                                       .poisonHalt = cycle->poisonHalt},
                                      now, uniform);
    } else {
        next = schedule::afterSuccess(state.schedule, settingsOf(poller),
                                      {.hadEvents = outcome.summary.events.total() > 0,
                                       .notModified = outcome.summary.notModified,
                                       .truncated = outcome.summary.truncated,
                                       .rateLimit = outcome.rateLimit,
                                       .summary = outcome.summary},
                                      now, uniform);
        // Where the listing ended is what the next one goes by when a page has no body.
        next.state.lastPoll->pages = outcome.scanPages;
    }
    state.schedule = next.state;
    state.schedule.lastPollAt = now;
    state.schedule.reason = next.reason;
    const ScheduleReason cause = next.circuitClosed ? ScheduleReason::ProbeSucceeded : next.reason;
    const auto &error = outcome.throttle   ? outcome.throttle
                        : outcome.deferral ? outcome.deferral
                                           : outcome.error;
    note(cycle, VisibleState::Polling, schedule::visibleState(state, false, now), QString(toString(cause)),
         error ? error->oneLine() : summaryLine(outcome.summary), outcome.summary.took);
}

QCoro::Task<void> Runner::reconcileLane(Cycle *cycle)
{
    const ReconcileDefinition &reconcile = *cycle->poller->reconcile;
    LaneSchedule &lane = cycle->state.reconcileSchedule;
    if (!lane.nextDueAt) {
        lane.nextDueAt = cycle->startedAt + reconcile.every;
        co_return;
    }
    LaneOutcome outcome;
    do {
        LanePlan plan{.lane = Lane::Reconcile,
                      .listing = {reconcile.request, reconcile.response, reconcile.pagination},
                      .fullScan = true,
                      .scan = cycle->state.reconcileScan,
                      .maxPages = reconcile.pagination.maxPages};
        outcome = co_await runLane(cycle, std::move(plan));
        cycle->state.reconcileScan = outcome.scan;
        keep(cycle, outcome);
    } while (outcome.listAgain && !cycle->abandoned && cycle->mayGoOn());
    const Instant now = cycle->ports.clock.now();
    if (outcome.throttle)
        co_return laneThrottled(cycle, lane, outcome);
    if (outcome.deferral)
        co_return laneDeferred(cycle, lane, *outcome.deferral);
    if (outcome.error)
        co_return laneFailed(cycle, lane, *outcome.error);
    const bool interrupted = outcome.scan.has_value();
    lane = {.nextDueAt = interrupted ? now : now + reconcile.every,
            .lastCompletedAt = interrupted ? lane.lastCompletedAt : std::optional(now)};
    note(cycle, VisibleState::Polling, VisibleState::Polling, u"reconcile"_s, summaryLine(outcome.summary),
         outcome.summary.took);
}

QCoro::Task<void> Runner::backfillLane(Cycle *cycle)
{
    KeyState &state = cycle->state;
    const BackfillState backfill = *state.backfill;
    const PollerDefinition &poller = *cycle->poller;
    LanePlan plan{.lane = Lane::Backfill,
                  .listing = liveListing(poller),
                  .cursor = state.backfillCursor.isInitial() ? backfill.from : state.backfillCursor,
                  .until = backfill.to,
                  .scan = state.backfillScan,
                  .reemitKnown = backfill.force,
                  .maxPages = poller.maxPagesPerCycle};
    LaneOutcome outcome = co_await runLane(cycle, std::move(plan));
    keep(cycle, outcome);
    state.backfillCursor = outcome.cursor;
    state.backfillScan = outcome.scan;
    if (outcome.throttle)
        co_return laneThrottled(cycle, state.backfillSchedule, outcome);
    if (outcome.deferral)
        co_return laneDeferred(cycle, state.backfillSchedule, *outcome.deferral);
    if (outcome.error)
        co_return laneFailed(cycle, state.backfillSchedule, *outcome.error);
    state.backfillSchedule = {.nextDueAt = cycle->ports.clock.now()};
}

QCoro::Task<void> Runner::persistSchedule(Cycle *cycle)
{
    if (cycle->poisonHalt && !cycle->liveRuns) {
        cycle->state.schedule =
            schedule::afterFailure(cycle->state.schedule, settingsOf(*cycle->poller),
                                   {.error = *cycle->error, .poisonHalt = true}, cycle->ports.clock.now(),
                                   cycle->ports.random.uniform())
                .state;
    }
    SchedulePatch patch{.schedule = cycle->state.schedule,
                        .reconcileSchedule = cycle->state.reconcileSchedule,
                        .backfillSchedule = cycle->state.backfillSchedule,
                        .answeredTrigger = cycle->triggerIsAnswered || cycle->poisonHalt
                                               ? std::optional(cycle->startedAt)
                                               : std::nullopt,
                        .timeline = std::move(cycle->timeline),
                        .now = cycle->ports.clock.now()};
    const Lease lease = cycle->keeper.lease().value_or(Lease{});
    const auto saved = co_await cycle->ports.store.saveState(cycle->key, lease, std::move(patch));
    if (!saved && !cycle->error)
        cycle->error = saved.error();
    cycle->abandoned = !saved && saved.error().kind == ErrorKind::LeaseLost;
}

} // namespace watukuy
