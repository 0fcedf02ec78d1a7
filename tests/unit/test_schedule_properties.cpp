// SPDX-License-Identifier: GPL-3.0-or-later
// Bounds that hold for every input: jitter, backoff, intervals, pacing.
#include <rapidcheck.h>

#include <QTest>

#include "engine/schedule/schedule.h"

using namespace watukuy;
using namespace std::chrono_literals;

namespace {

double uniform()
{
    return *rc::gen::map(rc::gen::inRange(0, 1'000'000), [](int part) { return part / 1e6; });
}

Duration duration(qint64 most)
{
    return Duration{*rc::gen::inRange<qint64>(0, most)};
}

} // namespace

class TestScheduleProperties : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void jitterStaysWithinItsShareOfTheInterval();
    void backoffNeverExceedsItsCapAndNeverIsNegative();
    void theIntervalStaysBetweenMinAndMax();
    void aPacedWaitIsNeverShorterAndNeverBeyondTheReset();
};

void TestScheduleProperties::jitterStaysWithinItsShareOfTheInterval()
{
    QVERIFY(rc::check([] {
        const Duration interval = duration(10'000'000);
        const double jitter = *rc::gen::inRange(0, 100) / 100.0;
        const Duration got = schedule::jittered(interval, jitter, uniform());
        const double spread = double(interval.count()) * jitter + 1;
        RC_ASSERT(got >= Duration::zero());
        RC_ASSERT(std::abs(double((got - interval).count())) <= spread);
    }));
}

void TestScheduleProperties::backoffNeverExceedsItsCapAndNeverIsNegative()
{
    QVERIFY(rc::check([] {
        const BackoffDefinition backoff{duration(100'000), 1 + *rc::gen::inRange(0, 500) / 100.0,
                                        duration(10'000'000)};
        const int attempt = *rc::gen::inRange(1, 5000);
        const Duration got = schedule::backoffDelay(attempt, backoff, uniform());
        RC_ASSERT(got >= Duration::zero());
        RC_ASSERT(got <= backoff.max);
        if (attempt == 1)
            RC_ASSERT(got <= backoff.base);
    }));
}

void TestScheduleProperties::theIntervalStaysBetweenMinAndMax()
{
    QVERIFY(rc::check([] {
        schedule::Settings settings;
        settings.schedule.min = duration(10'000) + 1ms;
        settings.schedule.max = settings.schedule.min + duration(1'000'000);
        Instant now = fromEpochMs(1'700'000'000'000);
        ScheduleState state = schedule::initial(settings, now);
        for (int step = 0; step < 30; ++step) {
            now += duration(100'000);
            if (*rc::gen::arbitrary<bool>()) {
                schedule::Success success;
                success.hadEvents = *rc::gen::arbitrary<bool>();
                success.notModified = *rc::gen::arbitrary<bool>();
                success.truncated = *rc::gen::arbitrary<bool>();
                state = schedule::afterSuccess(state, settings, success, now, uniform()).state;
            } else {
                state = schedule::afterFailure(state, settings, {}, now, uniform()).state;
            }
            RC_ASSERT(state.interval >= settings.schedule.min);
            RC_ASSERT(state.interval <= settings.schedule.max);
            RC_ASSERT(state.nextDueAt >= now);
        }
    }));
}

void TestScheduleProperties::aPacedWaitIsNeverShorterAndNeverBeyondTheReset()
{
    QVERIFY(rc::check([] {
        const Instant now = fromEpochMs(1'700'000'000'000);
        const Duration wait = duration(1'000'000);
        const Duration left = duration(1'000'000);
        RateLimit limit;
        limit.remaining = *rc::gen::inRange<qint64>(-5, 1000);
        limit.resetAt = now + left;
        const Duration got = schedule::paced(wait, limit, now);
        RC_ASSERT(got >= wait);
        RC_ASSERT(got <= std::max(wait, left));
        // The remaining requests, spread like this, last until the reset.
        RC_ASSERT(got * std::max<qint64>(*limit.remaining, 1) >= left);
    }));
}

QTEST_GUILESS_MAIN(TestScheduleProperties)
#include "test_schedule_properties.moc"
