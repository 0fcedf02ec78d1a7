// SPDX-License-Identifier: GPL-3.0-or-later
// Listings that no run can hold: they go on where the run before ended, and deletes are still told.
#include "tests/run/cyclesuite.h"

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace watukuy;
using namespace watukuy::tests;

namespace {

const QByteArray onePageATime = R"("requests":1,"per":"1m","maxWait":"1s")";

const QByteArray byNextUrl =
    R"("request":{"url":"$API/items"},"response":{"items":"data"},"identity":"id",
    "cursor":{"strategy":"snapshotDiff"},"pagination":{"kind":"nextUrl","path":"next"},"budget":"b",
    "schedule":{"min":"6m","max":"6m","jitter":0})";

const QByteArray byToken =
    R"("request":{"url":"$API/items","query":{"after":"${next}"}},"response":{"items":"data"},
    "identity":"id","cursor":{"strategy":"snapshotDiff"},"pagination":{"kind":"token","path":"next"},"budget":"b",
    "schedule":{"min":"6m","max":"6m","jitter":0})";

bool isWarnedOf(const EngineRig &rig, const QString &words)
{
    return std::ranges::any_of(rig.log, [&](const LogLine &line) { return line.text.contains(words); });
}

/// A page of one item that names where the next one is.
ServerReply onePage(int id, const QByteArray &next)
{
    return ServerReply::json("{\"data\":[{\"id\":" + QByteArray::number(id) +
                             "}],\"next\":" + (next.isEmpty() ? "null" : '"' + next + '"') + '}');
}

} // namespace

class TestPieces : public CycleSuite {
    Q_OBJECT

public:
    using CycleSuite::CycleSuite;

private:
    /// Twelve items on four pages, listed every six minutes; so many pages a minute. No total gives away a
    /// change.
    std::unique_ptr<EngineRig> withAListingLargerThanItsBudget(const QByteArray &pages = "1")
    {
        for (int id = 1; id <= 12; ++id)
            m_api.put(id, "\"n\":1");
        auto rig = std::make_unique<EngineRig>(
            m_kind,
            QByteArray(byPage).replace("\"total\":\"total\"", "\"onStatus\":{\"502\":\"ignore-page\"}") +
                ",\"budget\":\"b\",\"schedule\":{\"min\":\"6m\",\"max\":\"6m\",\"jitter\":0}",
            theBudget("\"requests\":" + pages + ",\"per\":\"1m\",\"maxWait\":\"1s\""));
        rig->answer = [this](const ServerRequest &request) { return m_api.list(request, ListingKind::Page); };
        rig->engine().start();
        rig->settle();
        passInSteps(*rig, 300s);
        [&] { QCOMPARE(rig->news().size(), 12); }();
        return rig;
    }

private Q_SLOTS:
    void aListingLargerThanItsBudgetStillTellsWhatWasDeleted()
    {
        const auto rig = withAListingLargerThanItsBudget();
        m_api.remove(11);
        passInSteps(*rig, 24min);
        QCOMPARE(rig->news(), QStringList{u"deleted 11"_s});
        rig->requests.clear();
        passInSteps(*rig, 18min);
        QVERIFY(rig->requests.size() <= 12); // with nothing in doubt it is listed once in six minutes
    }

    void aListingInPiecesDeletesNothingThatMovedUpMeanwhile()
    {
        const auto rig = withAListingLargerThanItsBudget();
        // In each of the two listings one goes from page 1 when it is read already: another moves up to it.
        int removed = 0;
        rig->answer = [&](const ServerRequest &request) {
            if (request.number(u"page"_s, 1) == 2 && removed < 2)
                m_api.remove(++removed);
            return m_api.list(request, ListingKind::Page);
        };
        passInSteps(*rig, 72min);
        QCOMPARE(rig->news(), (QStringList{u"deleted 1"_s, u"deleted 2"_s}));
    }

    void aHoleInAListingInPiecesDeletesNothing_data()
    {
        QTest::addColumn<bool>("etags");
        QTest::newRow("what has not changed has no body either") << true;
        QTest::newRow("every page has its body") << false;
    }
    void aHoleInAListingInPiecesDeletesNothing()
    {
        QFETCH(bool, etags);
        m_api.etags = etags;
        const auto rig = withAListingLargerThanItsBudget("2");
        const auto healthy = rig->answer;
        rig->answer = [healthy](const ServerRequest &request) {
            return request.number(u"page"_s, 1) == 1 ? ServerReply::json("{}", 502) : healthy(request);
        };
        passInSteps(*rig, 36min);
        QCOMPARE(rig->news(), QStringList());
        m_api.put(12, "\"n\":2"); // on the last page
        passInSteps(*rig, 18min);
        QCOMPARE(rig->news(), QStringList{u"updated 12"_s});
        rig->answer = healthy;
        m_api.remove(7);
        passInSteps(*rig, 36min);
        QCOMPARE(rig->news(), QStringList{u"deleted 7"_s});
    }

    void aReconcileInPiecesDeletesNothingThatTheLiveLaneFoundMeanwhile()
    {
        const QByteArray members =
            R"("request":{"url":"$API/new","query":{"after":"${cursor.value}"}},"response":{"items":"data"},
            "identity":"id","cursor":{"strategy":"timestamp","field":"at","initial":"2025-01-01T00:00:00Z"},
            "pagination":{"kind":"none"},"schedule":{"min":"1m","max":"1m","jitter":0},"budget":"b",
            "reconcile":{"every":"6m","request":{"url":"$API/all","query":{"page":"${page}"}},
            "response":{"items":"data","hasMore":"more"},"pagination":{"kind":"page"}})";
        EngineRig rig(m_kind, members, theBudget("\"requests\":2,\"per\":\"1m\",\"maxWait\":\"1s\""));
        // One comes with each listing, right after its first page, which begins with the newest.
        int newest = 9;
        QSet<int> gone;
        rig.answer = [&newest, &gone](const ServerRequest &request) {
            const bool isReconcile = request.path == u"/all"_s;
            const qint64 page = request.number(u"page"_s, 1);
            const int first = isReconcile ? newest - 3 * static_cast<int>(page - 1) : newest;
            const int last = isReconcile ? std::max(1, first - 2) : 1;
            newest += isReconcile && page == 1 ? 1 : 0;
            QByteArrayList items;
            for (int id = first; id >= last; --id)
                if (!gone.contains(id))
                    items.append("{\"id\":" + QByteArray::number(id) + ",\"at\":\"2025-02-01T00:" +
                                 QByteArray::number(id).rightJustified(2, '0') + ":00Z\"}");
            return ServerReply::json("{\"data\":[" + items.join(',') +
                                     "],\"more\":" + (last > 1 ? "true" : "false") + "}");
        };
        rig.engine().start();
        rig.settle();
        passInSteps(rig, 72min);
        QVERIFY(newest > 12);
        const QStringList news = rig.news();
        QVERIFY2(news.filter(u"deleted"_s).isEmpty(), qPrintable(news.join(u", "_s)));
        QVERIFY(news.contains(u"created 12"_s));
        gone.insert(5);
        passInSteps(rig, 72min);
        QCOMPARE(rig.news().filter(u"deleted"_s), QStringList{u"deleted 5"_s});
    }

    void whatTheLiveLaneFoundDuringTheFirstListingIsNotDeletedByTheSecond()
    {
        const QByteArray members =
            R"("request":{"url":"$API/new","query":{"after":"${cursor.value}"}},"response":{"items":"data"},
            "identity":"id","cursor":{"strategy":"timestamp","field":"at","initial":"2025-01-01T00:00:00Z"},
            "pagination":{"kind":"none"},"schedule":{"min":"1m","max":"1m","jitter":0},"budget":"b",
            "reconcile":{"every":"6m","request":{"url":"$API/all","query":{"page":"${page}"}},
            "response":{"items":"data","hasMore":"more"},"pagination":{"kind":"page"}})";
        EngineRig rig(m_kind, members, theBudget("\"requests\":2,\"per\":\"1m\",\"maxWait\":\"1s\""));
        bool isListing =
            false; // from then on 2 is gone, and 9 is there, always on the page that is not asked for
        rig.answer = [&isListing](const ServerRequest &request) {
            const auto item = [](int id) {
                return "{\"id\":" + QByteArray::number(id) + ",\"at\":\"2025-02-01T00:0" +
                       QByteArray::number(id) + ":00Z\"}";
            };
            const qint64 page = request.number(u"page"_s, 1);
            if (request.path == u"/new"_s)
                return ServerReply::json("{\"data\":[" + item(1) + ',' + item(2) + ',' + item(3) +
                                         (isListing ? ',' + item(9) : QByteArray()) + "]}");
            isListing = true;
            return ServerReply::json("{\"data\":[" + item(page == 2 ? 3 : 1) +
                                     "],\"more\":" + (page < 3 ? "true" : "false") + "}");
        };
        rig.engine().start();
        rig.settle();
        QStringList news;
        for (int step = 0; step < 600 && news.filter(u"deleted"_s).isEmpty(); ++step) {
            passInSteps(rig, 6s);
            news += rig.news();
        }
        QCOMPARE(news, createdUpTo(3) + QStringList({u"created 9"_s, u"deleted 2"_s}));
    }

    void aRestartBetweenTwoPiecesForgetsNothing()
    {
        const auto rig = withAListingLargerThanItsBudget();
        m_api.remove(11);
        for (int pieces = 0; pieces < 24; ++pieces) {
            rig->restart();
            rig->engine().start();
            rig->settle();
            passInSteps(*rig, 60s);
        }
        QCOMPARE(rig->news(), QStringList{u"deleted 11"_s});
    }

    void aThrottledListingInPiecesStillTellsWhatWasDeleted()
    {
        const auto rig = withAListingLargerThanItsBudget("4");
        m_api.remove(11);
        int asked = 0;
        rig->answer = [&](const ServerRequest &request) {
            if (++asked % 3 == 0) {
                ServerReply reply = ServerReply::json("{}", 429);
                reply.with("Retry-After", "60");
                return reply;
            }
            return m_api.list(request, ListingKind::Page);
        };
        passInSteps(*rig, 24min);
        QCOMPARE(rig->news(), QStringList{u"deleted 11"_s});
    }

    void anExpiredPlaceBeginsTheListingAgainAndThatIsStored()
    {
        EngineRig rig(m_kind, byToken, theBudget(onePageATime));
        bool expired = true;
        rig.answer = [&expired](const ServerRequest &request) {
            const QString after = request.query(u"after"_s).value_or(QString());
            if (after.isEmpty())
                return onePage(1, expired ? "old" : "new");
            if (after == u"old"_s)
                return ServerReply::json("{}", 410);
            return onePage(2, {});
        };
        rig.engine().start();
        rig.settle();
        expired = false;
        passInSteps(rig, 300s);
        QCOMPARE(rig.news(), (QStringList{u"created 1"_s, u"created 2"_s}));
        QVERIFY(isWarnedOf(rig, u"began again"_s));
    }

    void anExpiredPlaceInAConfirmingListingKeepsWhatTheFirstHasSeen()
    {
        EngineRig rig(m_kind, byToken, theBudget(onePageATime));
        // Each listing has its own tokens. The second is refused once on its way; 3 is gone from the start
        // of it, 2 hides while the second goes on and 4 while it begins.
        int listing = 0;
        bool gone = false;
        bool refuse = false;
        rig.answer = [&](const ServerRequest &request) {
            const QString after = request.query(u"after"_s).value_or(QString());
            const QByteArray token = "t" + QByteArray::number(listing);
            if (after.isEmpty()) {
                ++listing;
                return onePage(1, "t" + QByteArray::number(listing) + "-2");
            }
            if (!after.startsWith(QString::fromLatin1(token)) || refuse) {
                refuse = false;
                return ServerReply::json("{}", 410);
            }
            if (after.endsWith(u"-2"_s))
                return onePage(2, gone ? QByteArray() : token + "-3");
            return onePage(3, {});
        };
        rig.engine().start();
        rig.settle();
        passInSteps(rig, 300s);
        QCOMPARE(rig.news(), createdUpTo(3));
        gone = true;
        passInSteps(rig, 270s); // the next listing has ended, and what it misses is being confirmed
        QVERIFY(rig.state().liveScan);
        const qint64 confirms = rig.state().liveScan->confirms;
        QVERIFY(confirms != 0);
        refuse = true;
        passInSteps(rig, 90s);
        QVERIFY(!refuse);
        QVERIFY(rig.state().liveScan);
        QCOMPARE(rig.state().liveScan->confirms, confirms);
        passInSteps(rig, 6min);
        QCOMPARE(rig.news(), QStringList{u"deleted 3"_s});
    }

    void pagesThatPointInACircleAreNoticedInPiecesToo()
    {
        EngineRig rig(m_kind, byNextUrl, theBudget(onePageATime));
        rig.answer = [](const ServerRequest &request) {
            const int page = static_cast<int>(request.number(u"n"_s, 0));
            return onePage(page, "items?n=" + QByteArray::number(page == 4 ? 2 : page + 1));
        };
        rig.engine().start();
        rig.settle();
        passInSteps(rig, 18min);
        QVERIFY(rig.state().schedule.lastError);
        QCOMPARE(rig.state().schedule.lastError->name, u"RepeatedRequestError"_s);
    }

    void anIgnoredPageNumberIsNoticedInPiecesToo()
    {
        for (int id = 1; id <= 3; ++id)
            m_api.put(id, "\"n\":1");
        EngineRig rig(m_kind, QByteArray(byPage).replace(",\"total\":\"total\"", "") + R"(,"budget":"b",
                      "schedule":{"min":"6m","max":"6m","jitter":0})",
                      theBudget(onePageATime));
        rig.answer = [](const ServerRequest &) {
            return ServerReply::json(R"({"items":[{"id":1},{"id":2},{"id":3}],"more":true})");
        };
        rig.engine().start();
        rig.settle();
        passInSteps(rig, 180s);
        QVERIFY(rig.requests.size() <= 3);
        QVERIFY(!rig.state().liveScan);
        QVERIFY(isWarnedOf(rig, u"page"_s));
    }

    void aTotalThatChangesOnTheWayIsTold()
    {
        const auto rig = rigFor(QByteArray(byPage), ListingKind::Page);
        for (int id = 1; id <= 5; ++id)
            m_api.put(id, "\"n\":1");
        (void)runCleanly(*rig);
        rig->clock.advance(1h);
        rig->answer = [this](const ServerRequest &request) {
            if (request.number(u"page"_s, 1) == 2)
                m_api.remove(1);
            return m_api.list(request, ListingKind::Page);
        };
        const RunReport report = runCleanly(*rig);
        QVERIFY(hasWarning(report, u"total-changed"_s));
        QVERIFY(rig->news().filter(u"deleted"_s).isEmpty());
    }
};

int main(int argc, char **argv)
{
    const QCoreApplication app(argc, argv);
    return runOnEveryStore<TestPieces>(argc, argv);
}

#include "test_pieces.moc"
