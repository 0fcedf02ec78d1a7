// SPDX-License-Identifier: GPL-3.0-or-later
// The poll cycle over real HTTP: each change once, whatever interrupts a run.
#include "tests/run/cyclesuite.h"

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace watukuy;
using namespace watukuy::tests;

class TestCycle : public CycleSuite {
    Q_OBJECT

public:
    using CycleSuite::CycleSuite;

private Q_SLOTS:
    void init()
    {
        m_api.clear();
        m_api.etags = false;
    }

    void aFirstSyncCreatesEachItemOnceAndThenOnlyChangesAreEvents()
    {
        for (int id = 1; id <= 8; ++id)
            m_api.put(id, "\"n\":1");
        auto rig = rigFor(byPage, ListingKind::Page);
        const RunReport first = rig->tick();
        QVERIFY(!first.error);
        QCOMPARE(rig->news(), createdUpTo(8));
        QCOMPARE(toString(first.lanes.front().verdict), "complete"_L1);
        QCOMPARE(first.lanes.front().pages, 3);
        expectQuiet(*rig);

        m_api.put(2, "\"n\":2");
        m_api.put(9, "\"n\":1");
        m_api.remove(5);
        rig->clock.advance(1h);
        runCleanly(*rig);
        QCOMPARE(rig->news(), (QStringList{u"updated 2"_s, u"created 9"_s, u"deleted 5"_s}));
        expectQuiet(*rig);
        QCOMPARE(rig->state().counts.items, 8);
        QCOMPARE(rig->state().counts.outboxPending, 0);
    }

    void everyInstantComesFromTheClockThatWasHandedIn()
    {
        m_api.put(1, "\"n\":1");
        auto rig = rigFor(byPage, ListingKind::Page);
        const Instant now = rig->clock.now();
        runCleanly(*rig);
        QCOMPARE(rig->delivered().front().time, now);
        const auto items = QCoro::waitFor(rig->store().readItems(rig->key(), {}, 1));
        QCOMPARE(items->front().seenAt, now);
        QCOMPARE(rig->state().schedule.lastPollAt, std::optional(now));
        QCOMPARE(rig->state().schedule.lastPoll->startedAt, now);
        const auto timeline = *QCoro::waitFor(rig->store().readTimeline(rig->key(), 9));
        QCOMPARE(timeline.size(), size_t(2));
        for (const TimelineEntry &entry : timeline)
            QCOMPARE(entry.at, now);
    }

    void theFileHoldsTheExactBytesOfTheItem()
    {
        EngineRig rig(m_kind, wholeList);
        const QByteArray item = R"({"id":9007199254740993, "price":1.10,"s":"\u00e9"})";
        rig.answer = [&](const ServerRequest &) { return ServerReply::json('[' + item + ']'); };
        runCleanly(rig);
        QFile file(rig.path(u"events.jsonl"_s));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray line = file.readAll();
        QVERIFY2(line.contains("\"data\":" + item), line.constData());
        QVERIFY(line.contains(R"("subject":"9007199254740993")"));
    }

    void C13_theBoundsOfAFilteredListingAreFrozenUntilItsEnd()
    {
        EngineRig rig(m_kind,
                      R"("request":{"url":"$API/items","query":{"since":"${cursor.value}","page":"${page}"}},
            "response":{"items":"items","hasMore":"more"},"pagination":{"kind":"page"},"identity":"id",
            "cursor":{"strategy":"timestamp","field":"at","initial":"2025-01-01T00:00:00Z"})");
        // Unsorted: the newest item stands on the first page.
        rig.answer = [&rig](const ServerRequest &request) {
            const int page = static_cast<int>(request.number(u"page"_s, 1));
            if (page == 1)
                rig.engine().endCycles();
            return ServerReply::json(
                QStringLiteral(R"({"items":[{"id":%1,"at":"2025-12-0%2T00:00:00Z"}],"more":%3})")
                    .arg(page)
                    .arg(9 - page)
                    .arg(page < 4 ? u"true"_s : u"false"_s)
                    .toUtf8());
        };
        runCleanly(rig);
        QCOMPARE(rig.state().counts.items, 1);
        QVERIFY2(rig.state().liveCursor.isInitial(), "the cursor moved before the listing was complete");

        rig.restart();
        rig.clock.advance(1h);
        runCleanly(rig);
        QCOMPARE(rig.news(), createdUpTo(4));
        for (const ServerRequest &request : rig.requests)
            QCOMPARE(request.query(u"since"_s), std::optional(u"2025-01-01T00:00:00Z"_s));
        QVERIFY(rig.state().liveCursor.json.contains("2025-12-08"));
    }

    void C14_aFailureInMidScanLosesNothing()
    {
        for (int id = 1; id <= 8; ++id)
            m_api.put(id, "\"n\":1");
        auto rig = rigFor(byPage, ListingKind::Page);
        const auto healthy = rig->answer;
        rig->answer = [healthy](const ServerRequest &request) {
            return request.number(u"page"_s, 1) == 2 ? demo::problem(500, "Down", "") : healthy(request);
        };
        const RunReport broken = rig->tick();
        QVERIFY(broken.error);
        QCOMPARE(broken.error->kind, ErrorKind::Http);
        QCOMPARE(rig->news(), createdUpTo(3));
        QCOMPARE(rig->state().schedule.consecutiveFailures, 1);

        rig->answer = healthy;
        m_api.put(1, "\"n\":2");
        m_api.remove(2);
        rig->clock.advance(1h);
        runCleanly(*rig);
        QStringList expected = createdUpTo(8).mid(3);
        QStringList news = rig->news();
        // What changed on pages that were read before the failure is found by the next full listing.
        rig->clock.advance(1h);
        runCleanly(*rig);
        news += rig->news();
        QVERIFY(news.removeOne(u"updated 1"_s));
        QVERIFY(news.removeOne(u"deleted 2"_s));
        news.sort();
        QCOMPARE(news, expected);
        expectQuiet(*rig);
    }

    void C15_aChangedDefinitionKeepsTheCursor()
    {
        m_api.put(1, "\"n\":1", 1'767'000'000'000);
        auto rig = rigFor(byKeyset, ListingKind::Keyset);
        runCleanly(*rig);
        const LaneCursor before = rig->state().liveCursor;
        QVERIFY(!before.isInitial());
        m_api.put(2, "\"n\":1", 1'767'000'000'001);
        rig->restart(QByteArray(byKeyset).replace("500", "7") + R"(,"schedule":{"min":"1s","max":"2s"})");
        rig->clock.advance(1h);
        rig->requests.clear();
        runCleanly(*rig);
        QCOMPARE(rig->news(), (QStringList{u"created 1"_s, u"created 2"_s}));
        QCOMPARE(rig->requests.first().query(u"after_id"_s), std::optional(u"1"_s));
        QCOMPARE(rig->requests.first().query(u"limit"_s), std::optional(u"7"_s));
    }

    void C38_C21_aThrottleIsWaitedForAndIsNoChange()
    {
        EngineRig rig(m_kind, wholeList);
        rig.answer = [](const ServerRequest &) { return ServerReply::json(listOf(upTo(3))); };
        runCleanly(rig);
        (void)rig.news();
        const auto healthy = std::exchange(rig.answer, [](const ServerRequest &) {
            return demo::problem(429, "Slow down", "").with("Retry-After", "7200");
        });
        rig.clock.advance(1h);
        (void)rig.tick();
        QCOMPARE(toString(rig.state().schedule.circuit), toString(Circuit::Closed));
        QCOMPARE(rig.state().schedule.consecutiveFailures, 0);
        QCOMPARE(rig.state().schedule.throttledUntil, std::optional(rig.clock.now() + 7200s));

        rig.answer = healthy;
        rig.restart();
        rig.clock.advance(7200s - 1ms);
        rig.requests.clear();
        QCOMPARE(rig.tick().skipped, u"not-due"_s);
        QCOMPARE(rig.requests.size(), 0);
        rig.clock.advance(1ms);
        QCOMPARE(rig.tick().skipped, QString());
        QCOMPARE(rig.news(), QStringList());
    }

    void C52_aFailingReconcileLeavesTheLiveLaneAlone()
    {
        for (int id = 1; id <= 3; ++id)
            m_api.put(id, "\"n\":1", 1'767'000'000'000 + id);
        auto rig = rigFor(
            byKeyset + R"(,"reconcile":{"every":"1m","request":{"url":"$API/all","query":{"page":"${page}"}},
            "response":{"items":"items","hasMore":"more"},"pagination":{"kind":"page"}},"schedule":{"min":"30s","max":"30s"})",
            ListingKind::Keyset);
        const auto live = rig->answer;
        int reconciles = 0;
        rig->answer = [&, live](const ServerRequest &request) {
            if (request.path != u"/all"_s)
                return live(request);
            ++reconciles;
            return demo::problem(500, "Down", "");
        };
        int liveRuns = 0;
        for (int minute = 0; minute < 60; ++minute) {
            (void)rig->tick();
            liveRuns += rig->state().schedule.circuit == Circuit::Closed &&
                        rig->state().schedule.consecutiveFailures == 0;
            rig->clock.advance(1min);
        }
        QCOMPARE(rig->news(), createdUpTo(3));
        QCOMPARE(liveRuns, 60);
        QVERIFY2(reconciles >= 3 && reconciles <= 30, qPrintable(QString::number(reconciles)));
        QVERIFY(rig->state().reconcileSchedule.lastError);

        m_api.remove(2);
        rig->answer = [&, live](const ServerRequest &request) {
            return request.path == u"/all"_s ? m_api.list(request, ListingKind::Page) : live(request);
        };
        rig->clock.advance(1h);
        runCleanly(*rig);
        QCOMPARE(rig->news(), QStringList{u"deleted 2"_s});
        QVERIFY(!rig->state().reconcileSchedule.lastError);
    }

    void reconcileDeletesNothingThatTheLiveLaneHoldsBack_data()
    {
        QTest::addColumn<QByteArray>("cursor");
        QTest::newRow("timestamp with lag") << QByteArray(
            R"({"strategy":"timestamp","field":"updatedAt","tieBreak":"id","initial":"2025-01-01T00:00:00Z","lag":"30s"})");
        QTest::newRow("token") << QByteArray(R"({"strategy":"token"})");
    }
    void reconcileDeletesNothingThatTheLiveLaneHoldsBack()
    {
        QFETCH(QByteArray, cursor);
        for (int id = 1; id <= 9; ++id)
            m_api.put(id, "\"n\":1", 1'767'000'000'000 + id);
        auto rig = rigFor(
            R"("request":{"url":"$API/items","query":{"updated_since":"${cursor.value}"}},
            "response":{"items":"data","hasMore":"has_more","cursor":"sync"},"pagination":{"kind":"none"},
            "identity":"id","cursor":)" +
                cursor +
                R"(,"reconcile":{"every":"1h","request":{"url":"$API/all","query":{"page":"${page}","limit":"3"}},
            "response":{"items":"items","hasMore":"more"},"pagination":{"kind":"page"}})",
            ListingKind::Keyset);
        const auto live = rig->answer;
        rig->answer = [&, live](const ServerRequest &request) {
            return request.path == u"/all"_s ? m_api.list(request, ListingKind::Page) : live(request);
        };
        runCleanly(*rig);
        QCOMPARE(rig->news(), createdUpTo(9));
        rig->clock.advance(1h);
        m_api.put(5, "\"n\":2", toEpochMs(rig->clock.now()) - 10'000);
        const RunReport report = runCleanly(*rig);
        QVERIFY(std::ranges::any_of(report.lanes, [](const PollSummary &lane) {
            return lane.lane == Lane::Reconcile && lane.pages == 3 && lane.verdict == Verdict::Complete;
        }));
        for (const QString &line : rig->news())
            QVERIFY2(!line.startsWith(u"deleted"_s), qPrintable(line));
        m_api.remove(9);
        rig->clock.advance(1h);
        runCleanly(*rig);
        QVERIFY(rig->news().contains(u"deleted 9"_s));
    }

    void aPositionThatTheApiForgotIsGivenUp()
    {
        EngineRig rig(m_kind, R"("request":{"url":"$API/items","query":{"token":"${next}"}},
            "response":{"items":"items"},"pagination":{"kind":"token","path":"next"},
            "identity":"id","cursor":{"strategy":"snapshotDiff"})");
        bool isForgotten = false;
        rig.answer = [&](const ServerRequest &request) {
            const bool isFirst = request.query(u"token"_s).value_or(QString()).isEmpty();
            if (isFirst && !isForgotten)
                rig.engine().endCycles();
            if (!isFirst && isForgotten)
                return request.query(u"token"_s) == u"old"_s ? demo::problem(410, "Expired", "")
                                                             : ServerReply::json(R"({"items":[{"id":2}]})");
            return ServerReply::json(isForgotten ? R"({"items":[{"id":1}],"next":"new"})"
                                                 : R"({"items":[{"id":1}],"next":"old"})");
        };
        (void)rig.tick();
        QVERIFY(rig.state().liveScan);
        isForgotten = true;
        rig.restart();
        rig.clock.advance(1h);
        runCleanly(rig);
        QCOMPARE(rig.news(), createdUpTo(2));
        QVERIFY(!rig.state().liveScan);
    }

    void aWideOverlapIsReadThroughHoweverManyPagesItHas()
    {
        for (int id = 1; id <= 40; ++id)
            m_api.put(id, "\"n\":1", 1'767'000'000'000 + id);
        auto rig = rigFor(QByteArray(byKeyset)
                                  .replace("500", "2")
                                  .replace("\"initial\"", "\"overlap\":\"1h\",\"initial\"") +
                              R"(,"maxPagesPerCycle":4)",
                          ListingKind::Keyset);
        for (int run = 0; run < 12; ++run) {
            runCleanly(*rig);
            rig->clock.advance(1min);
        }
        QCOMPARE(rig->news(), createdUpTo(40));
        m_api.put(41, "\"n\":1", 1'767'000'000'000 + 41);
        for (int run = 0; run < 12; ++run) {
            runCleanly(*rig);
            rig->clock.advance(1min);
        }
        QCOMPARE(rig->news(), QStringList{u"created 41"_s});
    }

    void C53_aResetBetweenTwoPagesStands()
    {
        for (int id = 1; id <= 8; ++id)
            m_api.put(id, "\"n\":1", 1'767'000'000'000 + id);
        auto rig = rigFor(QByteArray(byKeyset).replace("500", "3"), ListingKind::Keyset);
        const auto lists = rig->answer;
        bool isReset = false;
        rig->answer = [&, lists](const ServerRequest &request) {
            if (rig->requests.size() == 2 && !std::exchange(isReset, true))
                (void)rig->store().resetCursor(
                    rig->key(), {}, true, {},
                    {.at = rig->clock.now(), .operation = u"reset-cursor"_s, .key = rig->key()});
            return lists(request);
        };
        const RunReport report = rig->tick();
        QVERIFY(report.error);
        QCOMPARE(report.error->kind, ErrorKind::LeaseLost);
        QCOMPARE(rig->requests.size(), 2);
        QVERIFY2(rig->state().liveCursor.isInitial(), "the late commit overwrote the reset");
        QCOMPARE(rig->state().counts.items, 0);
        (void)rig->news();
        rig->clock.advance(1h);
        runCleanly(*rig);
        QCOMPARE(rig->news(), createdUpTo(8));
    }

    void aScanThatWasInterruptedGoesOnAndDeletesNoPhantoms()
    {
        for (int id = 1; id <= 12; ++id)
            m_api.put(id, "\"n\":1");
        auto rig = rigFor(byPage, ListingKind::Page);
        runCleanly(*rig);
        (void)rig->news();
        const auto lists = rig->answer;
        rig->answer = [&, lists](const ServerRequest &request) {
            if (request.number(u"page"_s, 1) == 2)
                rig->engine().endCycles();
            return lists(request);
        };
        rig->clock.advance(1h);
        QCOMPARE(toString(rig->tick().lanes.front().verdict), "truncated"_L1);
        QVERIFY(rig->state().liveScan);

        // Meanwhile one is deleted from a page that was read already: everything moves up by one.
        m_api.remove(1);
        rig->answer = lists;
        rig->restart();
        rig->clock.advance(1h);
        runCleanly(*rig);
        QCOMPARE(rig->news(), QStringList{u"deleted 1"_s});
        QVERIFY(!rig->state().liveScan);
        expectQuiet(*rig);
    }

    void aStolenLeaseEndsTheRunAndItWritesNothingMore()
    {
        for (int id = 1; id <= 8; ++id)
            m_api.put(id, "\"n\":1");
        auto rig = rigFor(byPage, ListingKind::Page);
        const auto lists = rig->answer;
        rig->answer = [&, lists](const ServerRequest &request) {
            if (request.number(u"page"_s, 1) == 2) {
                // As after a SIGSTOP: time has passed, and another instance took the key.
                rig->clock.sleep(1min);
                (void)rig->store().acquireLease(rig->key(), u"other"_s, 30s, rig->clock.now());
            }
            return lists(request);
        };
        const RunReport report = rig->tick();
        QVERIFY(report.error);
        QCOMPARE(report.error->kind, ErrorKind::LeaseLost);
        QCOMPARE(rig->news(), createdUpTo(3));
        const KeyState state = rig->state();
        QCOMPARE(state.counts.items, 3);
        QCOMPARE(state.lease->owner, u"other"_s);
        QVERIFY(!state.schedule.lastPollAt);
        QCOMPARE(rig->requests.size(), 2);
        QCOMPARE(rig->tick().skipped, u"leased"_s);
    }

    void aPauseEndsTheRunAtItsNextPage()
    {
        for (int id = 1; id <= 12; ++id)
            m_api.put(id, "\"n\":1");
        auto rig = rigFor(byPage, ListingKind::Page);
        const auto lists = rig->answer;
        rig->answer = [&, lists](const ServerRequest &request) {
            if (request.number(u"page"_s, 1) == 2)
                (void)rig->store().pauseKey(
                    rig->key(), Pause::Operator,
                    {.at = rig->clock.now(), .operation = u"pause"_s, .key = rig->key()});
            return lists(request);
        };
        runCleanly(*rig);
        QCOMPARE(rig->requests.size(), 2);
        QCOMPARE(rig->tick().skipped, u"paused"_s);
        const qsizetype pagesSoFar = rig->requests.size();
        QCOMPARE(pagesSoFar, 2);

        rig->answer = lists;
        QVERIFY(QCoro::waitFor(
            rig->store().resumeKey(rig->key(), rig->state().schedule,
                                   {.at = rig->clock.now(), .operation = u"resume"_s, .key = rig->key()})));
        rig->clock.advance(1h);
        runCleanly(*rig);
        QCOMPARE(rig->news(), createdUpTo(12));
    }

    void aTriggerDuringARunIsAnsweredByTheNextOne()
    {
        m_api.put(1, "\"n\":1");
        auto rig = rigFor(byPage, ListingKind::Page);
        const auto lists = rig->answer;
        rig->answer = [&, lists](const ServerRequest &request) {
            rig->clock.advance(1ms);
            if (rig->requests.size() == 1)
                (void)rig->store().triggerKey(
                    rig->key(), {}, {.at = rig->clock.now(), .operation = u"trigger"_s, .key = rig->key()});
            return lists(request);
        };
        runCleanly(*rig);
        QVERIFY(rig->state().triggeredAt);
        QCOMPARE(rig->tick().skipped, QString());
        QVERIFY(!rig->state().triggeredAt);
        QCOMPARE(rig->tick().skipped, u"not-due"_s);
    }

    void stoppingWithARequestOnTheWireAbortsItAndLosesNothing()
    {
        EngineRig rig(m_kind, wholeList);
        rig.answer = [](const ServerRequest &) {
            ServerReply reply = ServerReply::json(listOf(upTo(3)));
            reply.delay = 1h;
            return reply;
        };
        auto run = rig.engine().tick([](const Key &) { return true; });
        QTRY_COMPARE(rig.requests.size(), 1);
        QCoro::waitFor(rig.engine().stop(0ms));
        const auto reports = QCoro::waitFor(std::move(run));
        QVERIFY(reports.front().second.error);
        QCOMPARE(reports.front().second.error->kind, ErrorKind::Cancelled);
        QVERIFY(!rig.state().lease);

        rig.answer = [](const ServerRequest &) { return ServerReply::json(listOf(upTo(3))); };
        rig.restart();
        rig.clock.advance(1h);
        runCleanly(rig);
        QCOMPARE(rig.news(), createdUpTo(3));
    }
};

int main(int argc, char **argv)
{
    const QCoreApplication app(argc, argv);
    return runOnEveryStore<TestCycle>(argc, argv);
}

#include "test_cycle.moc"
