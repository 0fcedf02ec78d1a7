// SPDX-License-Identifier: GPL-3.0-or-later
#include <rapidcheck.h>

#include <QtTest>

#include "engine/budget/fairqueue.h"
#include "engine/budget/window.h"

using namespace watukuy;
using namespace watukuy::budget;
using namespace Qt::StringLiterals;

namespace {

BudgetDefinition definitionOf(int requests, Duration per, int burst)
{
    BudgetDefinition definition;
    definition.requests = requests;
    definition.per = per;
    definition.burst = burst;
    return definition;
}

/// The most that falls into one window of length `per`, counted anew for each use as its first.
qint64 mostInAWindow(const std::vector<Use> &uses, Duration per)
{
    qint64 most = 0;
    for (const Use &first : uses) {
        qint64 sum = 0;
        for (const Use &use : uses)
            sum += use.at >= first.at && use.at < first.at + per ? use.cost : 0;
        most = std::max(most, sum);
    }
    return most;
}

void check(bool held)
{
    QVERIFY(held);
}

FairQueue::Asker asker(quint64 id, const QString &poller, Lane lane = Lane::Live, double weight = 1)
{
    return {.id = id, .key = {poller, {}}, .lane = lane, .weight = weight};
}

} // namespace

class TestBudget : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void C63_aBucketThatStartsFullAndRefillsLetsNothingExtraThrough()
    {
        const auto windows = windowsOf(definitionOf(100, Duration{60'000}, 100));
        std::vector<Use> uses;
        Duration now{0};
        while (uses.size() < 300) {
            now = earliest(uses, windows, 1, now);
            uses.push_back({now, 1});
        }
        QCOMPARE(mostInAWindow(uses, Duration{60'000}), 100);
        QCOMPARE(uses.back().at, Duration{120'000}); // and it is not slower than it must be
    }

    void burstSpreadsWhatMayGoAtOnce()
    {
        const auto windows = windowsOf(definitionOf(100, Duration{60'000}, 10));
        QCOMPARE(windows.size(), size_t(2));
        QCOMPARE(windows.back(), (Window{10, Duration{6'000}}));
        std::vector<Use> uses;
        Duration now{0};
        for (int count = 0; count < 25; ++count) {
            now = earliest(uses, windows, 1, now);
            uses.push_back({now, 1});
        }
        QCOMPARE(uses.at(9).at, Duration{0});
        QCOMPARE(uses.at(10).at, Duration{6'000});
        QCOMPARE(uses.at(20).at, Duration{12'000});
    }

    void noWindowIsEverOverItsLimit()
    {
        check(rc::check([] {
            const int requests = *rc::gen::inRange(1, 40);
            const int burst = *rc::gen::inRange(1, requests + 1);
            const Duration per{*rc::gen::inRange(1, 5'000)};
            const auto windows = windowsOf(definitionOf(requests, per, burst));
            const auto steps = *rc::gen::container<std::vector<std::pair<int, int>>>(
                rc::gen::pair(rc::gen::inRange(0, 700), rc::gen::inRange(1, burst + 1)));
            std::vector<Use> uses;
            Duration now{0};
            for (const auto &[pause, cost] : steps) {
                now += Duration{pause};
                const Duration at = earliest(uses, windows, cost, now);
                RC_ASSERT(at >= now);
                RC_ASSERT(earliest(uses, windows, cost, at) == at);
                // Not a moment later than it must be.
                RC_ASSERT(at == now || earliest(uses, windows, cost, at - Duration{1}) == at);
                uses.push_back({at, cost});
                now = at;
            }
            for (const Window &window : windows)
                RC_ASSERT(mostInAWindow(uses, window.per) <= window.requests);
        }));
    }

    void lanesGoByPriority()
    {
        FairQueue queue;
        queue.add(asker(1, u"a"_s, Lane::Replay));
        queue.add(asker(2, u"a"_s, Lane::Backfill));
        queue.add(asker(3, u"b"_s, Lane::Reconcile));
        queue.add(asker(4, u"c"_s, Lane::Live));
        QList<quint64> order;
        while (const auto id = queue.next()) {
            order.append(*id);
            queue.served(*id);
        }
        QCOMPARE(order, (QList<quint64>{4, 3, 2, 1}));
    }

    void keysOfOneLaneTakeTurnsHoweverManyEachHasWaiting()
    {
        FairQueue queue;
        for (quint64 id = 1; id <= 4; ++id)
            queue.add(asker(id, u"greedy"_s));
        queue.add(asker(5, u"modest"_s));
        queue.served(*queue.next());
        QCOMPARE(queue.next(), 5U);
        queue.served(5);
        queue.remove(2);
        QCOMPARE(queue.next(), 3U);
    }

    void aKeyThatWasAwayGetsNoCreditForIt()
    {
        FairQueue queue;
        for (quint64 id = 1; id <= 100; ++id) {
            queue.add(asker(id, u"busy"_s));
            queue.served(id);
        }
        queue.add(asker(200, u"busy"_s));
        queue.add(asker(201, u"new"_s));
        queue.add(asker(202, u"new"_s));
        queue.served(*queue.next());
        QCOMPARE(queue.next(), 200U);
    }

    void everyKeyIsServedInProportionToItsWeight()
    {
        check(rc::check([] {
            const auto weights =
                *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 8)));
            RC_PRE(weights.size() <= 8);
            FairQueue queue;
            std::vector<int> served(weights.size(), 0);
            quint64 id = 0;
            std::map<quint64, size_t> keyOf;
            const auto ask = [&](size_t key) {
                keyOf[++id] = key;
                queue.add(asker(id, QString::number(key), Lane::Live, weights[key]));
            };
            for (size_t key = 0; key < weights.size(); ++key)
                ask(key);
            int total = 0;
            for (const int weight : weights)
                total += weight;
            for (int turn = 0; turn < total * 20; ++turn) {
                const quint64 next = *queue.next();
                const size_t key = keyOf[next];
                queue.served(next);
                ++served[key];
                ask(key);
            }
            for (size_t key = 0; key < weights.size(); ++key)
                RC_ASSERT(std::abs(served[key] - weights[key] * 20) <= weights[key] + 1);
        }));
    }
};

QTEST_GUILESS_MAIN(TestBudget)
#include "test_budget.moc"
