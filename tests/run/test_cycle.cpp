// SPDX-License-Identifier: GPL-3.0-or-later
// The poll cycle over real HTTP: what is created, updated and deleted, once each, whatever the listing does.
#include <QSet>
#include <QTest>

#include "tests/support/enginerig.h"

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace watukuy;
using namespace watukuy::tests;
using demo::ListingApi;
using demo::ListingKind;
using demo::ServerReply;
using demo::ServerRequest;

namespace {

const QByteArray byPage = R"("request":{"url":"$API/items","query":{"page":"${page}","limit":"3"}},
  "response":{"items":"items","hasMore":"more","total":"total"},"identity":"id",
  "cursor":{"strategy":"snapshotDiff"})";

const QByteArray byKeyset = R"("request":{"url":"$API/items",
  "query":{"updated_since":"${cursor.value}","after_id":"${cursor.tieBreak}","limit":"500"}},
  "response":{"items":"data","hasMore":"has_more"},"identity":"id",
  "cursor":{"strategy":"timestamp","field":"updatedAt","tieBreak":"id","initial":"2025-01-01T00:00:00Z"})";

/// A poller whose listing is one bare array.
const QByteArray wholeList =
    R"("request":{"url":"$API/items"},"identity":"id","cursor":{"strategy":"snapshotDiff"})";

QByteArray listOf(const QList<int> &ids)
{
    QByteArrayList items;
    for (const int id : ids)
        items.append("{\"id\":" + QByteArray::number(id) + ",\"n\":1}");
    return '[' + items.join(',') + ']';
}

QList<int> upTo(int last)
{
    QList<int> ids;
    for (int id = 1; id <= last; ++id)
        ids.append(id);
    return ids;
}

bool hasWarning(const RunReport &report, const QString &code)
{
    return std::ranges::any_of(report.warnings, [&](const Warning &warning) { return warning.code == code; });
}

QStringList createdUpTo(int last)
{
    QStringList lines;
    for (int id = 1; id <= last; ++id)
        lines.append(u"created %1"_s.arg(id));
    return lines;
}

} // namespace

class TestCycle : public QObject {
    Q_OBJECT

public:
    explicit TestCycle(StoreKind kind)
        : m_kind(kind)
    {
    }

private:
    /// A rig whose server lists `m_api`.
    std::unique_ptr<EngineRig> rigFor(const QByteArray &members, ListingKind kind)
    {
        auto rig = std::make_unique<EngineRig>(m_kind, members);
        rig->answer = [this, kind](const ServerRequest &request) { return m_api.list(request, kind); };
        return rig;
    }

    static RunReport runCleanly(EngineRig &rig)
    {
        RunReport report = rig.tick();
        if (report.error)
            QTest::qFail(qPrintable(report.error->oneLine()), __FILE__, __LINE__);
        return report;
    }

    static void expectQuiet(EngineRig &rig, int runs = 2)
    {
        for (int run = 0; run < runs; ++run) {
            rig.clock.advance(1h);
            (void)runCleanly(rig);
            QCOMPARE(rig.news(), QStringList());
        }
    }

    StoreKind m_kind;
    ListingApi m_api{[] { return qint64(1'767'225'600'000); }};

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
        auto run = rig.engine().tick(1h, [](const Key &) { return true; });
        QTRY_COMPARE(rig.requests.size(), 1);
        QCoro::waitFor(rig.engine().stop(20ms));
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
