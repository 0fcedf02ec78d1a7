// SPDX-License-Identifier: GPL-3.0-or-later
// Budgets in the poll cycle: what leaves, in which order, and what becomes of those who wait.
#include "engine/api/operations.h"
#include "engine/schedule/schedule.h"
#include "tests/run/cyclesuite.h"

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace watukuy;
using namespace watukuy::tests;

namespace {

/// Partitions `p1` to `p<count>`, each an item of its own.
QByteArray partitioned(int count, const QByteArray &more = {})
{
    QByteArrayList keys;
    for (int number = 1; number <= count; ++number)
        keys.append("{\"key\":\"p" + QByteArray::number(number) + "\"}");
    QByteArray asked = wholeList;
    asked.replace("$API/items", "$API/items?of=${partition.key}");
    return asked +
           ",\"budget\":\"b\",\"schedule\":{\"min\":\"10s\",\"max\":\"10s\",\"jitter\":0}"
           ",\"partitions\":{\"list\":[" +
           keys.join(',') + "]}" + more;
}

int mostInAnyWindow(const QList<Instant> &moments, Duration length)
{
    qsizetype most = 0;
    for (qsizetype first = 0; first < moments.size(); ++first) {
        qsizetype last = first;
        while (last < moments.size() && moments[last] < moments[first] + length)
            ++last;
        most = std::max(most, last - first);
    }
    return static_cast<int>(most);
}

} // namespace

class TestBudgets : public CycleSuite {
    Q_OBJECT

public:
    using CycleSuite::CycleSuite;

private:
    /// Notes when each request came.
    void listen(EngineRig &rig)
    {
        m_moments.clear();
        rig.answer = [this, &rig](const ServerRequest &) {
            m_moments.append(rig.clock.now());
            return ServerReply::json("[{\"id\":1}]");
        };
    }
    static KeyState stateOf(EngineRig &rig, const QString &partition)
    {
        return *QCoro::waitFor(rig.store().loadKey({u"items"_s, partition}));
    }

    QList<Instant> m_moments;

private Q_SLOTS:
    void C63_threeHundredKeysNeverSendMoreThanAHundredInAnyMinute()
    {
        EngineRig rig(m_kind, partitioned(300),
                      theBudget("\"requests\":100,\"per\":\"1m\",\"maxWait\":\"5m\""));
        listen(rig);
        rig.engine().start();
        rig.settle();
        QCOMPARE(m_moments.size(), 100);
        rig.pass(3min);
        QVERIFY2(m_moments.size() >= 300, qPrintable(QString::number(m_moments.size())));
        QCOMPARE(mostInAnyWindow(m_moments, 1min), 100);
        for (int number = 1; number <= 300; ++number)
            QCOMPARE(stateOf(rig, u"p%1"_s.arg(number)).counts.items, 1); // each in its turn
    }

    void aKeyThatCannotHaveItsShareInTimeGoesOnLaterAndNothingFails()
    {
        EngineRig rig(m_kind, partitioned(3), theBudget("\"requests\":1,\"per\":\"1m\",\"maxWait\":\"5s\""));
        listen(rig);
        rig.engine().start();
        rig.settle();
        QCOMPARE(m_moments.size(), 1);
        QList<qint64> promised;
        for (const auto &[key, entry] : rig.engine().keys()) {
            if (!entry.state.schedule.lastError)
                continue;
            QCOMPARE(entry.state.schedule.lastError->name, u"BudgetTimeout"_s);
            QCOMPARE(entry.state.schedule.consecutiveFailures, 0);
            promised.append((entry.state.schedule.nextDueAt - m_moments.first()) / 1s);
            QVERIFY(hasWarning({.warnings = entry.warnings}, u"budget-timeout"_s));
            const auto waiting = snapshotOf(entry.state, entry.poller.get(), false, {}, rig.clock.now());
            QCOMPARE(waiting.waitingForCode, u"budget"_s);
        }
        std::ranges::sort(promised);
        QCOMPARE(promised, (QList<qint64>{60, 120})); // each its own time: nobody starves
        rig.pass(5min);
        QCOMPARE(mostInAnyWindow(m_moments, 1min), 1);
        QCOMPARE(m_moments.size(), 6);
        QMap<QString, int> visits;
        for (const ServerRequest &request : rig.requests)
            ++visits[request.query(u"of"_s).value_or(QString())];
        QCOMPARE(visits, (QMap<QString, int>{{u"p1"_s, 2}, {u"p2"_s, 2}, {u"p3"_s, 2}}));
    }

    void whoWaitsForABudgetSaysSoAndBlocksNoOtherKey()
    {
        const QByteArray others = "},\"free\":{" + wholeList;
        EngineRig rig(m_kind, partitioned(60) + others,
                      theBudget("\"requests\":1,\"per\":\"1h\",\"maxWait\":\"3d\""));
        listen(rig);
        rig.engine().start();
        rig.settle();
        QCOMPARE(m_moments.size(), 2); // one of the sixty, and the free one
        const auto wait = rig.engine().budgetWaitOf({u"items"_s, u"p7"_s});
        QVERIFY(wait);
        QCOMPARE(wait->budget, u"b"_s);
        QCOMPARE(wait->until, rig.clock.now() + 72h);
    }

    void moreThanCanWaitAreSentAwayAtOnceAndKeepNobodyOut()
    {
        const QByteArray others = "},\"zfree\":{" + wholeList;
        EngineRig rig(m_kind, partitioned(400) + others,
                      theBudget("\"requests\":1,\"per\":\"1h\",\"maxWait\":\"150m\""));
        listen(rig);
        rig.engine().start();
        rig.settle();
        QCOMPARE(m_moments.size(), 2);
        QCOMPARE(QCoro::waitFor(rig.store().loadKey({u"zfree"_s, {}}))->counts.items, 1);
        QCOMPARE(std::ranges::count_if(
                     rig.engine().keys(),
                     [&](const auto &each) { return rig.engine().budgetWaitOf(each.first).has_value(); }),
                 2); // an hour each
    }

    void aStopEndsEveryWaitAndFailsNothing()
    {
        EngineRig rig(m_kind, partitioned(5), theBudget("\"requests\":1,\"per\":\"1h\",\"maxWait\":\"1h\""));
        listen(rig);
        rig.engine().start();
        rig.settle();
        rig.restart();
        for (const QString &partition : {u"p2"_s, u"p3"_s, u"p4"_s, u"p5"_s}) {
            const KeyState state = stateOf(rig, partition);
            QCOMPARE(state.schedule.consecutiveFailures, 0);
            QVERIFY(!state.lease);
        }
        QCOMPARE(m_moments.size(), 1);
    }

    void theStoreRemembersWhatWasSpentBeforeARestart()
    {
        EngineRig rig(m_kind, partitioned(1), theBudget("\"requests\":1,\"per\":\"1h\",\"maxWait\":\"1s\""));
        listen(rig);
        rig.engine().start();
        rig.settle();
        rig.restart();
        rig.engine().start();
        rig.pass(30min);
        QCOMPARE(m_moments.size(), 1);
        rig.pass(31min);
        QCOMPARE(m_moments.size(), 2);
    }

    void aWallClockThatIsSetForwardFreesNothing()
    {
        EngineRig rig(m_kind, partitioned(2), theBudget("\"requests\":1,\"per\":\"1m\",\"maxWait\":\"5m\""));
        listen(rig);
        rig.engine().start();
        rig.settle();
        QCOMPARE(m_moments.size(), 1);
        rig.clock.setWallClock(rig.clock.now() + 1h);
        rig.pass(50s);
        QCOMPARE(m_moments.size(), 1); // by the store's count it is long past, by this process's it is not
        rig.pass(11s);
        QCOMPARE(m_moments.size(), 2);
    }

    void thisProcessCountsFromTheAnswerToo()
    {
        EngineRig rig(m_kind, partitioned(2), theBudget("\"requests\":1,\"per\":\"10s\",\"maxWait\":\"1m\""));
        m_moments.clear();
        rig.answer = [this, &rig](const ServerRequest &) {
            rig.clock.advance(400ms);
            m_moments.append(rig.clock.now());
            return ServerReply::json("[]");
        };
        rig.engine().start();
        rig.settle();
        rig.clock.setWallClock(rig.clock.now() + 1h); // the store's count is over
        rig.pass(9s);
        rig.clock.advance(800ms); // 10.2 s since the request left, 9.8 s since its answer
        rig.settle();
        QCOMPARE(m_moments.size(), 1);
        rig.clock.advance(300ms);
        rig.settle();
        QCOMPARE(m_moments.size(), 2);
    }

    void aShareThatLayIdleIsTakenAnewWhenItsRequestLeaves()
    {
        EngineRig rig(m_kind, partitioned(1), theBudget("\"requests\":1,\"per\":\"10s\",\"maxWait\":\"1m\""));
        BudgetKeeper keeper(rig.workspace().budgets, rig.store(), rig.clock, [](const Key &) {});
        const BudgetKeeper::Wish wish{.budget = u"b"_s, .key = rig.key()};
        const auto idle = QCoro::waitFor(keeper.take(wish));
        QVERIFY(idle);
        rig.clock.advance(11s);
        QVERIFY(QCoro::waitFor(keeper.take(wish)));
        auto spent = keeper.spend(std::make_shared<BudgetKeeper::Share>(*idle));
        rig.settle();
        QVERIFY2(!spent.isReady(), "two requests left within one window");
        rig.clock.advance(10s);
        QVERIFY(QCoro::waitFor(std::move(spent)));
    }

    void everyHopOfARedirectCounts()
    {
        EngineRig rig(m_kind, partitioned(1), theBudget("\"requests\":3,\"per\":\"1h\",\"maxWait\":\"2h\""));
        m_moments.clear();
        rig.answer = [this, &rig](const ServerRequest &request) {
            m_moments.append(rig.clock.now());
            if (request.path == u"/items"_s)
                return ServerReply{.status = 302, .headers = {{"Location", "/moved"}}, .body = {}};
            return ServerReply::json("[{\"id\":1}]");
        };
        rig.engine().start();
        rig.settle();
        rig.pass(50min);
        QCOMPARE(m_moments.size(), 3); // a whole visit, and the first hop of the next
        rig.pass(30min);
        QCOMPARE(mostInAnyWindow(m_moments, 1h), 3);
        QVERIFY(m_moments.size() >= 4);
    }

    void costsAreWeighed()
    {
        QByteArray members = partitioned(4);
        members.replace("\"url\":", "\"cost\":5,\"url\":");
        EngineRig rig(m_kind, members, theBudget("\"requests\":10,\"per\":\"1m\",\"maxWait\":\"10m\""));
        listen(rig);
        rig.engine().start();
        rig.settle();
        QCOMPARE(m_moments.size(), 2);
        rig.pass(61s);
        QCOMPARE(mostInAnyWindow(m_moments, 1min), 2);
        QVERIFY(m_moments.size() >= 4);
    }

    void aRequestThatIsLongOnItsWayCountsFromItsAnswer()
    {
        EngineRig rig(m_kind, partitioned(2), theBudget("\"requests\":1,\"per\":\"10s\",\"maxWait\":\"1m\""));
        m_moments.clear();
        rig.answer = [this, &rig](const ServerRequest &) {
            rig.clock.advance(
                400ms); // when the API counts it is its own affair, as long as it is before this
            m_moments.append(rig.clock.now());
            return ServerReply::json("[]");
        };
        const Instant began = rig.clock.now();
        rig.engine().start();
        rig.settle();
        rig.pass(12s);
        QCOMPARE(m_moments.size(), 2);
        QVERIFY(m_moments[1] - 400ms >= began + 10'400ms);
        const auto uses = *QCoro::waitFor(rig.store().readBudget(u"b"_s, began));
        QCOMPARE(Instant{uses.back().at}, m_moments[1]);
    }

    void aTriggerThatItsBudgetPutsOffIsAnsweredLater()
    {
        QByteArray members = partitioned(1);
        members.replace("\"jitter\":0", "\"jitter\":0,\"activeWindows\":[\"CRON_TZ=UTC * 3 * * *\"]");
        EngineRig rig(m_kind, members, theBudget("\"requests\":1,\"per\":\"10m\",\"maxWait\":\"1s\""));
        listen(rig);
        rig.engine().start();
        const Key key{u"items"_s, u"p1"_s};
        const auto trigger = [&] {
            AuditRow row;
            row.at = rig.clock.now();
            row.key = key;
            QVERIFY(QCoro::waitFor(rig.store().triggerKey(
                key, schedule::afterTrigger(stateOf(rig, u"p1"_s).schedule, row.at).state, row)));
            rig.engine().noticeChanges();
        };
        trigger();
        rig.pass(2s);
        QCOMPARE(m_moments.size(), 1);
        trigger();
        rig.pass(5min);
        QCOMPARE(m_moments.size(), 1);
        QVERIFY(stateOf(rig, u"p1"_s).triggeredAt);
        const auto &entry = rig.engine().keys().at(key);
        const KeySnapshot shown = snapshotOf(entry.state, entry.poller.get(), false, {}, rig.clock.now());
        QCOMPARE(shown.waitingForCode, u"budget"_s);
        QCOMPARE(shown.waitingUntil, std::optional(m_moments.first() + 10min));
        rig.pass(6min);
        QCOMPARE(m_moments.size(), 2);
        QVERIFY(!stateOf(rig, u"p1"_s).triggeredAt);
        rig.pass(30min);
        QCOMPARE(m_moments.size(), 2); // its windows are closed
    }

    void aClockThatIsSetBackDoesNotPutOffATrigger()
    {
        EngineRig rig(m_kind, partitioned(1), theBudget("\"requests\":1,\"per\":\"10m\",\"maxWait\":\"1s\""));
        listen(rig);
        rig.engine().start();
        rig.settle();
        rig.pass(15s); // the second run is put off
        QCOMPARE(m_moments.size(), 1);
        rig.clock.setWallClock(rig.clock.now() - 24h);
        const Key key{u"items"_s, u"p1"_s};
        AuditRow row;
        row.at = rig.clock.now();
        row.key = key;
        QVERIFY(QCoro::waitFor(rig.store().triggerKey(
            key, schedule::afterTrigger(stateOf(rig, u"p1"_s).schedule, row.at).state, row)));
        rig.engine().noticeChanges();
        passInSteps(rig, 21min); // what was spent counts from now on, once in each of the two counts
        QVERIFY(m_moments.size() >= 2);
        QVERIFY(!stateOf(rig, u"p1"_s).triggeredAt);
    }

    void burstsAreHeldApart()
    {
        EngineRig rig(m_kind, partitioned(12),
                      theBudget("\"requests\":12,\"per\":\"1m\",\"burst\":2,\"maxWait\":\"10m\""));
        listen(rig);
        rig.engine().start();
        rig.settle();
        QCOMPARE(m_moments.size(), 2);
        rig.pass(1min);
        QCOMPARE(mostInAnyWindow(m_moments, 10s), 2);
        QVERIFY(m_moments.size() >= 12);
    }
};

int main(int argc, char **argv)
{
    const QCoreApplication app(argc, argv);
    return runOnEveryStore<TestBudgets>(argc, argv);
}

#include "test_budgets.moc"
