// SPDX-License-Identifier: GPL-3.0-or-later
// The engine over time: when keys run, what it notices, how it stops. Time is moved by hand.
#include <QTest>

#include "tests/support/enginerig.h"

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace watukuy;
using namespace watukuy::tests;
using demo::ServerReply;
using demo::ServerRequest;

namespace {

const QByteArray every10s =
    R"("request":{"url":"$API/items"},"identity":"id","cursor":{"strategy":"snapshotDiff"},
    "schedule":{"min":"10s","max":"10s","jitter":0})";

const QByteArray oneItem = R"([{"id":1}])";

} // namespace

class TestEngine : public QObject {
    Q_OBJECT

public:
    explicit TestEngine(StoreKind kind)
        : m_kind(kind)
    {
    }

private:
    std::unique_ptr<EngineRig> started(const QByteArray &members = every10s)
    {
        auto rig = std::make_unique<EngineRig>(m_kind, members);
        rig->answer = [this](const ServerRequest &) { return m_reply; };
        rig->engine().start();
        rig->settle();
        return rig;
    }

    static AuditRow audit(const EngineRig &rig)
    {
        AuditRow row;
        row.at = rig.clock.now();
        row.key = rig.key();
        return row;
    }

    /// The moments of the requests, as whole seconds since `began`.
    static QList<qint64> secondsOf(const QList<Instant> &moments, Instant began)
    {
        QList<qint64> seconds;
        for (const Instant moment : moments)
            seconds.append((moment - began) / 1s);
        return seconds;
    }

    StoreKind m_kind;
    ServerReply m_reply;

private Q_SLOTS:
    void init() { m_reply = ServerReply::json(oneItem); }

    void aKeyRunsAtOnceAndThenWhenItIsDue()
    {
        auto rig = std::make_unique<EngineRig>(m_kind, every10s);
        const Instant began = rig->clock.now();
        QList<Instant> moments;
        rig->answer = [&](const ServerRequest &) {
            moments.append(rig->clock.now());
            return m_reply;
        };
        rig->engine().start();
        rig->settle();
        rig->pass(35s);
        QCOMPARE(secondsOf(moments, began), (QList<qint64>{0, 10, 20, 30}));
        QCOMPARE(rig->news(), QStringList{u"created 1"_s});
    }

    void theJitterIsDrawnFromTheRandomnessThatWasHandedIn()
    {
        const auto rig = started(QByteArray(every10s).replace("\"jitter\":0", "\"jitter\":0.5"));
        QCOMPARE(rig->state().schedule.nextDueAt, rig->clock.now() + 10s);
        rig->random.value = 0;
        rig->pass(10s);
        QCOMPARE(rig->state().schedule.nextDueAt, rig->clock.now() + 5s);
    }

    void aTriggerWhoseRunIsAbortedIsAnsweredByTheNext()
    {
        const auto rig = started();
        m_reply.delay = 1h; // of real time: only an abort ends it
        AuditRow row = audit(*rig);
        QVERIFY(QCoro::waitFor(rig->store().triggerKey(rig->key(), rig->state().schedule, row)));
        rig->requests.clear();
        rig->engine().noticeChanges();
        QVERIFY(QTest::qWaitFor([&] { return !rig->requests.isEmpty(); }));
        m_reply.delay = 0ms;
        rig->restart();
        QVERIFY(rig->state().triggeredAt);
        rig->engine().start();
        rig->settle();
        QVERIFY(!rig->state().triggeredAt);
    }

    void C51_aWallClockThatIsSetBackStopsNothing()
    {
        const auto rig = started();
        rig->clock.setWallClock(rig->clock.now() - 1h);
        rig->requests.clear();
        rig->pass(35s);
        QVERIFY2(rig->requests.size() >= 3 && rig->requests.size() <= 5,
                 qPrintable(QString::number(rig->requests.size())));
    }

    void aWallClockThatIsSetBackWhileTheApiFailsIsNoStorm()
    {
        m_reply = demo::problem(500, "Down", "");
        const auto rig = started();
        rig->clock.setWallClock(rig->clock.now() - 1h);
        rig->requests.clear();
        rig->pass(10s);
        QVERIFY2(rig->requests.size() <= 6, qPrintable(QString::number(rig->requests.size())));
    }

    void C51_aMachineThatSleptOverTenDueTimesRunsEachKeyOnce()
    {
        const auto rig = started();
        rig->requests.clear();
        rig->clock.sleep(100s);
        rig->pass(2s);
        QCOMPARE(rig->requests.size(), 1);
        rig->pass(7s);
        QCOMPARE(rig->requests.size(), 1);
    }

    void aTriggerOfThisProcessIsAnsweredAtOnce()
    {
        const auto rig = started();
        rig->requests.clear();
        QVERIFY(QCoro::waitFor(rig->store().triggerKey(rig->key(), rig->state().schedule, audit(*rig))));
        rig->engine().noticeChanges();
        rig->settle();
        QCOMPARE(rig->requests.size(), 1);
    }

    void aPauseStopsTheKeyAndAResumeStartsIt()
    {
        const auto rig = started();
        QVERIFY(QCoro::waitFor(rig->store().pauseKey(rig->key(), Pause::Operator, audit(*rig))));
        rig->engine().noticeChanges();
        rig->settle();
        rig->requests.clear();
        rig->pass(60s);
        QCOMPARE(rig->requests.size(), 0);
        ScheduleState due = rig->state().schedule;
        due.nextDueAt = rig->clock.now();
        QVERIFY(QCoro::waitFor(rig->store().resumeKey(rig->key(), due, audit(*rig))));
        rig->engine().noticeChanges();
        rig->settle();
        QCOMPARE(rig->requests.size(), 1);
    }

    void whatAnotherProcessWritesIsNoticedWithinASecond()
    {
        if (m_kind == StoreKind::Memory)
            QSKIP("a memory store has no other process");
        const auto rig = started();
        const auto other = std::move(*makeStore(rig->workspace().store));
        QVERIFY(QCoro::waitFor(other->open()));
        rig->requests.clear();
        QVERIFY(QCoro::waitFor(other->triggerKey(rig->key(), rig->state().schedule, audit(*rig))));
        rig->pass(1s);
        QCOMPARE(rig->requests.size(), 1);
        QVERIFY(QCoro::waitFor(other->close()));
    }

    void aKeyThatIsLeasedElsewhereRunsWhenTheLeaseHasEnded()
    {
        auto rig = std::make_unique<EngineRig>(m_kind, every10s);
        QVERIFY(*QCoro::waitFor(rig->store().acquireLease(rig->key(), u"other"_s, 30s, rig->clock.now())));
        rig->answer = [this](const ServerRequest &) { return m_reply; };
        rig->engine().start();
        rig->settle();
        rig->pass(29s);
        QCOMPARE(rig->requests.size(), 0);
        rig->pass(3s);
        QCOMPARE(rig->requests.size(), 1);
    }

    void failuresBackOffAndThenOpenTheCircuitWhichAProbeCloses()
    {
        m_reply = demo::problem(500, "Down", "");
        const auto rig = started(every10s + R"(,"circuit":{"failures":3,"probeEvery":"60s"})");
        rig->pass(30s);
        QCOMPARE(toString(rig->state().schedule.circuit), "open"_L1);
        QVERIFY(rig->state().schedule.lastError);
        rig->requests.clear();
        rig->pass(40s);
        QVERIFY(rig->requests.size() <= 1);
        m_reply = ServerReply::json(oneItem);
        rig->pass(60s);
        QCOMPARE(toString(rig->state().schedule.circuit), "closed"_L1);
        QCOMPARE(rig->news(), QStringList{u"created 1"_s});
    }

    void aSinkThatIsDownIsTriedAgainWithoutAnotherPoll()
    {
        const auto rig =
            std::make_unique<EngineRig>(m_kind, R"("request":{"url":"$API/items"},"identity":"id",
            "cursor":{"strategy":"snapshotDiff"},"schedule":{"min":"1h","max":"1h","jitter":0})");
        rig->answer = [this](const ServerRequest &) { return m_reply; };
        QVERIFY(QDir().mkdir(rig->path(u"events.jsonl"_s))); // a folder where the file should be
        rig->engine().start();
        rig->settle();
        QCOMPARE(rig->state().counts.outboxPending, 1);
        QVERIFY(std::ranges::any_of(rig->log, [](const LogLine &line) {
            return line.text.contains(u"A sink is down"_s) && line.text.contains(u"events.jsonl"_s);
        }));
        QVERIFY(QDir().rmdir(rig->path(u"events.jsonl"_s)));
        rig->pass(10s);
        QCOMPARE(rig->news(), QStringList{u"created 1"_s});
        QCOMPARE(rig->requests.size(), 1);
    }

    void aStopEndsEverythingAndLeavesNoLease()
    {
        const auto rig = started();
        m_reply.delay = 1h;
        rig->clock.advance(10s);
        QTRY_COMPARE(rig->requests.size(), 2);
        QCoro::waitFor(rig->engine().stop(0ms));
        QVERIFY(!rig->state().lease);
        rig->clock.advance(1h);
        rig->settle();
        QCOMPARE(rig->requests.size(), 2);
    }

    void theLeaseIsRenewedWhileARequestTakesLong()
    {
        const auto rig = started();
        m_reply.delay = 300ms;
        rig->clock.advance(10s);
        QTRY_COMPARE(rig->requests.size(), 2);
        const Instant before = rig->state().lease->expiresAt;
        rig->clock.advance(11s);
        QVERIFY(rig->state().lease->expiresAt > before);
        m_reply.delay = 0ms;
        rig->settle();
        QVERIFY(!rig->state().lease);
    }

    void whatThisVersionCannotDoIsRefusedAtTheStart()
    {
        const QByteArray text =
            R"({"version":1,"store":{"kind":"memory"},"sinks":{"k":{"kind":"kafka","brokers":"b","topic":"t"}},
            "pollers":{"items":{"request":{"url":"http://127.0.0.1/"},"identity":"id",
            "cursor":{"strategy":"snapshotDiff"},"deliver":{"to":["k"]}}}})";
        auto workspace = parseWorkspace(text, u"/tmp/test.watukuy.json"_s);
        QVERIFY(workspace);
        const auto store = std::move(*makeStore(workspace->store));
        QVERIFY(QCoro::waitFor(store->open()));
        VirtualClock clock;
        KnownRandom random;
        http::NetworkTransport transport;
        Secrets secrets{QString()};
        Engine engine(*workspace, *store, clock, random, transport, secrets, {});
        const auto prepared = QCoro::waitFor(engine.prepare());
        QVERIFY(!prepared);
        QCOMPARE(prepared.error().kind, ErrorKind::Workspace);
        QVERIFY(!prepared.error().nextStep.isEmpty());
    }
};

int main(int argc, char **argv)
{
    const QCoreApplication app(argc, argv);
    return runOnEveryStore<TestEngine>(argc, argv);
}

#include "test_engine.moc"
