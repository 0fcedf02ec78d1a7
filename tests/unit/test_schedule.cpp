// SPDX-License-Identifier: GPL-3.0-or-later
// What the vectors do not say of the state machine: what operators see, and the due heap.
#include <random>

#include <QTest>

#include "engine/schedule/dueheap.h"
#include "engine/schedule/schedule.h"

using namespace Qt::StringLiterals;
using namespace watukuy;
using namespace std::chrono_literals;

namespace {

constexpr Instant now = fromEpochMs(1'700'000'000'000);
const QString here = u"here"_s;

schedule::Settings settings()
{
    schedule::Settings value;
    value.schedule.min = 1s;
    value.schedule.max = 60s;
    value.schedule.jitter = 0;
    value.circuit.failures = 3;
    value.circuit.probeEvery = 30s;
    return value;
}

Error error(const QString &name)
{
    Error value;
    value.kind = ErrorKind::Http;
    value.name = name;
    value.title = u"GET /x responded 500"_s;
    return value;
}

schedule::Failure failure()
{
    return {error(u"HttpStatusError"_s), std::nullopt};
}

KeyState keyState(ScheduleState state = schedule::initial(settings(), now))
{
    KeyState key;
    key.key = {u"orders"_s, {}};
    key.schedule = std::move(state);
    return key;
}

ScheduleState openState()
{
    ScheduleState state = schedule::initial(settings(), now);
    for (int i = 0; i < 3; ++i)
        state = schedule::afterFailure(state, settings(), failure(), now, 0.5).state;
    return state;
}

QString code(const KeyState &state, bool running = false, Instant at = now)
{
    return schedule::waitingFor(state, {}, running, here, at).code;
}

} // namespace

class TestSchedule : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theCircuitOpensOnceAtTheLastAllowedFailure();
    void aPoisonHaltOpensTheCircuitAtTheFirstFailure();
    void aTriggerOnAnOpenCircuitIsAProbeThatKeepsItOpen();
    void aTriggerEndsTheThrottleWindowAndAResumeDoesNot();
    void C64_pacingEndsWithTheWindowTheApiSpokeOf();
    void C21_aThrottleWithoutAnInstructionWaitsOneInterval();
    void anAbsurdRetryAfterDoesNotWrapIntoThePast();
    void everyStateOfTheSeedIsVisible();
    void everyWaitIsExplained();
    void theReasonOfAWaitIsTold();
    void aDeliveryRetryIsNamedWhenItComesBeforeThePoll();
    void theHeapGivesKeysInTheOrderOfTheirDueTimes();
    void aMovedKeyIsInTheHeapOnce();
};

void TestSchedule::theCircuitOpensOnceAtTheLastAllowedFailure()
{
    ScheduleState state = schedule::initial(settings(), now);
    for (int i = 1; i <= 5; ++i) {
        const schedule::Next next = schedule::afterFailure(state, settings(), failure(), now, 0.5);
        QCOMPARE(next.circuitOpened, i == 3);
        state = next.state;
    }
    QCOMPARE(toString(state.circuit), toString(Circuit::Open));
}

void TestSchedule::aPoisonHaltOpensTheCircuitAtTheFirstFailure()
{
    const schedule::Next next =
        schedule::afterFailure(schedule::initial(settings(), now), settings(),
                               {error(u"PoisonHalt"_s), std::nullopt, true}, now, 0.5);
    QCOMPARE(toString(next.state.circuit), toString(Circuit::Open));
    QVERIFY(next.circuitOpened);
    QCOMPARE(next.state.lastError->name, u"PoisonHalt"_s);
    QCOMPARE(toEpochMs(next.state.nextDueAt), toEpochMs(now + 30s));
}

void TestSchedule::aTriggerOnAnOpenCircuitIsAProbeThatKeepsItOpen()
{
    const schedule::Next next = schedule::afterTrigger(openState(), now + 1s);
    QCOMPARE(toString(next.state.circuit), toString(Circuit::Open));
    QVERIFY(schedule::isDue(next.state, now + 1s));
    QCOMPARE(toString(schedule::circuitForRun(next.state)), toString(Circuit::HalfOpen));
    const schedule::Next probe = schedule::afterSuccess(next.state, settings(), {}, now + 2s, 0.5);
    QVERIFY(probe.circuitClosed);
    QCOMPARE(probe.state.consecutiveFailures, 0);
}

void TestSchedule::aTriggerEndsTheThrottleWindowAndAResumeDoesNot()
{
    const ScheduleState state = schedule::afterThrottle(schedule::initial(settings(), now), settings(), 50s,
                                                        std::nullopt, error(u"HttpStatusError"_s), now)
                                    .state;
    QVERIFY(!schedule::isDue(state, now + 49s));
    QVERIFY(schedule::isDue(state, now + 50s));
    QVERIFY(schedule::isDue(schedule::afterTrigger(state, now).state, now));
    QVERIFY(!schedule::isDue(schedule::afterResume(state, now).state, now));
    QCOMPARE(toString(schedule::afterResume(state, now).reason), toString(ScheduleReason::Resumed));
}

void TestSchedule::C64_pacingEndsWithTheWindowTheApiSpokeOf()
{
    schedule::Success spoke;
    spoke.rateLimit = RateLimit{u"ietf"_s, {}, 2, now + 60s, {}};
    ScheduleState state =
        schedule::afterSuccess(schedule::initial(settings(), now), settings(), spoke, now, 0.5).state;
    QCOMPARE(toEpochMs(state.nextDueAt), toEpochMs(now + 30s));
    const schedule::Next silent = schedule::afterSuccess(state, settings(), {}, now + 30s, 0.5);
    QCOMPARE(toString(silent.reason), toString(ScheduleReason::Paced));
    const schedule::Next after = schedule::afterSuccess(silent.state, settings(), {}, now + 60s, 0.5);
    QVERIFY(after.reason != ScheduleReason::Paced);
    QVERIFY(!after.state.rateLimit);
}

void TestSchedule::C21_aThrottleWithoutAnInstructionWaitsOneInterval()
{
    ScheduleState state = schedule::initial(settings(), now);
    state.interval = 7s;
    state.consecutiveFailures = 2;
    const schedule::Next next = schedule::afterThrottle(state, settings(), std::nullopt, std::nullopt,
                                                        error(u"HttpStatusError"_s), now);
    QCOMPARE(toEpochMs(*next.state.throttledUntil), toEpochMs(now + 7s));
    QCOMPARE(next.state.consecutiveFailures, 2);
    QCOMPARE(toString(next.state.circuit), toString(Circuit::Closed));
}

void TestSchedule::anAbsurdRetryAfterDoesNotWrapIntoThePast()
{
    const schedule::Next next =
        schedule::afterThrottle(schedule::initial(settings(), now), settings(), Duration::max(), std::nullopt,
                                error(u"HttpStatusError"_s), now);
    QVERIFY(next.state.nextDueAt > now);
}

void TestSchedule::everyStateOfTheSeedIsVisible()
{
    const auto visible = [](const KeyState &state, bool running, Instant at = now) {
        return schedule::visibleState(state, running, at);
    };
    KeyState state = keyState();
    QCOMPARE(toString(visible(state, false)), toString(VisibleState::Idle));
    QCOMPARE(toString(visible(state, true)), toString(VisibleState::Polling));

    const Error failed = error(u"HttpStatusError"_s);
    state.schedule = schedule::afterFailure(state.schedule, settings(), failure(), now, 0.5).state;
    QCOMPARE(toString(visible(state, false)), toString(VisibleState::BackingOff));
    QCOMPARE(toString(visible(state, true)), toString(VisibleState::Polling));

    state.schedule =
        schedule::afterThrottle(state.schedule, settings(), 10s, std::nullopt, failed, now).state;
    QCOMPARE(toString(visible(state, false)), toString(VisibleState::Throttled));
    QCOMPARE(toString(visible(state, false, now + 10s)), toString(VisibleState::BackingOff));

    state.schedule = openState();
    QCOMPARE(toString(visible(state, false)), toString(VisibleState::CircuitOpen));
    QCOMPARE(toString(visible(state, true)), toString(VisibleState::HalfOpen));

    state.pause = Pause::PartitionRemoved;
    QCOMPARE(toString(visible(state, true)), toString(VisibleState::Paused));
}

void TestSchedule::everyWaitIsExplained()
{
    const Error failed = error(u"HttpStatusError"_s);
    KeyState state = keyState();
    QCOMPARE(code(state), u"due"_s);
    QCOMPARE(code(state, true), u"running"_s);

    state.lease = Lease{u"elsewhere"_s, 4, now + 10s};
    const schedule::WaitingFor lease = schedule::waitingFor(state, {}, false, here, now);
    QCOMPARE(lease.code, u"lease"_s);
    QCOMPARE(toEpochMs(*lease.until), toEpochMs(now + 10s));
    QVERIFY(lease.because.contains(u"elsewhere"_s));
    QCOMPARE(code(state, false, now + 10s), u"due"_s);
    state.lease->owner = here;
    QCOMPARE(code(state), u"due"_s);

    state.schedule =
        schedule::afterThrottle(state.schedule, settings(), 10s, std::nullopt, failed, now).state;
    QCOMPARE(code(state), u"retry-after"_s);
    state.schedule = openState();
    const schedule::WaitingFor probe = schedule::waitingFor(state, {}, false, here, now);
    QCOMPARE(probe.code, u"probe"_s);
    QCOMPARE(toEpochMs(*probe.until), toEpochMs(now + 30s));
    QVERIFY(probe.because.contains(failed.title));

    state.schedule =
        schedule::afterFailure(schedule::initial(settings(), now), settings(), failure(), now, 0.5).state;
    QCOMPARE(code(state), u"backoff"_s);
    QCOMPARE(code(state, false, now + 1s), u"due"_s);

    state.pause = Pause::Operator;
    state.pauseReason = u"maintenance"_s;
    const schedule::WaitingFor resume = schedule::waitingFor(state, {}, true, here, now);
    QCOMPARE(resume.code, u"resume"_s);
    QVERIFY(!resume.until);
    QVERIFY(resume.because.contains(u"maintenance"_s));
}

void TestSchedule::theReasonOfAWaitIsTold()
{
    const auto because = [](const KeyState &state) {
        return schedule::waitingFor(state, {}, false, here, now).because;
    };
    KeyState state = keyState();
    state.schedule.rateLimit = RateLimit{};
    state.schedule.rateLimit->remaining = 7;
    state.schedule.rateLimit->resetAt = now + 60s;
    state.schedule.reason = ScheduleReason::Paced;
    QVERIFY(because(state).contains(u"7 requests"_s));
    state.schedule.rateLimit.reset();
    QVERIFY(because(state).contains(u"rate limit"_s));
    state.schedule.reason = ScheduleReason::CatchUp;
    QVERIFY(because(state).contains(u"before the listing did"_s));
    state.schedule.reason = ScheduleReason::Manual;
    QVERIFY(because(state).contains(u"triggered"_s));
    state.schedule.reason = ScheduleReason::Resumed;
    QVERIFY(because(state).contains(u"resumed"_s));
    state.pause = Pause::PartitionRemoved;
    QVERIFY(because(state).contains(u"no longer listed"_s));
}

void TestSchedule::aDeliveryRetryIsNamedWhenItComesBeforeThePoll()
{
    KeyState state = keyState();
    state.schedule.nextDueAt = now + 60s;
    state.counts.outboxPending = 3;
    state.nextDeliveryAt = now + 5s;
    const schedule::WaitingFor retry = schedule::waitingFor(state, {}, false, here, now);
    QCOMPARE(retry.code, u"delivery-retry"_s);
    QCOMPARE(toEpochMs(*retry.until), toEpochMs(now + 5s));
    state.nextDeliveryAt = now + 90s;
    QCOMPARE(code(state), u"due"_s);
}

void TestSchedule::theHeapGivesKeysInTheOrderOfTheirDueTimes()
{
    schedule::DueHeap heap;
    std::mt19937 random(7);
    QHash<Key, Instant> wanted;
    for (int round = 0; round < 5000; ++round) {
        const Key key{u"poller"_s, QString::number(random() % 300)};
        if (random() % 4 == 0) {
            heap.remove(key);
            wanted.remove(key);
        } else {
            const Instant due = now + Duration{random() % 10'000};
            heap.set(key, due);
            wanted[key] = due;
        }
        QCOMPARE(heap.size(), wanted.size());
    }
    QVERIFY(!heap.takeDue(now - 1ms));
    Instant last = Instant::min();
    while (const auto first = heap.nextDue()) {
        const auto key = heap.takeDue(now + 10s);
        QVERIFY(key);
        QCOMPARE(toEpochMs(*first), toEpochMs(wanted.take(*key)));
        QVERIFY(*first >= last);
        last = *first;
    }
    QVERIFY(wanted.isEmpty());
}

void TestSchedule::aMovedKeyIsInTheHeapOnce()
{
    schedule::DueHeap heap;
    const Key key{u"orders"_s, {}};
    heap.set(key, now);
    heap.set(key, now + 5s);
    QCOMPARE(heap.size(), 1);
    QVERIFY(!heap.takeDue(now + 4s));
    QVERIFY(heap.takeDue(now + 5s) == key);
    QVERIFY(!heap.nextDue());
}

QTEST_GUILESS_MAIN(TestSchedule)
#include "test_schedule.moc"
