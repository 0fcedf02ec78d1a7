// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/run/budgetkeeper.h"

#include <algorithm>

#include "engine/definition/workspace.h"
#include "engine/model/bell.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

/// A share that is older than this when its request leaves counts from then on.
constexpr Duration freshFor{50};
/// The longest that an answer's delay is taken for the way of its request.
constexpr Duration longestWay{1000};
/// A promised share that nobody has claimed for so long is anybody's.
constexpr Duration promiseHolds{2000};

/// A wait that this side ended: it goes on with the next cycle, at once.
Error ended(const QString &budget, Instant now)
{
    return {.kind = ErrorKind::Cancelled,
            .name = u"BudgetWaitEnded"_s,
            .title = u"The wait for the budget %1 was ended"_s.arg(budget),
            .retryable = true,
            .notBefore = now};
}

} // namespace

struct BudgetKeeper::Waiter {
    Wish wish;
    qint64 replaces = 0;
    Duration deadline{0}; ///< monotonic
    std::optional<Result<Share>> answer;
    Bell answered;

    explicit Waiter(QObject *context)
        : answered(context)
    {
    }
};

/// A budget, and everybody who wants some of it. Times are monotonic.
struct BudgetKeeper::Line {
    /// A share for one who was sent away until then.
    struct Promise {
        Key key;
        Lane lane = Lane::Live;
        qint64 cost = 1;
        Duration at{0};
    };

    BudgetDefinition definition;
    std::vector<budget::Window> windows;
    std::vector<budget::Use> uses; ///< of this process, in order of time
    std::vector<Promise> promises; ///< in order of time
    budget::FairQueue queue;
    std::map<quint64, std::shared_ptr<Waiter>> waiters;
    std::unique_ptr<PendingWake> wake;
    bool isServing = false;

    void forgetOld(Duration now);
    /// Whom it was made to waits in the line.
    [[nodiscard]] bool isHere(const Promise &promise) const;
    /// The earliest time for `wish`, whose turn it is, behind what was promised before to those who are away.
    [[nodiscard]] Duration earliestFor(const Wish &wish, Duration now) const;
    void promise(const Wish &wish, Duration at);
    void dropPromise(const Wish &wish);
    [[nodiscard]] std::optional<Duration> promisedTo(const Wish &wish) const;
};

bool BudgetKeeper::Line::isHere(const Promise &promise) const
{
    return std::ranges::any_of(waiters, [&](const auto &waiting) {
        return waiting.second->wish.key == promise.key && waiting.second->wish.lane == promise.lane;
    });
}

void BudgetKeeper::Line::forgetOld(Duration now)
{
    std::erase_if(uses, [&](const budget::Use &use) { return use.at <= now - budget::longest(windows); });
    std::erase_if(promises, [&](const Promise &one) { return one.at + promiseHolds < now && !isHere(one); });
}

std::optional<Duration> BudgetKeeper::Line::promisedTo(const Wish &wish) const
{
    for (const Promise &one : promises) {
        if (one.key == wish.key && one.lane == wish.lane)
            return one.at;
    }
    return {};
}

Duration BudgetKeeper::Line::earliestFor(const Wish &wish, Duration now) const
{
    const auto own = promisedTo(wish);
    std::vector<budget::Use> ahead = uses;
    Duration from = now;
    for (const Promise &one : promises) {
        if (one.lane > wish.lane || (own && one.at >= *own) || isHere(one))
            continue;
        from = std::max(from, one.at);
        ahead.push_back({from, one.cost});
    }
    return budget::earliest(ahead, windows, wish.cost, from);
}

void BudgetKeeper::Line::promise(const Wish &wish, Duration at)
{
    dropPromise(wish);
    promises.insert(std::ranges::upper_bound(promises, at, {}, &Promise::at),
                    {.key = wish.key, .lane = wish.lane, .cost = wish.cost, .at = at});
}

void BudgetKeeper::Line::dropPromise(const Wish &wish)
{
    std::erase_if(promises, [&](const Promise &one) { return one.key == wish.key && one.lane == wish.lane; });
}

BudgetKeeper::BudgetKeeper(const std::map<QString, BudgetDefinition> &budgets, StateStore &store,
                           Clock &clock, std::function<void(const Key &)> waitingChanged)
    : m_store(store)
    , m_clock(clock)
    , m_waitingChanged(std::move(waitingChanged))
{
    for (const auto &[name, definition] : budgets) {
        auto line = std::make_unique<Line>();
        line->definition = definition;
        line->windows = budget::windowsOf(definition);
        m_lines.emplace(name, std::move(line));
    }
}

BudgetKeeper::~BudgetKeeper() = default;

QCoro::Task<Result<BudgetKeeper::Share>> BudgetKeeper::take(Wish wish)
{
    return takeInstead(std::move(wish), 0);
}

QCoro::Task<Result<BudgetKeeper::Share>> BudgetKeeper::takeInstead(Wish wish, qint64 replaces)
{
    if (wish.budget.isEmpty())
        co_return Share{.wish = std::move(wish), .grantedAt = m_clock.steady()};
    if (m_ending)
        co_return fail(ended(wish.budget, m_clock.now()));
    Line *line = m_lines.at(wish.budget).get();
    const quint64 id = ++m_lastWaiter;
    const auto waiter = std::make_shared<Waiter>(&m_context);
    waiter->wish = wish;
    waiter->replaces = replaces;
    waiter->deadline = m_clock.steady() + wish.patience.value_or(line->definition.maxWait);
    line->waiters.emplace(id, waiter);
    line->queue.add({.id = id,
                     .key = wish.key,
                     .lane = wish.lane,
                     .weight = line->definition.weighted ? wish.weight : 1,
                     .cost = wish.cost});
    ++m_waiting;
    m_waitingChanged(wish.key);
    serve(line);
    while (!waiter->answer)
        co_await waiter->answered.ringing();
    --m_waiting;
    m_waitingChanged(wish.key);
    co_return std::move(*waiter->answer);
}

QCoro::Task<Result<void>> BudgetKeeper::spend(std::shared_ptr<Share> share)
{
    if (share->wish.budget.isEmpty()) {
        co_return Result<void>{};
    }
    Line *line = m_lines.at(share->wish.budget).get();
    const Duration age = m_clock.steady() - share->grantedAt;
    const bool isInWindow = age < budget::shortest(line->windows);
    if (share->isSpent || !isInWindow) {
        const qint64 replaces = share->isSpent ? 0 : share->use;
        if (replaces != 0)
            std::erase(line->uses, budget::Use{share->grantedAt, share->wish.cost});
        auto anew = co_await takeInstead(share->wish, replaces);
        if (!anew)
            co_return fail(anew.error());
        *share = std::move(*anew);
    } else if (age > freshFor) {
        // It has queued. Every window that holds it now held it before: it may count from now on.
        share->grantedAt = move(line, *share, age);
        if (auto moved = co_await m_store.moveBudgetUse(share->wish.budget, share->use, age); !moved)
            co_return fail(moved.error());
    }
    share->isSpent = true;
    co_return Result<void>{};
}

/// The local part of counting a use from later on; where it stands now.
Duration BudgetKeeper::move(Line *line, const Share &share, Duration later)
{
    const auto found = std::ranges::find(line->uses, budget::Use{share.grantedAt, share.wish.cost});
    if (found != line->uses.end())
        found->at += later;
    std::ranges::sort(line->uses, {}, &budget::Use::at);
    return share.grantedAt + later;
}

void BudgetKeeper::answered(const Share &share)
{
    if (share.wish.budget.isEmpty())
        return;
    const Duration late = std::min(m_clock.steady() - share.grantedAt, longestWay);
    if (late <= Duration::zero())
        return;
    move(m_lines.at(share.wish.budget).get(), share, late);
    m_store.moveBudgetUse(share.wish.budget, share.use, late);
}

std::optional<BudgetWait> BudgetKeeper::waitOf(const Key &key) const
{
    for (const auto &[name, line] : m_lines) {
        for (const auto &[id, waiter] : line->waiters) {
            if (waiter->wish.key == key)
                return BudgetWait{name, m_clock.now() + (waiter->deadline - m_clock.steady())};
        }
    }
    return {};
}

void BudgetKeeper::endWaits()
{
    m_ending = true;
    for (const auto &[name, line] : m_lines) {
        while (!line->waiters.empty())
            decide(line.get(), line->waiters.begin()->first, fail(ended(name, m_clock.now())));
    }
}

void BudgetKeeper::decide(Line *line, quint64 id, Result<Share> answer)
{
    const auto found = line->waiters.find(id);
    if (found == line->waiters.end())
        return;
    if (answer)
        line->queue.served(id);
    else
        line->queue.remove(id);
    found->second->answer = std::move(answer);
    found->second->answered.ring();
    line->waiters.erase(found);
}

/// Serves whose turn it is until the budget is used up, then sleeps until it is not.
QCoro::Task<void> BudgetKeeper::serve(Line *line)
{
    if (std::exchange(line->isServing, true))
        co_return;
    line->wake.reset();
    while (const auto id = line->queue.next()) {
        const auto waiter = line->waiters.at(*id);
        if (!waiter->wish.mayWait()) {
            decide(line, *id, fail(ended(line->definition.name, m_clock.now())));
            continue;
        }
        const Duration now = m_clock.steady();
        line->forgetOld(now);
        Duration wait = line->earliestFor(waiter->wish, now) - now;
        if (wait <= Duration::zero()) {
            BudgetRequest request{.budget = line->definition.name,
                                  .windows = line->windows,
                                  .cost = waiter->wish.cost,
                                  .replaces = std::exchange(waiter->replaces, 0),
                                  .now = m_clock.now()};
            const auto answer = co_await m_store.takeBudget(std::move(request));
            if (!answer) {
                decide(line, *id, fail(answer.error()));
                continue;
            }
            if (answer->granted) {
                const Duration grantedAt = m_clock.steady();
                line->uses.push_back({grantedAt, waiter->wish.cost});
                line->dropPromise(waiter->wish);
                decide(line, *id, Share{.wish = waiter->wish, .use = answer->use, .grantedAt = grantedAt});
                continue;
            }
            wait = answer->tryAgainAt - m_clock.now();
        }
        wait = std::max(wait, Duration{1});
        endHopeless(line, m_clock.steady() + wait);
        if (!waiter->answer) {
            for (const Line::Promise &one : line->promises) {
                if (!line->isHere(one))
                    wait = std::min(wait, one.at + promiseHolds + Duration{1} - m_clock.steady());
            }
            wait = std::max(wait, Duration{1});
            line->wake = m_clock.wakeAfter(wait, [this, line] { serve(line); });
            break;
        }
    }
    line->isServing = false;
}

/// Nobody is served before `nextFree`. Each in the line gets its place in time, behind those who have one;
/// those whose time is over by then are told so now, and when to come again.
void BudgetKeeper::endHopeless(Line *line, Duration nextFree)
{
    struct Place {
        Lane lane = Lane::Live;
        Duration at = Duration::max(); ///< as promised; those who have none come last
        quint64 id = 0;                ///< 0 = of one who is away
        qint64 cost = 1;
        auto operator<=>(const Place &) const = default;
    };
    std::vector<Place> places;
    for (const Line::Promise &one : line->promises) {
        if (!line->isHere(one))
            places.push_back({one.lane, one.at, 0, one.cost});
    }
    for (const auto &[id, waiter] : line->waiters)
        places.push_back({waiter->wish.lane, line->promisedTo(waiter->wish).value_or(Duration::max()), id,
                          waiter->wish.cost});
    std::ranges::sort(places);

    std::vector<budget::Use> ahead = line->uses;
    Duration from = m_clock.steady();
    for (const Place &place : places) {
        const Duration free = std::max(nextFree, budget::earliest(ahead, line->windows, place.cost, from));
        from = place.id == 0 ? std::max(from, place.at) : free;
        ahead.push_back({from, place.cost});
        const auto found = line->waiters.find(place.id);
        if (found == line->waiters.end())
            continue;
        const Wish wish = found->second->wish;
        const bool isHopeless = free > found->second->deadline;
        if (isHopeless || place.at == Duration::max())
            line->promise(wish, free);
        if (isHopeless)
            decide(line, place.id, fail(timeout(*line, wish, free)));
    }
}

Error BudgetKeeper::timeout(const Line &line, const Wish &wish, Duration tryAgainAt) const
{
    const BudgetDefinition &budget = line.definition;
    const Instant again = m_clock.now() + (tryAgainAt - m_clock.steady());
    return {.kind = ErrorKind::Http,
            .name = u"BudgetTimeout"_s,
            .title = u"The budget %1 has nothing left"_s.arg(budget.name),
            .detail =
                u"%1 requests in %2 are spent or promised; the next is free at %3, beyond maxWait (%4)"_s
                    .arg(budget.requests)
                    .arg(durationText(budget.per), toRfc3339(again), durationText(budget.maxWait)),
            .nextStep = u"Nothing is lost: %1 goes on then. If it happens a lot, poll less often or give "
                        "budgets.%2 more"_s.arg(wish.key.toString(), budget.name),
            .retryable = true,
            .notBefore = again};
}

} // namespace watukuy
