// SPDX-License-Identifier: GPL-3.0-or-later
// Values and ports that every room uses: instants, the machine's clock, names, near words.
#include <QElapsedTimer>
#include <QSet>
#include <QTest>

#include "engine/model/clock.h"
#include "engine/model/key.h"
#include "engine/model/nearestword.h"
#include "engine/model/random.h"
#include "engine/model/state.h"

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace watukuy;

class TestModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anInstantIsWrittenInUtcWithMilliseconds()
    {
        QCOMPARE(toRfc3339(fromEpochMs(0)), u"1970-01-01T00:00:00.000Z"_s);
        QCOMPARE(toRfc3339(fromEpochMs(1'769'851'800'125)), u"2026-01-31T09:30:00.125Z"_s);
        QCOMPARE(toRfc3339(fromEpochMs(-1)), u"1969-12-31T23:59:59.999Z"_s);
        QCOMPARE(toEpochMs(fromEpochMs(-5)), -5);
    }

    void aWakeUpComesOnceAndNeverEarly()
    {
        SystemClock clock;
        QElapsedTimer timer;
        timer.start();
        int woken = 0;
        qint64 after = 0;
        const auto wake = clock.wakeAfter(50ms, [&] {
            ++woken;
            after = timer.elapsed();
        });
        QTRY_COMPARE(woken, 1);
        QVERIFY2(after >= 50, qPrintable(QString::number(after)));
        QCoreApplication::processEvents();
        QCOMPARE(woken, 1);
    }

    void aWakeUpThatIsDroppedNeverComes()
    {
        SystemClock clock;
        bool isLate = false;
        auto dropped =
            clock.wakeAfter(1ms, [] { QTest::qFail("a dropped wake-up came", __FILE__, __LINE__); });
        const auto later = clock.wakeAfter(30ms, [&] { isLate = true; });
        dropped.reset();
        QTRY_VERIFY(isLate);
    }

    void aWakeUpMayDropItself()
    {
        SystemClock clock;
        std::unique_ptr<PendingWake> wake;
        bool isWoken = false;
        wake = clock.wakeAfter(0ms, [&] {
            wake.reset();
            isWoken = true;
        });
        QTRY_VERIFY(isWoken);
    }

    void waitsOfAnyLengthAreTaken()
    {
        SystemClock clock;
        bool isPast = false;
        const auto past = clock.wakeAfter(-1h, [&] { isPast = true; });
        const auto years =
            clock.wakeAfter(24h * 365 * 200, [] { QTest::qFail("far too early", __FILE__, __LINE__); });
        QTRY_VERIFY(isPast);
    }

    void theMonotonicClockNeverGoesBack()
    {
        const SystemClock clock;
        Duration last = clock.steady();
        for (int reading = 0; reading < 1000; ++reading) {
            const Duration now = clock.steady();
            QVERIFY(now >= last);
            last = now;
        }
    }

    void randomnessIsWithinItsRangeAndNotTheSame()
    {
        SystemRandom random;
        QSet<double> values;
        for (int draw = 0; draw < 1000; ++draw) {
            const double value = random.uniform();
            QVERIFY(value >= 0 && value < 1);
            values.insert(value);
        }
        QVERIFY(values.size() > 990);
    }

    void aKeyIsWrittenAsTheCommandLineWritesIt()
    {
        QCOMPARE((Key{u"orders"_s, {}}.toString()), u"orders"_s);
        QCOMPARE((Key{u"orders"_s, u"eu"_s}.toString()), u"orders/eu"_s);
        QVERIFY((Key{u"a"_s, u"b"_s} < Key{u"a"_s, u"c"_s}));
        QVERIFY((Key{u"a"_s, u"z"_s} < Key{u"b"_s, {}}));
    }

    void statesHaveTheNamesOfTheDiagram()
    {
        QCOMPARE(toString(VisibleState::Idle), "Idle"_L1);
        QCOMPARE(toString(VisibleState::BackingOff), "BackingOff"_L1);
        QCOMPARE(toString(VisibleState::CircuitOpen), "CircuitOpen"_L1);
        QCOMPARE(toString(VisibleState::HalfOpen), "HalfOpen"_L1);
        QCOMPARE(toString(Verdict::None), ""_L1);
        QCOMPARE(toString(Verdict::Unmodified), "unmodified"_L1);
    }

    void aNearWordIsFoundAndAFarOneIsNot_data()
    {
        QTest::addColumn<QString>("word");
        QTest::addColumn<QString>("nearest");
        QTest::newRow("a letter missing") << u"ordrs"_s << u"orders"_s;
        QTest::newRow("another case") << u"ORDERS"_s << u"orders"_s;
        QTest::newRow("two letters swapped") << u"pirces"_s << u"prices"_s;
        QTest::newRow("itself") << u"prices"_s << u"prices"_s;
        QTest::newRow("nothing in common") << u"zzzz"_s << QString();
        QTest::newRow("nothing") << QString() << QString();
        QTest::newRow("very long") << QString(10'000, u'o') << QString();
    }
    void aNearWordIsFoundAndAFarOneIsNot()
    {
        QFETCH(QString, word);
        QFETCH(QString, nearest);
        QCOMPARE(nearestWord(word, {u"orders"_s, u"prices"_s, u"id"_s}), nearest);
        QCOMPARE(nearestWord(word, {}), QString());
    }
};

QTEST_GUILESS_MAIN(TestModel)

#include "test_model.moc"
