// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/run/lanerun.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

/// Full scans beside a timestamp cursor take everything that is listed: an item that the live lane
/// would hold back must not look deleted.
std::shared_ptr<const cursor::CursorStrategy> strategyFor(const LanePlan &plan, const Cycle &cycle)
{
    if (plan.lane != Lane::Reconcile)
        return {std::shared_ptr<void>(), cycle.strategy.get()};
    CursorDefinition definition = cycle.poller->cursor;
    const bool paged = plan.listing.pagination.kind != PagingKind::Keyset;
    if (paged)
        definition.strategy = Strategy::SnapshotDiff;
    definition.lag = Duration::zero();
    definition.overlap = Duration::zero();
    definition.maxAhead = std::chrono::years{1000};
    auto strategy = cursor::makeStrategy(definition);
    if (strategy)
        return std::shared_ptr<const cursor::CursorStrategy>(std::move(*strategy));
    return {std::shared_ptr<void>(), cycle.strategy.get()};
}

} // namespace

LaneRun::LaneRun(Cycle &cycle, LanePlan plan)
    : m_cycle(cycle)
    , m_plan(std::move(plan))
    , m_position(cursor::firstPosition(m_plan.listing.pagination))
{
    m_outcome.cursor = m_plan.cursor;
    m_outcome.summary.lane = m_plan.lane;
    m_outcome.summary.startedAt = m_cycle.ports.clock.now();
    m_resumed = m_plan.scan && m_plan.scan->pages > 0;
    m_strategy = strategyFor(m_plan, m_cycle);
    m_ask = m_strategy->scanStart(m_plan.cursor);
    m_scan = m_plan.scan.value_or(freshScan());
    if (m_resumed && isKeyset()) { // a cursor that moves bounds itself: maxPages is for one run of it
        m_ask = m_scan.from;
        m_scan.pages = 0;
    }
    m_guard = cursor::ProgressGuard({m_scan.milestone, m_scan.lastContent}, m_scan.pages);
    m_position = cursor::PagePosition::fromJson(m_scan.position, m_plan.listing.pagination);
}

QCoro::Task<LaneOutcome> LaneRun::run()
{
    const Duration began = m_cycle.ports.clock.steady();
    while (!m_finished && !m_isCapped && !ended()) {
        if (m_outcome.summary.pages >= m_plan.maxPages || !mayAsk()) {
            m_outcome.summary.truncated = true;
            break;
        }
        const auto &limit = m_cycle.poller->maxCycleTime;
        if (limit && m_outcome.summary.pages > 0 && m_cycle.ports.clock.steady() - began >= *limit) {
            stopAtMostTime();
            break;
        }
        co_await onePage();
        if (auto renewed = co_await m_cycle.keeper.renew(); !renewed)
            abandonOr(renewed.error());
    }
    if (!ended() && m_plan.fullScan)
        co_await closeScan();
    m_outcome.summary.took = m_cycle.ports.clock.steady() - began;
    m_outcome.scanPages = m_scan.pages;
    if (!m_finished && !(m_isCapped && m_plan.fullScan))
        m_outcome.scan = m_scan;
    co_return std::move(m_outcome);
}

PageRequest LaneRun::asked() const
{
    return {m_plan.listing, m_cycle.key, m_plan.lane, m_cycle.partition, askedWith(), m_position};
}

QCoro::Task<void> LaneRun::onePage()
{
    const PageRequest page = asked();
    auto request = requestOf(page, m_cycle.ports.workspace, *m_cycle.strategy, m_cycle.ports.client);
    if (!request) {
        if (!co_await startAfresh())
            m_outcome.error = request.error();
        co_return;
    }
    const QByteArray hash = http::requestHash(*request);
    if (m_guard.wasAsked(hash)) {
        m_outcome.error = repeatedRequest(*request, m_plan.listing);
        co_return;
    }
    m_guard.noteAsked(hash);

    const auto validator = co_await validatorFor(hash);
    const Fetcher fetcher{m_cycle.ports.client, m_cycle.ports.budgets};
    auto fetched = co_await fetchPage(fetcher, share(), std::move(*request), m_plan.listing, validator);
    if (!fetched && isDeferral(fetched.error())) {
        m_outcome.deferral = fetched.error();
        co_return;
    }
    if (!fetched) {
        const int status = fetched.error().httpStatus;
        const bool isPositionRefused = status == 400 || status == 404 || status == 410 || status == 422;
        if (!isPositionRefused || !co_await startAfresh())
            m_outcome.error = fetched.error();
        co_return;
    }
    ++m_outcome.summary.pages;
    ++m_scan.pages;
    m_guard.notePage(hash);
    if (fetched->answer.rateLimit)
        m_outcome.rateLimit = fetched->answer.rateLimit;
    switch (fetched->answer.outcome) {
    case http::Answer::Outcome::Throttled:
        m_outcome.throttle = fetched->answer.throttle;
        m_outcome.retryAfter = fetched->answer.retryAfter;
        break;
    case http::Answer::Outcome::NotModified:
        m_scan.sawUnmodified = true;
        m_outcome.summary.notModified = true;
        co_await passOver();
        break;
    case http::Answer::Outcome::IgnorePage:
        m_listingHasHoles = true;
        m_scan.sawUnstable = true; // for the pieces that are still to come
        co_await passOver();
        break;
    case http::Answer::Outcome::Page:
        co_await takePage(std::move(*fetched), hash);
        break;
    }
}

QCoro::Task<bool> LaneRun::startAfresh()
{
    if (!m_resumed || m_outcome.summary.pages > 0)
        co_return false;
    warn({{u"listing-began-again"_s,
           u"The API no longer knew the place where the listing was to go on; it began again"_s,
           u"pagination"_s}});
    m_resumed = false;
    m_guard = cursor::ProgressGuard();
    m_ask = m_strategy->scanStart(m_plan.cursor);
    m_position = cursor::firstPosition(m_plan.listing.pagination);
    ScanState fresh = freshScan();
    if (m_scan.confirms != 0) {
        fresh.confirms = m_scan.confirms;
        fresh.startedAt = m_scan.startedAt;
    }
    m_scan = std::move(fresh);
    co_await storePlace();
    co_return true;
}

QCoro::Task<void> LaneRun::storePlace()
{
    FetchedPage nothing;
    std::vector<bool> kept;
    QByteArray noRequest;
    co_await commitPage(std::move(nothing), std::move(kept), std::move(noRequest));
}

bool LaneRun::mayAsk() const
{
    const bool isByHand = m_plan.lane == Lane::Live && m_cycle.state.triggeredAt;
    return m_cycle.mayGoOn() &&
           (isByHand || m_cycle.poller->schedule.activeWindows.isActive(m_cycle.ports.clock.now()));
}

BudgetKeeper::Wish LaneRun::share() const
{
    return {.budget = m_cycle.poller->budget,
            .key = m_cycle.key,
            .lane = m_plan.lane,
            .weight = m_cycle.poller->budgetWeight,
            .cost = m_plan.listing.request.cost,
            .mayWait = m_cycle.mayGoOn};
}

ScanState LaneRun::freshScan() const
{
    return {.from = m_strategy->scanStart(m_plan.cursor),
            .watermark = m_plan.cursor,
            .position = cursor::firstPosition(m_plan.listing.pagination).toJson(),
            .startedAt = m_cycle.ports.clock.now()};
}

QCoro::Task<std::optional<http::Validator>> LaneRun::validatorFor(QByteArray hash)
{
    const auto &last = m_cycle.state.schedule.lastPoll;
    const bool askInFull = m_scan.confirms != 0 ||
                           (m_plan.fullScan && last && last->verdict == Verdict::Unmodified) ||
                           m_cycle.state.schemaVersion != m_cycle.poller->schemaVersion;
    if (!usesValidators(m_plan.listing.request) || m_resumed || askInFull || m_plan.lane != Lane::Live)
        co_return std::nullopt;
    const auto row = co_await m_cycle.ports.store.loadValidator(m_cycle.key, hash);
    if (!row || !*row ||
        m_cycle.ports.clock.now() - (*row)->savedAt >= m_plan.listing.request.validatorMaxAge)
        co_return std::nullopt;
    co_return http::Validator{(*row)->etag, (*row)->lastModified};
}

QCoro::Task<void> LaneRun::passOver()
{
    goOnWithoutBody();
    if (!m_finished)
        co_await storePlace();
}

void LaneRun::goOnWithoutBody()
{
    const PagingKind kind = m_plan.listing.pagination.kind;
    const bool numbered = kind == PagingKind::Page || kind == PagingKind::Offset;
    const auto &last = m_cycle.state.schedule.lastPoll;
    const bool wasLastPage = last && !last->truncated && m_scan.pages >= last->pages;
    if (!numbered || wasLastPage || m_scan.pages >= m_plan.listing.pagination.maxPages) {
        m_finished = true;
        return;
    }
    cursor::PageSignals said;
    said.items = m_plan.listing.pagination.size.value_or(1);
    said.hasMore = true;
    said.hasMoreDeclared = true;
    go(cursor::nextStep(m_plan.listing.pagination, m_position, said));
}

void LaneRun::go(const cursor::PagingStep &next)
{
    m_finished = next.finished;
    warn(next.warnings);
    if (m_finished)
        return;
    m_position = next.position;
    const PagingKind kind = m_plan.listing.pagination.kind;
    if (kind == PagingKind::NextUrl || kind == PagingKind::Link)
        m_position.next =
            m_cycle.ports.client.withoutCredential(m_position.next, m_plan.listing.request.credential);
    m_scan.position = m_position.toJson();
}

QCoro::Task<void> LaneRun::takePage(FetchedPage page, QByteArray hash)
{
    const bool isSameAgain = m_guard.isSameAgain(fingerprintOfPage(page.body));
    auto turn = turnPage(page, asked(), isSameAgain, *m_strategy, m_cycle.ports.clock.now());
    if (!turn) {
        m_outcome.error = turn.error();
        co_return;
    }
    std::vector<bool> kept = std::move(turn->moved.kept);
    m_isHoldingBack = !std::ranges::all_of(kept, std::identity{});
    if (m_plan.fullScan)
        kept.assign(kept.size(), true);
    warn(turn->moved.warnings);
    noticeTotal(page.body);

    m_outcome.summary.items += turn->said.items;
    m_scan.items += turn->said.items;
    m_ask = turn->moved.next;
    if (!m_plan.fullScan)
        m_scan.watermark = m_strategy->further(m_scan.watermark, turn->moved.next);
    go(turn->next);
    if (m_scan.pages >= m_plan.listing.pagination.maxPages && !m_finished)
        stopAtMostPages();
    if (isSameAgain) { // its items are known; what it ends is committed
        page.body.items.clear();
        page.body.broken.clear();
        kept.clear();
    }
    stopAtTarget();
    co_await commitPage(std::move(page), std::move(kept), std::move(hash));
}

void LaneRun::stopAtMostPages()
{
    m_isCapped = true;
    m_listingHasHoles = m_plan.fullScan;
    m_outcome.summary.truncated = !m_plan.fullScan;
    warn({{u"max-pages"_s,
           u"The listing did not end within %1 pages"_s.arg(m_plan.listing.pagination.maxPages),
           u"pagination.maxPages"_s}});
}

void LaneRun::stopAtMostTime()
{
    m_isCapped = m_plan.fullScan;
    m_listingHasHoles = m_plan.fullScan;
    m_outcome.summary.truncated = !m_plan.fullScan;
    if (m_plan.fullScan)
        warn({{u"max-cycle-time"_s,
               u"The listing did not end within maxCycleTime, so its deletes cannot be told"_s,
               u"maxCycleTime"_s}});
}

void LaneRun::warn(const QList<cursor::CursorWarning> &warnings)
{
    for (const cursor::CursorWarning &warning : warnings) {
        const bool isKnown = std::ranges::any_of(
            m_outcome.warnings, [&](const Warning &known) { return known.code == warning.code; });
        if (!isKnown)
            m_outcome.warnings.append({warning.code, warning.message, warning.key});
    }
}

void LaneRun::noticeTotal(const json::PageBody &body)
{
    if (!body.total)
        return;
    bool isNumber = false;
    const qint64 total = body.total->scalarText().toLongLong(&isNumber);
    if (!isNumber)
        return;
    if (m_scan.total && *m_scan.total != total) {
        m_scan.sawUnstable = true;
        if (m_plan.fullScan)
            warn(
                {{u"total-changed"_s,
                  u"The total changed from %1 to %2 while the listing was read, so its deletes cannot be told"_s
                      .arg(*m_scan.total)
                      .arg(total),
                  u"response.total"_s}});
    }
    m_scan.total = m_scan.total.value_or(total);
}

void LaneRun::stopAtTarget()
{
    if (m_plan.until && m_finished)
        m_outcome.reachedTarget = true;
    // A page may go past the target without standing at it.
    if (m_plan.until && m_strategy->further(m_scan.watermark, *m_plan.until) == m_scan.watermark) {
        m_outcome.reachedTarget = true;
        m_finished = true;
    }
}

void LaneRun::noticeUnstable(const QString &identity)
{
    m_scan.sawUnstable = true;
    warn({{u"unstable-identity"_s,
           u"%1 was listed twice with different content; the first listing counts"_s.arg(identity),
           u"identity"_s}});
}

void LaneRun::abandonOr(const Error &error)
{
    if (error.kind == ErrorKind::LeaseLost)
        m_cycle.abandoned = true;
    m_outcome.error = error;
}

QCoro::Task<LaneOutcome> runLane(Cycle *cycle, LanePlan plan)
{
    LaneRun lane(*cycle, std::move(plan));
    co_return co_await lane.run();
}

} // namespace watukuy
