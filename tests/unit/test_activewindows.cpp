// SPDX-License-Identifier: GPL-3.0-or-later
// Active windows: what crontab(5) says of a minute, and the first minute that fits.
#include <rapidcheck.h>

#include <QDateTime>
#include <QTest>

#include "engine/definition/activewindows.h"
#include "engine/model/error.h"

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace watukuy;

namespace {

Instant at(const QString &text)
{
    return fromEpochMs(QDateTime::fromString(text, Qt::ISODateWithMs).toMSecsSinceEpoch());
}

ActiveWindows windows(const QStringList &lines, const QTimeZone &local = QTimeZone::utc())
{
    ActiveWindows all;
    for (const QString &line : lines) {
        const auto added = all.add(line, local);
        if (!added)
            QTest::qFail(qPrintable(added.error().oneLine()), __FILE__, __LINE__);
    }
    return all;
}

} // namespace

class TestActiveWindows : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void noneMeansAlways()
    {
        QVERIFY(ActiveWindows().isActive(at(u"2026-01-01T00:00:00Z"_s)));
        QCOMPARE(ActiveWindows().nextActive(at(u"2026-01-01T00:00:00.5Z"_s)),
                 at(u"2026-01-01T00:00:00.5Z"_s));
    }

    void aMinuteFitsAsInACrontab_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("next");
        const auto row = [](const char *name, const QString &line, const QString &from, const QString &next) {
            QTest::newRow(name) << line << from << next;
        };
        // 2026-01-01 is a Thursday.
        row("inside", u"* 8-17 * * mon-fri"_s, u"2026-01-01T17:59:59.999Z"_s, u"2026-01-01T17:59:59.999Z"_s);
        row("after hours", u"* 8-17 * * mon-fri"_s, u"2026-01-01T18:00:00Z"_s, u"2026-01-02T08:00:00Z"_s);
        row("over a weekend", u"* 8-17 * * 1-5"_s, u"2026-01-02T18:00:00Z"_s, u"2026-01-05T08:00:00Z"_s);
        row("steps", u"*/15 * * * *"_s, u"2026-01-01T00:01:00Z"_s, u"2026-01-01T00:15:00Z"_s);
        row("a step from a value", u"50/5 * * * *"_s, u"2026-01-01T00:00:00Z"_s, u"2026-01-01T00:50:00Z"_s);
        row("a step beyond every value", u"5/2147483647 * * * *"_s, u"2026-01-01T00:06:00Z"_s,
            u"2026-01-01T01:05:00Z"_s);
        row("a list of ranges", u"0 1-2,22-23 * * *"_s, u"2026-01-01T02:01:00Z"_s, u"2026-01-01T22:00:00Z"_s);
        row("Sunday is 7, too", u"0 0 * * 7"_s, u"2026-01-01T00:00:00Z"_s, u"2026-01-04T00:00:00Z"_s);
        row("both days: either", u"0 0 13 * fri"_s, u"2026-01-01T00:00:00Z"_s, u"2026-01-02T00:00:00Z"_s);
        row("a month by name", u"0 0 1 mar *"_s, u"2026-01-01T00:00:00Z"_s, u"2026-03-01T00:00:00Z"_s);
        row("29 February", u"0 0 29 2 *"_s, u"2026-01-01T00:00:00Z"_s, u"2028-02-29T00:00:00Z"_s);
        row("a zone of its own", u"CRON_TZ=Europe/Berlin 0 9 * * *"_s, u"2026-07-01T00:00:00Z"_s,
            u"2026-07-01T07:00:00Z"_s);
        row("an hour that summer time skips", u"CRON_TZ=Europe/Berlin * 2 * * *"_s, u"2026-03-29T00:30:00Z"_s,
            u"2026-03-30T00:00:00Z"_s);
        row("an hour that comes twice", u"CRON_TZ=Europe/Berlin 30 2 * * *"_s, u"2026-10-25T00:31:00Z"_s,
            u"2026-10-25T01:30:00Z"_s);
        row("within a minute", u"5 0 * * *"_s, u"2026-01-01T00:04:30Z"_s, u"2026-01-01T00:05:00Z"_s);
    }
    void aMinuteFitsAsInACrontab()
    {
        QFETCH(QString, line);
        QFETCH(QString, from);
        QFETCH(QString, next);
        const ActiveWindows active = windows({line});
        QCOMPARE(toRfc3339(active.nextActive(at(from))), toRfc3339(at(next)));
        QVERIFY(active.isActive(at(next)));
        QCOMPARE(active.isActive(at(from)), from == next);
    }

    void severalLinesAddUp()
    {
        const ActiveWindows both = windows({u"* 8-9 * * *"_s, u"* 20-21 * * *"_s});
        QCOMPARE(both.nextActive(at(u"2026-01-01T10:00:00Z"_s)), at(u"2026-01-01T20:00:00Z"_s));
        QCOMPARE(both.nextActive(at(u"2026-01-01T22:00:00Z"_s)), at(u"2026-01-02T08:00:00Z"_s));
    }

    void theLocalZoneIsUsedWhereNoneIsNamed()
    {
        const ActiveWindows local = windows({u"0 0 * * *"_s}, QTimeZone("Asia/Tokyo"));
        QCOMPARE(local.nextActive(at(u"2026-01-01T00:00:00Z"_s)), at(u"2026-01-01T15:00:00Z"_s));
    }

    void whatCannotBeReadIsNamed_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("said");
        QTest::newRow("fields") << u"* 8-17 * *"_s << u"4 fields"_s;
        QTest::newRow("value") << u"* 24 * * *"_s << u"\"24\" as hour: a value goes from 0 to 23"_s;
        QTest::newRow("word") << u"* * * * monday"_s << u"\"monday\" as day of week"_s;
        QTest::newRow("backwards") << u"* 17-8 * * *"_s << u"ends before it begins"_s;
        QTest::newRow("step") << u"*/0 * * * *"_s << u"step"_s;
        QTest::newRow("two steps") << u"*/2/2 * * * *"_s << u"one \"-\" and one \"/\""_s;
        QTest::newRow("empty part") << u"1,,2 * * * *"_s << u"\"\" as minute"_s;
        QTest::newRow("sign") << u"+1 * * * *"_s << u"\"+1\" as minute"_s;
        QTest::newRow("zone") << u"CRON_TZ=Mars/Base * * * * *"_s << u"Mars/Base"_s;
        QTest::newRow("never") << u"0 0 30 2 *"_s << u"would never ask"_s;
    }
    void whatCannotBeReadIsNamed()
    {
        QFETCH(QString, line);
        QFETCH(QString, said);
        ActiveWindows active;
        const auto added = active.add(line, QTimeZone::utc());
        QVERIFY(!added);
        QVERIFY2(added.error().detail.contains(said), qPrintable(added.error().detail));
        QVERIFY(active.isEmpty());
    }

    void theNextActiveMinuteIsTheFirstThatFits()
    {
        const QList<QTimeZone> zones{QTimeZone::utc(), QTimeZone("Europe/Berlin"),
                                     QTimeZone("America/St_Johns"), QTimeZone("Australia/Lord_Howe")};
        QVERIFY(rc::check("no minute before the next active one fits", [&] {
            const auto range = [](int least, int most) {
                const int first = *rc::gen::inRange(least, most + 1);
                const int last = *rc::gen::inRange(first, most + 1);
                const int step = *rc::gen::inRange(1, 4);
                return u"%1-%2/%3"_s.arg(first).arg(last).arg(step);
            };
            const QString line = range(0, 59) + u' ' + range(0, 23) + u" * * "_s + range(0, 6);
            const ActiveWindows active = windows({line}, zones.at(*rc::gen::inRange<qsizetype>(0, 4)));
            const Instant from =
                fromEpochMs(1'774'000'000'000 + *rc::gen::inRange<qint64>(0, 20'000'000'000));
            const Instant next = active.nextActive(from);
            RC_ASSERT(next >= from);
            RC_ASSERT(active.isActive(next));
            for (Instant earlier = from; earlier < std::min(next, from + 36h); earlier += 1min)
                RC_ASSERT(!active.isActive(earlier));
        }));
    }
};

QTEST_GUILESS_MAIN(TestActiveWindows)
#include "test_activewindows.moc"
