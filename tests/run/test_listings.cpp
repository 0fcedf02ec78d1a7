// SPDX-License-Identifier: GPL-3.0-or-later
// Listings that real APIs gave and pollers stumbled over, each with its right value.
#include <QSet>

#include "tests/run/cyclesuite.h"

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace watukuy;
using namespace watukuy::tests;

class TestListings : public CycleSuite {
    Q_OBJECT

public:
    using CycleSuite::CycleSuite;

private Q_SLOTS:
    void init()
    {
        m_api.clear();
        m_api.etags = false;
    }

    void C01_aPageThatRepeatsEndsTheListingWithAWarning()
    {
        EngineRig rig(m_kind, byPage);
        rig.answer = [](const ServerRequest &request) {
            const bool isFirst = request.number(u"page"_s, 1) == 1;
            return ServerReply::json("{\"items\":" + listOf(isFirst ? QList{1, 2} : QList{3, 4}) +
                                     ",\"more\":true}");
        };
        const RunReport report = rig.tick();
        QVERIFY(!report.error);
        QCOMPARE(rig.news(), createdUpTo(4));
        QCOMPARE(rig.requests.size(), 3);
        QVERIFY(std::ranges::any_of(report.warnings, [](const Warning &warning) {
            return warning.message.contains(u"page"_s) && !warning.key.isEmpty();
        }));
        expectQuiet(rig);
    }

    void C01_aRepeatedPageOfAnIncrementalListingMovesTheCursor()
    {
        EngineRig rig(m_kind, R"("request":{"url":"$API/items","query":{"page":"${page}"}},
            "response":{"items":"items","hasMore":"more"},"pagination":{"kind":"page"},"identity":"id",
            "cursor":{"strategy":"timestamp","field":"at","initial":"2025-01-01T00:00:00Z"})");
        rig.answer = [](const ServerRequest &request) {
            const bool isFirst = request.number(u"page"_s, 1) == 1;
            return ServerReply::json(isFirst
                                         ? R"({"items":[{"id":1,"at":"2025-12-01T00:00:00Z"}],"more":true})"
                                         : R"({"items":[{"id":2,"at":"2025-12-02T00:00:00Z"}],"more":true})");
        };
        runCleanly(rig);
        QCOMPARE(rig.news(), createdUpTo(2));
        QVERIFY2(rig.state().liveCursor.json.contains("2025-12-02"), "the cursor did not move");
        QVERIFY(!rig.state().liveScan);
    }

    void aSyncTokenOnTheLastPageOnlyEndsNoListingEarly()
    {
        EngineRig rig(m_kind,
                      R"("request":{"url":"$API/items","query":{"since":"${cursor.value}","page":"${next}"}},
            "response":{"items":"items","cursor":"sync"},"pagination":{"kind":"token","path":"next"},
            "identity":"id","cursor":{"strategy":"token"})");
        rig.answer = [](const ServerRequest &request) {
            if (request.query(u"since"_s))
                return ServerReply::json(R"({"items":[],"sync":"S"})");
            return ServerReply::json(request.query(u"page"_s).value_or(QString()).isEmpty()
                                         ? R"({"items":[{"id":1}],"next":"p2"})"
                                         : R"({"items":[{"id":2}],"sync":"S"})");
        };
        runCleanly(rig);
        QCOMPARE(rig.news(), createdUpTo(2));
        QVERIFY(rig.state().liveCursor.json.contains("\"S\""));
        expectQuiet(rig);
    }

    void anUnmodifiedLastPageIsNotFollowedByAnother()
    {
        EngineRig rig(m_kind, QByteArray(byPage).replace(R"(,"total":"total")", ""));
        rig.answer = [](const ServerRequest &request) {
            const qint64 page = request.number(u"page"_s, 1);
            if (page > 3)
                return demo::problem(404, "No such page", "");
            if (!request.header("If-None-Match").isEmpty())
                return ServerReply{.status = 304, .headers = {}, .body = {}};
            return ServerReply::json("{\"items\":" + listOf({static_cast<int>(page)}) +
                                     ",\"more\":" + (page < 3 ? "true" : "false") + "}")
                .with("ETag", "\"e\"");
        };
        runCleanly(rig);
        rig.clock.advance(1h);
        rig.requests.clear();
        runCleanly(rig);
        QCOMPARE(rig.requests.size(), 3);
    }

    void C33_aBrokenLineOfAListingDeletesNothing()
    {
        EngineRig rig(m_kind,
                      R"("request":{"url":"$API/items"},"response":{"format":"ndjson"},"identity":"id",
            "cursor":{"strategy":"snapshotDiff"})");
        QByteArray body = "{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n";
        rig.answer = [&body](const ServerRequest &) { return ServerReply::json(body); };
        runCleanly(rig);
        QCOMPARE(rig.news(), createdUpTo(3));
        body = "{\"id\":1}\n{\"id\":2\n{\"id\":3}\n";
        rig.clock.advance(1h);
        QCOMPARE(toString(runCleanly(rig).lanes.front().verdict), "unstable"_L1);
        QCOMPARE(rig.news(), QStringList());
    }

    void aListingWithoutAnEndIsCappedAndSaysSo()
    {
        EngineRig rig(m_kind, R"("request":{"url":"$API/items","query":{"page":"${page}"}},
            "response":{"items":"items","hasMore":"more"},"pagination":{"kind":"page","maxPages":5},
            "identity":"id","cursor":{"strategy":"snapshotDiff"},"schedule":{"min":"30s","max":"30s","jitter":0})");
        rig.answer = [](const ServerRequest &request) {
            return ServerReply::json(
                "{\"items\":" + listOf({static_cast<int>(request.number(u"page"_s, 1))}) + ",\"more\":true}");
        };
        const RunReport report = runCleanly(rig);
        QCOMPARE(rig.requests.size(), 5);
        QVERIFY(hasWarning(report, u"max-pages"_s));
        QCOMPARE(rig.state().schedule.nextDueAt, rig.clock.now() + 30s);
        rig.clock.advance(30s);
        rig.requests.clear();
        runCleanly(rig);
        QCOMPARE(rig.requests.first().number(u"page"_s, 0), 1);
    }

    void C02_aTokenThatNeverChangesIsAnErrorAndNoLoop()
    {
        EngineRig rig(m_kind, R"("request":{"url":"$API/items","query":{"token":"${next}"}},
            "response":{"items":"items"},"pagination":{"kind":"token","path":"next"},
            "identity":"id","cursor":{"strategy":"snapshotDiff"})");
        int page = 0;
        rig.answer = [&page](const ServerRequest &) {
            ++page;
            return ServerReply::json("{\"items\":" + listOf({page}) + ",\"next\":\"T1\"}");
        };
        const RunReport report = rig.tick();
        QVERIFY(report.error);
        QCOMPARE(report.error->name, u"RepeatedRequestError"_s);
        QCOMPARE(rig.requests.size(), 2);
        QVERIFY(rig.state().liveCursor.isInitial());
        QCOMPARE(rig.state().schedule.consecutiveFailures, 1);
    }

    void C03_theCursorThatWasSentIsTheNormalEnd()
    {
        EngineRig rig(m_kind, R"("request":{"url":"$API/items","query":{"since":"${cursor.value}"}},
            "response":{"items":"items","cursor":"cursor"},"identity":"id","cursor":{"strategy":"token"})");
        rig.answer = [](const ServerRequest &request) {
            const bool isFirst = request.query(u"since"_s).value_or(QString()).isEmpty();
            return ServerReply::json("{\"items\":" + listOf(isFirst ? QList{1} : QList<int>{}) +
                                     ",\"cursor\":\"C\"}");
        };
        runCleanly(rig);
        QCOMPARE(rig.news(), createdUpTo(1));
        QVERIFY(rig.state().liveCursor.json.contains("\"C\""));
        expectQuiet(rig);
    }

    void pagesThatAreAskedForInAHeaderAreDifferentRequests()
    {
        EngineRig rig(m_kind, R"("request":{"url":"$API/items","headers":{"X-Page":"${page}"}},
            "response":{"items":"items","hasMore":"more"},"pagination":{"kind":"page"},
            "identity":"id","cursor":{"strategy":"snapshotDiff"})");
        rig.answer = [](const ServerRequest &request) {
            const int page = request.header("X-Page").toInt();
            return ServerReply::json("{\"items\":" + listOf({page}) +
                                     ",\"more\":" + (page < 3 ? "true" : "false") + "}");
        };
        runCleanly(rig);
        QCOMPARE(rig.news(), createdUpTo(3));
    }

    void C10_manyRowsWithOneTimestampComeOnceEach()
    {
        constexpr int count = 100'000;
        for (int id = 1; id <= count; ++id)
            m_api.put(id, "\"n\":1", 1'767'000'000'000);
        auto rig = rigFor(byKeyset, ListingKind::Keyset);
        int runs = 0;
        do {
            runCleanly(*rig);
            rig->clock.advance(1h);
            QVERIFY2(++runs < 20, "no end in sight");
        } while (rig->state().schedule.lastPoll->events.total() > 0);
        QCOMPARE(rig->delivered().size(), size_t(count));
        QSet<QString> subjects;
        for (const Event &event : rig->delivered())
            subjects.insert(event.subject);
        QCOMPARE(subjects.size(), count);
        QVERIFY(rig->state().liveCursor.json.size() < 200);
        (void)rig->news();
        expectQuiet(*rig, 1);
    }

    void C11_aSecondItemOfTheSameMillisecondIsFoundByAnInclusiveFilter()
    {
        EngineRig rig(m_kind, R"("request":{"url":"$API/items","query":{"since":"${cursor.value}"}},
            "response":{"items":"items"},"identity":"id",
            "cursor":{"strategy":"timestamp","field":"at","initial":"2025-01-01T00:00:00Z"})");
        QByteArray items = R"({"id":1,"at":"2025-12-31T00:00:00.005Z"})";
        rig.answer = [&items](const ServerRequest &) {
            return ServerReply::json("{\"items\":[" + items + "]}");
        };
        runCleanly(rig);
        QCOMPARE(rig.news(), QStringList{u"created 1"_s});
        items += R"(,{"id":2,"at":"2025-12-31T00:00:00.005Z"})";
        rig.clock.advance(1h);
        runCleanly(rig);
        QCOMPARE(rig.news(), QStringList{u"created 2"_s});
        expectQuiet(rig);
    }

    void C12_tieBreaksOfAnotherLengthDoNotLoop()
    {
        m_api.put(9, "\"n\":1", 1'767'000'000'000);
        m_api.put(10, "\"n\":1", 1'767'000'000'000);
        auto rig = rigFor(QByteArray(byKeyset).replace("500", "1"), ListingKind::Keyset);
        runCleanly(*rig);
        QCOMPARE(rig->news(), (QStringList{u"created 9"_s, u"created 10"_s}));
        expectQuiet(*rig);
    }

    void C16_anItemOfNextMonthDoesNotDragTheWatermark()
    {
        m_api.put(1, "\"n\":1", 1'767'225'000'000);
        m_api.put(2, "\"n\":1", 1'767'225'600'000 + 30LL * 86'400'000);
        auto rig = rigFor(byKeyset, ListingKind::Keyset);
        const RunReport report = rig->tick();
        QVERIFY(!report.error);
        QVERIFY(!report.warnings.isEmpty());
        QVERIFY2(!rig->state().liveCursor.json.contains("2026-01-31"),
                 rig->state().liveCursor.json.constData());
        (void)rig->news();
        m_api.put(3, "\"n\":1", 1'767'225'500'000);
        rig->clock.advance(1h);
        runCleanly(*rig);
        QVERIFY(rig->news().contains(u"created 3"_s));
    }

    void C24_C57_anUnmodifiedPageDeletesNothingAndTheNextScanAsksInFull()
    {
        for (int id = 1; id <= 9; ++id)
            m_api.put(id, "\"n\":1");
        auto rig = rigFor(QByteArray(byPage).replace(R"(,"total":"total")", ""), ListingKind::Page);
        // The total would change every page's tag: list without it.
        const auto lists = rig->answer;
        rig->answer = [lists](const ServerRequest &request) {
            ServerReply reply = lists(request);
            if (reply.status == 200) {
                reply.body = reply.body.left(reply.body.lastIndexOf(",\"total\"")) + '}';
            }
            const QByteArray tag = '"' + QByteArray::number(qHash(reply.body)) + '"';
            reply.headers = {{"Content-Type", "application/json"}, {"ETag", tag}};
            if (request.header("If-None-Match") == tag)
                return ServerReply{.status = 304, .headers = {{"ETag", tag}}, .body = {}};
            return reply;
        };
        runCleanly(*rig);
        QCOMPARE(rig->news(), createdUpTo(9));

        m_api.remove(5);
        rig->clock.advance(1h);
        const RunReport conditional = rig->tick();
        QCOMPARE(toString(conditional.lanes.front().verdict), "unmodified"_L1);
        QCOMPARE(rig->news(), QStringList());

        rig->requests.clear();
        rig->clock.advance(1h);
        const RunReport full = rig->tick();
        for (const ServerRequest &request : rig->requests)
            QVERIFY(request.header("If-None-Match").isEmpty());
        QCOMPARE(toString(full.lanes.front().verdict), "complete"_L1);
        QCOMPARE(rig->news(), QStringList{u"deleted 5"_s});
    }

    void C34_aBodyThatIsCutEmitsNothing()
    {
        EngineRig rig(m_kind, wholeList);
        rig.answer = [](const ServerRequest &) {
            ServerReply reply = ServerReply::json(listOf(upTo(3)));
            reply.truncateAfter = 14;
            return reply;
        };
        const RunReport report = rig.tick();
        QVERIFY(report.error);
        QCOMPARE(report.error->kind, ErrorKind::Network);
        QCOMPARE(rig.news(), QStringList());
        QCOMPARE(rig.state().counts.items, 0);
    }

    void C36_C44_aListingThatLostTooMuchIsHeld_data()
    {
        QTest::addColumn<int>("left");
        QTest::addColumn<bool>("held");
        QTest::newRow("cut to 41 %") << 41 << true;
        QTest::newRow("empty") << 0 << true;
        QTest::newRow("half of it left") << 50 << false;
    }

    void C36_C44_aListingThatLostTooMuchIsHeld()
    {
        QFETCH(int, left);
        QFETCH(bool, held);
        EngineRig rig(m_kind, wholeList);
        int last = 100;
        rig.answer = [&last](const ServerRequest &) { return ServerReply::json(listOf(upTo(last))); };
        runCleanly(rig);
        QCOMPARE(rig.news().size(), 100);
        last = left;
        rig.clock.advance(1h);
        const RunReport report = rig.tick();
        QCOMPARE(toString(report.lanes.front().verdict), held ? "suspect"_L1 : "complete"_L1);
        QCOMPARE(rig.news().size(), held ? 0 : 100 - left);
        QCOMPARE(rig.state().counts.held, held ? 100 - left : 0);
        last = 100;
        rig.clock.advance(1h);
        runCleanly(rig);
        QCOMPARE(rig.state().counts.held, 0);
        QCOMPARE(rig.news().size(), held ? 0 : 100 - left);
    }

    void C37_aLoginPageIsAnErrorThatNamesIt()
    {
        EngineRig rig(m_kind, wholeList);
        rig.answer = [](const ServerRequest &) { return ServerReply::json(listOf(upTo(3))); };
        runCleanly(rig);
        (void)rig.news();
        rig.answer = [](const ServerRequest &) {
            ServerReply reply;
            reply.headers = {{"Content-Type", "text/html; charset=utf-8"}};
            reply.body = "<html><body>Log in</body></html>";
            return reply;
        };
        rig.clock.advance(1h);
        const RunReport report = rig.tick();
        QVERIFY(report.error);
        QVERIFY2(report.error->oneLine().contains(u"text/html"_s), qPrintable(report.error->oneLine()));
        QCOMPARE(rig.state().counts.items, 3);
        QCOMPARE(rig.news(), QStringList());
    }

    void C54_C60_whatCannotBecomeAnEventIsSetAsideAndTheRestFlows()
    {
        EngineRig rig(m_kind, wholeList);
        QByteArrayList items;
        for (int id = 1; id <= 98; ++id)
            items.append("{\"id\":" + QByteArray::number(id) + "}");
        items.insert(10, R"({"id":null})");
        items.insert(20, R"({"id":{"a":1}})");
        items.insert(30, R"({"nothing":1})");
        items.insert(40, R"({"id":200,"x":1e400})");
        items.insert(50, R"({"id":201,"x":NaN})");
        rig.answer = [&](const ServerRequest &) { return ServerReply::json('[' + items.join(',') + ']'); };
        for (int run = 0; run < 3; ++run) {
            const RunReport report = rig.tick();
            QVERIFY(!report.error);
            const QStringList news = rig.news();
            // 1e400 has exact digits of its own: it is an item like any other.
            QCOMPARE(news.size(), run == 0 ? 99 : 0);
            QCOMPARE(rig.state().counts.parked, 4);
            rig.clock.advance(1h);
        }
        const auto parked = QCoro::waitFor(rig.store().readParked({.poller = u"items"_s}));
        QVERIFY(parked);
        QCOMPARE(parked->size(), 4U);
        for (const ParkedRow &row : *parked) {
            QCOMPARE(toString(row.kind), "invalid"_L1);
            QCOMPARE(row.seen, 3);
            QVERIFY(!row.issues.isEmpty() && !row.error.nextStep.isEmpty());
        }
    }

    void C59_aNumericIdentityIsNoPhantom()
    {
        EngineRig rig(m_kind, wholeList);
        rig.answer = [](const ServerRequest &) {
            return ServerReply::json(R"([{"id":7},{"id":1.50},{"id":"8"}])");
        };
        runCleanly(rig);
        QCOMPARE(rig.news().size(), 3);
        expectQuiet(rig, 5);
    }

    void C68_anItemThatDiffersBetweenPagesIsOneWarningPerCycle()
    {
        EngineRig rig(m_kind, byPage);
        rig.answer = [](const ServerRequest &request) {
            const qint64 page = request.number(u"page"_s, 1);
            const QByteArray items = page == 1   ? R"({"id":1,"views":10},{"id":2,"n":1})"
                                     : page == 2 ? R"({"id":3,"n":1},{"id":4,"n":1})"
                                                 : R"({"id":1,"views":11},{"id":5,"n":1})";
            return ServerReply::json("{\"items\":[" + items + "],\"more\":" + (page < 3 ? "true" : "false") +
                                     "}");
        };
        for (int run = 0; run < 3; ++run) {
            const RunReport report = rig.tick();
            QCOMPARE(toString(report.lanes.front().verdict), "unstable"_L1);
            QVERIFY(hasWarning(report, u"unstable-identity"_s));
            QCOMPARE(report.warnings.size(), 1);
            QCOMPARE(rig.news().size(), run == 0 ? 5 : 0);
            rig.clock.advance(1h);
        }
    }

    void C71_aFullScanHasACapOfItsOwn()
    {
        constexpr int pages = 400;
        for (int id = 1; id <= pages * 3; ++id)
            m_api.put(id, "\"n\":1");
        auto rig = rigFor(byPage + R"(,"maxPagesPerCycle":50)", ListingKind::Page);
        const RunReport report = rig->tick();
        QCOMPARE(report.lanes.front().pages, pages);
        QCOMPARE(toString(report.lanes.front().verdict), "complete"_L1);
        QCOMPARE(rig->delivered().size(), size_t(pages * 3));
    }
};

int main(int argc, char **argv)
{
    const QCoreApplication app(argc, argv);
    return runOnEveryStore<TestListings>(argc, argv);
}

#include "test_listings.moc"
