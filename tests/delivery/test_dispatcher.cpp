// SPDX-License-Identifier: GPL-3.0-or-later
// The dispatcher on a real store: order, retries, parking, and sinks that fail in every way.
#include <QCoroTimer>
#include <QTest>
#include <QTimer>

#include "engine/delivery/dispatcher.h"
#include "tests/support/knownrandom.h"
#include "tests/support/virtualclock.h"
#include "tests/support/makekeys.h"

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace watukuy;
using tests::KnownRandom;
using tests::VirtualClock;

namespace {

using Outcome = SinkAnswer::Outcome;

/// Answers as a test wants, after a turn of the event loop, and remembers what it took.
class ScriptedSink final : public Sink {
public:
    std::function<SinkAnswer(const Event &)> answer = [](const Event &) { return SinkAnswer{}; };
    std::function<Result<void>()> flushed = [] { return Result<void>{}; };
    QStringList taken;
    QStringList offered;
    int underWay = 0;
    int mostUnderWay = 0;
    QMap<QString, int> underWayOf;
    bool tookTwoOfOneKey = false;

    QCoro::Task<SinkAnswer> deliver(Delivery delivery) override
    {
        const QString line = delivery.event.orderingKey + QString::number(delivery.event.sequence);
        offered.append(line);
        mostUnderWay = std::max(mostUnderWay, ++underWay);
        tookTwoOfOneKey = tookTwoOfOneKey || ++underWayOf[delivery.event.orderingKey] > 1;
        QTimer turn;
        turn.start(0);
        co_await turn;
        --underWay;
        --underWayOf[delivery.event.orderingKey];
        SinkAnswer said = answer(delivery.event);
        if (said.outcome == Outcome::Accepted)
            taken.append(line);
        co_return said;
    }
    QCoro::Task<Result<void>> flush() override { co_return flushed(); }
};

SinkAnswer refused(const QString &why = u"422"_s)
{
    SinkAnswer answer;
    answer.outcome = Outcome::Refused;
    answer.error.title = why;
    return answer;
}

SinkAnswer down(std::optional<Duration> retryAfter = {})
{
    SinkAnswer answer;
    answer.outcome = Outcome::Down;
    answer.error.title = u"connection refused"_s;
    answer.retryAfter = retryAfter;
    return answer;
}

} // namespace

class TestDispatcher : public QObject {
    Q_OBJECT

    Key m_key{u"orders"_s, {}};
    VirtualClock m_clock;
    KnownRandom m_random;
    std::unique_ptr<StateStore> m_store;
    Dispatcher::Sinks m_sinks;
    std::unique_ptr<Dispatcher> m_dispatcher;
    std::shared_ptr<PollerDefinition> m_poller;
    Lease m_lease;
    QStringList m_delivered;

    ScriptedSink &sink(const QString &name = u"a"_s)
    {
        return static_cast<ScriptedSink &>(*m_sinks.at(name));
    }

    /// Commits one event per ordering key, in order.
    void commit(const QStringList &orderingKeys, EventType type = EventType::Created)
    {
        PollCommit page;
        page.now = m_clock.now();
        for (const QString &orderingKey : orderingKeys) {
            Event event;
            event.id = orderingKey.toUtf8() + QByteArray::number(page.events.size());
            event.type = type;
            event.key = m_key;
            event.subject = orderingKey;
            event.orderingKey = orderingKey;
            event.time = m_clock.now();
            event.data = "{}";
            page.events.push_back(event);
        }
        QVERIFY(QCoro::waitFor(m_store->commitPoll(m_key, m_lease, std::move(page))));
    }

    DrainReport drain(std::function<bool()> mayGoOn = [] { return true; })
    {
        DrainPermit permit{.lease = [this] { return std::optional(m_lease); },
                           .renew = []() -> QCoro::Task<Result<void>> { co_return Result<void>{}; },
                           .mayGoOn = std::move(mayGoOn)};
        return QCoro::waitFor(m_dispatcher->drain(m_poller, m_key, std::move(permit)));
    }

    KeyState state() { return *QCoro::waitFor(m_store->loadKey(m_key)); }
    std::vector<ParkedRow> parked() { return *QCoro::waitFor(m_store->readParked({.poller = m_key.poller})); }

private Q_SLOTS:
    void init()
    {
        m_store = std::move(*makeStore(MemoryStoreDefinition{}));
        QVERIFY(QCoro::waitFor(m_store->open()));
        QVERIFY(QCoro::waitFor(tests::ensureKeys(m_store.get(), {{m_key, 1s}}, m_clock.now())));
        m_lease = **QCoro::waitFor(m_store->acquireLease(m_key, u"me"_s, 30s, m_clock.now()));
        m_random.value = 0.5;
        m_sinks.clear();
        m_sinks.emplace(u"a"_s, std::make_unique<ScriptedSink>());
        m_sinks.emplace(u"b"_s, std::make_unique<ScriptedSink>());
        m_delivered.clear();
        m_dispatcher = std::make_unique<Dispatcher>(
            *m_store, m_clock, m_random, m_sinks, 100, [this](const Event &event) {
                m_delivered.append(event.orderingKey + QString::number(event.sequence));
            });
        m_poller = std::make_shared<PollerDefinition>();
        m_poller->name = m_key.poller;
        m_poller->deliver.to = QStringList{u"a"_s};
        m_poller->deliver.retry.attempts = 3;
    }

    void eventsGoInOrderAndLeaveTheOutbox()
    {
        commit({u"x"_s, u"y"_s, u"x"_s});
        const DrainReport report = drain();
        QVERIFY(!report.error);
        QCOMPARE(report.delivered, 3);
        QCOMPARE(sink().taken, (QStringList{u"x1"_s, u"y2"_s, u"x3"_s}));
        QCOMPARE(m_delivered, sink().taken);
        QCOMPARE(state().counts.outboxPending, 0);
    }

    void orderingKeysGoSideBySideAndNoneIsEverTwice()
    {
        m_poller->deliver.concurrency = 4;
        QStringList keys;
        for (int event = 0; event < 400; ++event)
            keys.append(QString(QChar(u'a' + event % 8)));
        commit(keys);
        QCOMPARE(drain().delivered, 400);
        QCOMPARE(sink().mostUnderWay, 4);
        QVERIFY(!sink().tookTwoOfOneKey);
        QMap<QString, int> last;
        for (const QString &line : sink().taken) {
            const int sequence = line.mid(1).toInt();
            QVERIFY(sequence > last[line.left(1)]);
            last[line.left(1)] = sequence;
        }
        QCOMPARE(m_delivered.size(), 400);
    }

    void aRefusedEventIsTriedAgainLaterAndHoldsItsOrderingKeyOnly()
    {
        commit({u"x"_s, u"x"_s, u"y"_s});
        sink().answer = [](const Event &event) {
            return event.orderingKey == u"x"_s ? refused() : SinkAnswer{};
        };
        QCOMPARE(drain().delivered, 1);
        QCOMPARE(sink().offered, (QStringList{u"x1"_s, u"y3"_s}));
        QVERIFY(state().nextDeliveryAt && *state().nextDeliveryAt > m_clock.now());
        QCOMPARE(drain().delivered, 0);
        QCOMPARE(sink().offered.size(), 2);

        sink().answer = [](const Event &) { return SinkAnswer{}; };
        m_clock.advance(*state().nextDeliveryAt - m_clock.now());
        QCOMPARE(drain().delivered, 2);
        QCOMPARE(sink().taken, (QStringList{u"y3"_s, u"x1"_s, u"x2"_s}));
    }

    void waitsAreDrawnFromTheRandomnessThatWasHandedIn()
    {
        m_random.value = 0.25; // of the first backoff, a second
        commit({u"x"_s});
        sink().answer = [](const Event &) { return refused(); };
        (void)drain();
        QCOMPARE(state().nextDeliveryAt, std::optional(m_clock.now() + 250ms));
        m_clock.advance(250ms);
        sink().answer = [](const Event &) { return down(); };
        QCOMPARE(drain().tryAgainAt, std::optional(m_clock.now() + 250ms));
    }

    void C47_anEventThatIsAlwaysRefusedIsParkedWithItsHistory()
    {
        m_poller->deliver.holdKey = false;
        commit({u"x"_s, u"x"_s, u"y"_s});
        sink().answer = [](const Event &event) { return event.sequence == 1 ? refused() : SinkAnswer{}; };
        for (int round = 0; round < 3; ++round) {
            (void)drain();
            m_clock.advance(10min);
        }
        (void)drain();
        QCOMPARE(sink().offered.count(u"x1"_s), 3);
        QCOMPARE(parked().size(), 1U);
        const ParkedRow row = parked().front();
        QCOMPARE(row.attempts, 3);
        QCOMPARE(row.history.size(), 3);
        QCOMPARE(row.history.first().sink, u"a"_s);
        QCOMPARE(row.error.title, u"422"_s);
        QCOMPARE(sink().taken, (QStringList{u"y3"_s, u"x2"_s}));
        QCOMPARE(state().counts.outboxPending, 0);
    }

    void aParkedEventHoldsItsKeyUntilItIsRetriedInOrder()
    {
        m_poller->deliver.retry.attempts = 1;
        commit({u"x"_s, u"y"_s, u"x"_s});
        sink().answer = [](const Event &event) { return event.sequence == 1 ? refused() : SinkAnswer{}; };
        (void)drain();
        QCOMPARE(sink().taken, QStringList{u"y2"_s});
        QCOMPARE(drain().delivered, 0);
        QVERIFY(state().deliveryHeld);

        sink().answer = [](const Event &) { return SinkAnswer{}; };
        QVERIFY(QCoro::waitFor(
            m_store->retryParked({.poller = m_key.poller}, {.at = m_clock.now(), .key = m_key})));
        QCOMPARE(drain().delivered, 2);
        QCOMPARE(sink().taken, (QStringList{u"y2"_s, u"x1"_s, u"x3"_s}));
    }

    void C46_aSinkThatIsDownCostsNoAttempt()
    {
        constexpr int waiting = 5000;
        QStringList keys;
        for (int event = 0; event < waiting; ++event)
            keys.append(QString(QChar(u'a' + event % 10)));
        commit(keys);
        sink().answer = [](const Event &) { return down(); };
        const Instant began = m_clock.now();
        while (m_clock.now() - began < 1h) {
            const DrainReport report = drain();
            QCOMPARE(report.delivered, 0);
            QVERIFY(report.tryAgainAt && *report.tryAgainAt > m_clock.now());
            QVERIFY(*report.tryAgainAt - m_clock.now() <= 60s);
            m_clock.advance(*report.tryAgainAt - m_clock.now());
        }
        QVERIFY2(sink().offered.size() < 1000, "the sink that was down was hammered");
        QVERIFY(parked().empty());
        const auto rows = QCoro::waitFor(m_store->readOutbox(m_key, 0, waiting));
        for (const OutboxRow &row : *rows)
            QCOMPARE(row.attempts, 0);

        sink().answer = [](const Event &) { return SinkAnswer{}; };
        QCOMPARE(drain().delivered, waiting);
        QVERIFY(std::ranges::is_sorted(sink().taken, {},
                                       [](const QString &line) { return line.mid(1).toInt(); }));
    }

    void aSinkThatIsDownIsNotAskedBeforeItsTimeNorLaterThanItSaid()
    {
        commit({u"x"_s});
        sink().answer = [](const Event &) { return down(90s); };
        QCOMPARE(drain().tryAgainAt, std::optional(m_clock.now() + 90s));
        m_clock.advance(89s);
        QVERIFY(drain().tryAgainAt);
        QCOMPARE(sink().offered.size(), 1);
        sink().answer = [](const Event &) { return SinkAnswer{}; };
        m_clock.advance(1s);
        QCOMPARE(drain().delivered, 1);
    }

    void eachSinkGetsAnEventOnceThoughAnotherFails()
    {
        m_poller->deliver.to = QStringList{u"a"_s, u"b"_s};
        commit({u"x"_s});
        sink(u"b"_s).answer = [](const Event &) { return down(); };
        (void)drain();
        sink(u"b"_s).answer = [](const Event &) { return refused(); };
        m_clock.advance(2min);
        (void)drain();
        sink(u"b"_s).answer = [](const Event &) { return SinkAnswer{}; };
        m_clock.advance(2min);
        QCOMPARE(drain().delivered, 1);
        QCOMPARE(sink(u"a"_s).taken, QStringList{u"x1"_s});
        QCOMPARE(sink(u"b"_s).taken, QStringList{u"x1"_s});
        QCOMPARE(state().counts.outboxPending, 0);
    }

    void aSinkThatIsDownKeepsNothingFromTheOthers()
    {
        m_poller->deliver.to = QStringList{u"b"_s, u"a"_s};
        commit({u"x"_s, u"y"_s, u"z"_s});
        sink(u"b"_s).answer = [](const Event &) { return down(); };
        const DrainReport report = drain();
        QVERIFY(report.tryAgainAt);
        QCOMPARE(sink(u"a"_s).taken, (QStringList{u"x1"_s, u"y2"_s, u"z3"_s}));
        QCOMPARE(sink(u"b"_s).offered.size(), 1);
        QCOMPARE(state().counts.outboxPending, 3);
        sink(u"b"_s).answer = [](const Event &) { return SinkAnswer{}; };
        m_clock.advance(2min);
        QCOMPARE(drain().delivered, 3);
        QCOMPARE(sink(u"a"_s).taken.size(), 3);
        QCOMPARE(sink(u"b"_s).taken.size(), 3);
    }

    void whatOneSinkRefusesTheOthersGet()
    {
        m_poller->deliver.to = QStringList{u"b"_s, u"a"_s};
        m_poller->deliver.retry.attempts = 1;
        commit({u"x"_s});
        sink(u"b"_s).answer = [](const Event &) { return refused(); };
        (void)drain();
        QCOMPARE(sink(u"a"_s).taken, QStringList{u"x1"_s});
        QCOMPARE(parked().size(), 1U);
        QCOMPARE(parked().front().acceptedBy, QStringList{u"a"_s});
    }

    void nothingIsAckedThatWasNotFlushed()
    {
        commit({u"x"_s, u"y"_s});
        sink().flushed = [] {
            return Result<void>(fail({.kind = ErrorKind::Sink, .title = u"disk full"_s}));
        };
        const DrainReport report = drain();
        QCOMPARE(report.delivered, 0);
        QCOMPARE(m_delivered, QStringList());
        QVERIFY2(report.tryAgainAt, "a sink that cannot flush is down: it is asked again later");
        QVERIFY(!report.error);
        QCOMPARE(state().counts.outboxPending, 2);

        sink().flushed = [] { return Result<void>{}; };
        m_clock.advance(*report.tryAgainAt - m_clock.now());
        QCOMPARE(drain().delivered, 2);
    }

    void C70_haltStopsAtTheEventWhateverItsTypeAndSpendsNoFurtherAttempt()
    {
        m_poller->deliver.poisonAction = PoisonAction::Halt;
        m_poller->deliver.retry.attempts = 1;
        commit({u"x"_s}, EventType::Deleted);
        commit({u"y"_s});
        sink().answer = [](const Event &event) {
            return event.orderingKey == u"x"_s ? refused() : SinkAnswer{};
        };
        const DrainReport report = drain();
        QVERIFY(report.error);
        QCOMPARE(report.error->name, u"PoisonHalt"_s);
        QVERIFY(!report.error->nextStep.isEmpty());
        QVERIFY(parked().empty());
        QCOMPARE(sink().taken, QStringList());

        sink().answer = [](const Event &) { return SinkAnswer{}; };
        QCOMPARE(drain().delivered, 2);
        QCOMPARE(sink().taken, (QStringList{u"x1"_s, u"y2"_s}));
    }

    void C48_heldKeysDoNotKeepOthersWaiting()
    {
        m_poller->deliver.retry.attempts = 1;
        commit({u"x"_s});
        sink().answer = [](const Event &) { return refused(); };
        (void)drain();
        sink().answer = [](const Event &) { return SinkAnswer{}; };
        commit(QStringList(1000, u"x"_s));
        commit({u"y"_s});
        QCOMPARE(drain().delivered, 1);
        QCOMPARE(sink().taken, QStringList{u"y1002"_s});
    }

    void whatWasTakenIsAckedWhenTheRunMustEnd()
    {
        commit(QStringList(50, u"x"_s));
        const DrainReport report = drain([this] { return sink().taken.size() < 7; });
        QCOMPARE(report.delivered, 7);
        QCOMPARE(state().counts.outboxPending, 43);
        QCOMPARE(drain().delivered, 43);
        QCOMPARE(sink().taken.size(), 50);
    }

    void aLostLeaseEndsTheDrainAndAcksNothing()
    {
        commit(QStringList(3, u"x"_s));
        sink().answer = [this](const Event &) {
            (void)m_store->acquireLease(m_key, u"other"_s, 30s, m_clock.now() + 1min);
            return SinkAnswer{};
        };
        const DrainReport report = drain();
        QVERIFY(report.error);
        QCOMPARE(report.error->kind, ErrorKind::LeaseLost);
        QCOMPARE(m_delivered, QStringList());
        QCOMPARE(state().counts.outboxPending, 3);
    }

    void aSinkThatTheWorkspaceLostDoesNotHoldTheRest()
    {
        m_poller->deliver.to = QStringList{u"gone"_s, u"a"_s};
        commit({u"x"_s});
        QCOMPARE(drain().delivered, 1);
    }
};

QTEST_GUILESS_MAIN(TestDispatcher)

#include "test_dispatcher.moc"
