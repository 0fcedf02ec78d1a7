// SPDX-License-Identifier: GPL-3.0-or-later
// Partitions: where they are listed, what becomes of them, and when a poller may ask at all.
#include <QFile>

#include "engine/api/operations.h"
#include "engine/schedule/schedule.h"
#include "tests/run/cyclesuite.h"

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace watukuy;
using namespace watukuy::tests;

namespace {

const QByteArray perPartition =
    R"("request":{"url":"$API/items","query":{"tenant":"${partition.key}","slug":"${partition.data.slug}"}},
    "identity":"id","cursor":{"strategy":"snapshotDiff"},"schedule":{"min":"10s","max":"10s","jitter":0})";

const QByteArray listedByApi = perPartition +
                               R"(,"partitions":{"request":{"url":"$API/tenants"},
    "items":"tenants","key":"id","refresh":"1m"})";

const QByteArray listedByFile = perPartition + R"(,"partitions":{"file":"tenants.json","refresh":"1m"})";

} // namespace

class TestPartitions : public CycleSuite {
    Q_OBJECT

public:
    using CycleSuite::CycleSuite;

private:
    std::unique_ptr<EngineRig> started(const QByteArray &members = listedByApi)
    {
        auto rig = std::make_unique<EngineRig>(m_kind, members);
        rig->answer = [this](const ServerRequest &request) {
            if (request.path == u"/tenants"_s)
                return m_tenants;
            m_asked.append(QString::fromUtf8(request.target));
            return ServerReply::json("[{\"id\":1}]");
        };
        m_asked.clear();
        rig->engine().start();
        rig->settle();
        rig->settle();
        return rig;
    }
    static ServerReply tenants(const QByteArrayList &ids)
    {
        QByteArrayList items;
        for (const QByteArray &id : ids)
            items.append("{\"id\":" + id + ",\"slug\":\"s" + id + "\"}");
        return ServerReply::json("{\"tenants\":[" + items.join(',') + "]}");
    }
    static KeyState stateOf(EngineRig &rig, const QString &partition)
    {
        return *QCoro::waitFor(rig.store().loadKey({u"items"_s, partition}));
    }
    static void write(const EngineRig &rig, const QByteArray &text)
    {
        QFile file(rig.path(u"tenants.json"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }

    static qsizetype countOf(const EngineRig &rig, const QString &path)
    {
        return std::ranges::count(rig.requests, path, &ServerRequest::path);
    }

    ServerReply m_tenants;
    QStringList m_asked;

private Q_SLOTS:
    void aListingMakesTheKeysAndFillsTheirRequests()
    {
        m_tenants = tenants({"7", "9"});
        const auto rig = started();
        QCOMPARE(m_asked, (QStringList{u"/items?tenant=7&slug=s7"_s, u"/items?tenant=9&slug=s9"_s}));
        m_tenants = tenants({"7", "9", "11"});
        rig->pass(61s);
        QCOMPARE(m_asked.last(), u"/items?tenant=11&slug=s11"_s); // new = due at once
        QCOMPARE(rig->engine().keys().size(), size_t(3));
    }

    void furtherPagesOfTheListingAreFollowed()
    {
        auto rig = std::make_unique<EngineRig>(m_kind, listedByApi);
        rig->answer = [](const ServerRequest &request) {
            if (request.target == "/tenants")
                return tenants({"1", "2"}).with("Link", "</tenants?page=2>; rel=\"next\"");
            if (request.path == u"/tenants"_s)
                return tenants({"2", "3"});
            return ServerReply::json("[]");
        };
        rig->engine().start();
        rig->settle();
        rig->settle();
        QCOMPARE(rig->engine().keys().size(), size_t(3));
    }

    void C66_aPartitionThatIsGoneRestsAndComesBackByItself()
    {
        m_tenants = tenants({"7", "9"});
        const auto rig = started();
        m_tenants = tenants({"9"});
        rig->pass(61s);
        QCOMPARE(toString(schedule::visibleState(stateOf(*rig, u"7"_s), false, rig->clock.now())),
                 "Paused"_L1);
        m_asked.clear();
        rig->pass(50s);
        QVERIFY(!m_asked.isEmpty());
        QVERIFY(!m_asked.contains(u"/items?tenant=7&slug=s7"_s));
        m_tenants = tenants({"7", "9"});
        rig->pass(20s);
        QVERIFY(m_asked.contains(u"/items?tenant=7&slug=s7"_s));
        QCOMPARE(stateOf(*rig, u"7"_s).counts.items, 1); // nothing was forgotten meanwhile
    }

    void C55_aListingThatFailsChangesNothingAlsoOverARestart()
    {
        m_tenants = tenants({"7", "9"});
        const auto rig = started();
        m_tenants = ServerReply::json("{}", 500);
        rig->pass(2min);
        QVERIFY(rig->engine().listingErrorOf(u"items"_s));
        m_asked.clear();
        rig->restart();
        rig->engine().start();
        rig->pass(1min);
        QVERIFY(m_asked.contains(u"/items?tenant=7&slug=s7"_s));
        QVERIFY(m_asked.contains(u"/items?tenant=9&slug=s9"_s));
        QVERIFY(rig->engine().listingErrorOf(u"items"_s));
        m_tenants = tenants({"7", "9"});
        rig->pass(20s); // tried again after `min`, not only after `refresh`
        QVERIFY(!rig->engine().listingErrorOf(u"items"_s));
    }

    void anEntryWithoutAKeyFailsTheWholeListing()
    {
        m_tenants = tenants({"7", "9"});
        const auto rig = started();
        m_tenants = ServerReply::json("{\"tenants\":[{\"id\":7},{\"id\":{}}]}");
        rig->pass(61s);
        const auto error = rig->engine().listingErrorOf(u"items"_s);
        QVERIFY(error);
        QVERIFY2(error->detail.contains(u"Item 2"_s), qPrintable(error->oneLine()));
        QCOMPARE(toString(schedule::visibleState(stateOf(*rig, u"9"_s), false, rig->clock.now())), "Idle"_L1);
    }

    void aListingThatIsThrottledIsAskedAgainWhenTheApiSaysSo()
    {
        m_tenants = tenants({"7"});
        const auto rig = started();
        m_tenants = ServerReply::json("{}", 429).with("Retry-After", "300");
        rig->pass(61s);
        const qsizetype asked = countOf(*rig, u"/tenants"_s);
        rig->pass(4min);
        QCOMPARE(countOf(*rig, u"/tenants"_s), asked);
        rig->pass(2min);
        QVERIFY(countOf(*rig, u"/tenants"_s) > asked);
    }

    void aSourceThatWasEditedIsAskedAtOnce()
    {
        m_tenants = tenants({"7"});
        const auto rig = started();
        QByteArray edited = listedByApi;
        edited.replace("$API/tenants", "$API/tenants?all=1");
        const qsizetype asked = countOf(*rig, u"/tenants"_s);
        rig->restart(edited);
        rig->engine().start();
        rig->settle();
        QCOMPARE(countOf(*rig, u"/tenants"_s), asked + 1);
    }

    void aFileListsThemAndItsMistakesAreLocated()
    {
        EngineRig rig(m_kind, listedByFile);
        rig.answer = [this](const ServerRequest &request) {
            m_asked.append(QString::fromUtf8(request.target));
            return ServerReply::json("[]");
        };
        m_asked.clear();
        write(rig, "[\"north\", {\"key\":\"south\",\"data\":{\"slug\":\"s\"}}]");
        rig.engine().start();
        rig.settle();
        rig.settle();
        // A null member of the query is left out.
        QCOMPARE(m_asked, (QStringList{u"/items?tenant=north"_s, u"/items?tenant=south&slug=s"_s}));
        write(rig, "[\"north\",\n {\"key\":\"north\"}]");
        rig.pass(61s);
        const auto error = rig.engine().listingErrorOf(u"items"_s);
        QVERIFY(error);
        QVERIFY2(error->detail.contains(u"line 2"_s) && error->detail.contains(u"/1/key"_s),
                 qPrintable(error->oneLine()));
        QCOMPARE(rig.engine().keys().size(), size_t(2));
    }

    void anotherPollersSnapshotListsThem()
    {
        const QByteArray tenants = "\"tenants\":{\"request\":{\"url\":\"$API/tenants\"},\"identity\":\"id\","
                                   "\"cursor\":{\"strategy\":\"snapshotDiff\"},\"retain\":\"payload\"},";
        QByteArray members = perPartition + ",\"partitions\":{\"poller\":\"tenants\",\"refresh\":\"1m\"}";
        EngineRig rig(m_kind, members + ",\"deliver\":{\"to\":[\"log\"]}}," +
                                  tenants.chopped(2)); // the rig closes the last poller
        rig.answer = [this](const ServerRequest &request) {
            if (request.path == u"/tenants"_s)
                return m_tenants;
            m_asked.append(QString::fromUtf8(request.target));
            return ServerReply::json("[]");
        };
        m_tenants = ServerReply::json("[{\"id\":5,\"slug\":\"five\"}]");
        m_asked.clear();
        rig.engine().start();
        rig.pass(2s); // as soon as the other poller has listed something
        QCOMPARE(m_asked.value(0), u"/items?tenant=5&slug=five"_s);
        m_tenants = ServerReply::json("[{\"id\":5,\"slug\":\"five\"},{\"id\":6,\"slug\":\"six\"}]");
        rig.pass(2min);
        QVERIFY(m_asked.contains(u"/items?tenant=6&slug=six"_s));
    }

    void aListingLargerThanItsBudgetWaitsAndIsWhole()
    {
        EngineRig rig(m_kind, listedByApi + ",\"budget\":\"b\"",
                      ",\"budgets\":{\"b\":{\"requests\":1,\"per\":\"1m\",\"maxWait\":\"1s\"}}");
        rig.answer = [](const ServerRequest &request) {
            if (request.path != u"/tenants"_s)
                return ServerReply::json("[]");
            const qint64 page = request.number(u"page"_s, 1);
            const ServerReply reply = tenants({QByteArray::number(page)});
            return page == 4 ? reply
                             : ServerReply(reply).with(
                                   "Link", "</tenants?page=" + QByteArray::number(page + 1) + ">; rel=next");
        };
        rig.engine().start();
        rig.pass(150s);
        QVERIFY(rig.engine().keys().empty());
        rig.pass(40s);
        QCOMPARE(rig.engine().keys().size(), size_t(4));
        QCOMPARE(countOf(rig, u"/tenants"_s), 4);
    }

    void aStopEndsAListingThatWaits()
    {
        EngineRig rig(m_kind, listedByApi + ",\"budget\":\"b\"",
                      ",\"budgets\":{\"b\":{\"requests\":1,\"per\":\"1d\",\"maxWait\":\"1s\"}}");
        rig.answer = [](const ServerRequest &) {
            return ServerReply(tenants({"7"})).with("Link", "</tenants?page=2>; rel=next");
        };
        rig.engine().start();
        rig.pass(5s);
        QCOMPARE(countOf(rig, u"/tenants"_s), 1);
        rig.restart(); // waits for it
        QVERIFY(rig.engine().keys().empty());
        QVERIFY(!QCoro::waitFor(rig.store().readPartitionListing(u"items"_s))->lastError);
    }

    void aKeyThatWasRemovedIsForgottenByARunningEngine()
    {
        m_tenants = tenants({"7", "9"});
        const auto rig = started();
        m_tenants = tenants({"9"});
        rig->pass(61s);
        AuditRow row;
        row.at = rig->clock.now();
        row.key = {u"items"_s, u"7"_s};
        QVERIFY(QCoro::waitFor(rig->store().removeKey(row.key, row)));
        rig->engine().noticeChanges();
        rig->settle();
        QCOMPARE(rig->engine().keys().size(), size_t(1));
        m_tenants = tenants({"7", "9"});
        rig->pass(61s);
        QCOMPARE(rig->engine().keys().size(), size_t(2));
    }

    void aKeyThatIsRemovedWhileItRunsIsForgottenToo()
    {
        m_tenants = tenants({"7", "9"});
        const auto rig = started();
        AuditRow row;
        row.at = rig->clock.now();
        row.key = {u"items"_s, u"7"_s};
        bool isRemoved = false;
        rig->answer = [&](const ServerRequest &request) {
            if (request.path == u"/tenants"_s)
                return m_tenants;
            if (request.target.contains("tenant=7") && !std::exchange(isRemoved, true))
                (void)rig->store().removeKey(row.key, row); // answered later, and fences the run off
            return ServerReply::json("[{\"id\":2}]");
        };
        rig->pass(15s);
        QVERIFY(isRemoved);
        QCOMPARE(rig->engine().keys().size(), size_t(1));
        rig->log.clear();
        rig->pass(10s);
        QVERIFY(rig->log.size() < 5);
    }

    void outsideItsActiveWindowsAPollerIsQuietUnlessTriggered()
    {
        // The clock starts at 2026-01-01T00:00:00Z, a Thursday.
        EngineRig rig(m_kind, wholeList + ",\"schedule\":{\"min\":\"10m\",\"max\":\"10m\",\"jitter\":0,"
                                          "\"activeWindows\":[\"CRON_TZ=UTC * 8-9 * * *\"]}");
        QList<Instant> moments;
        rig.answer = [&](const ServerRequest &) {
            moments.append(rig.clock.now());
            return ServerReply::json("[]");
        };
        const Instant midnight = rig.clock.now();
        rig.engine().start();
        rig.pass(1min);
        QVERIFY(moments.isEmpty());
        const auto &entry = rig.engine().keys().at(rig.key());
        const KeySnapshot quiet = snapshotOf(entry.state, entry.poller.get(), false, {}, rig.clock.now());
        QCOMPARE(quiet.waitingForCode, u"window"_s);
        QCOMPARE(quiet.waitingUntil, std::optional(midnight + 8h));

        AuditRow row;
        row.at = rig.clock.now();
        row.key = rig.key();
        QVERIFY(QCoro::waitFor(rig.store().triggerKey(
            rig.key(), schedule::afterTrigger(rig.state().schedule, row.at).state, row)));
        rig.engine().noticeChanges();
        rig.settle();
        QCOMPARE(moments.size(), 1);
        for (int hour = 0; hour < 11; ++hour) {
            rig.clock.advance(1h);
            rig.settle();
        }
        rig.pass(1min);
        QVERIFY(moments.size() > 1);
        for (qsizetype index = 1; index < moments.size(); ++index)
            QVERIFY(moments[index] >= midnight + 8h && moments[index] < midnight + 10h);
    }
};

int main(int argc, char **argv)
{
    const QCoreApplication app(argc, argv);
    return runOnEveryStore<TestPartitions>(argc, argv);
}

#include "test_partitions.moc"
