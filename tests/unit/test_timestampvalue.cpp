// SPDX-License-Identifier: GPL-3.0-or-later
// Timestamps as APIs write them: reading, comparing, and writing a moved one alike.
#include <QTest>

#include "engine/cursor/tiebreak.h"
#include "engine/cursor/timestampvalue.h"

using namespace Qt::StringLiterals;
using namespace watukuy;
using namespace std::chrono_literals;

namespace {

CursorDefinition withFormats(const QStringList &formats, const QByteArray &zone = {})
{
    CursorDefinition definition;
    definition.strategy = Strategy::Timestamp;
    definition.formats = formats;
    definition.timeZone = zone;
    return definition;
}

const CursorDefinition plain = withFormats({});

/// What was read, in one comparable word: seconds.nanoseconds.
QString word(const std::optional<cursor::Timestamp> &at)
{
    if (!at)
        return u"unreadable"_s;
    return QString::number(at->seconds) + u'.' + QString::number(at->nanoseconds).rightJustified(9, u'0');
}

QString read(const QString &text, const CursorDefinition &definition = plain)
{
    return word(cursor::readTimestamp(text, definition));
}

} // namespace

class TestTimestampValue : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyFormIsRead_data();
    void everyFormIsRead();
    void whatIsNoTimeIsUnreadable_data();
    void whatIsNoTimeIsUnreadable();
    void C17_datesOfADeclaredFormatCompareAsInstants();
    void C18_threeSpellingsAreOneInstant();
    void C19_epochUnitsAreTakenFromTheMagnitude();
    void aDeclaredUnitOverrulesTheMagnitude();
    void nanosecondsAreNotCutToMilliseconds();
    void aSkippedLocalTimeMovesForward();
    void aDoubledLocalTimeIsTheEarlierInstant();
    void aDeclaredFormatReadsLocalTimesOfItsZone();
    void aFormatWithAnOffsetOfItsOwnIgnoresTheZone();
    void digitsThatMissEveryDeclaredFormatAreNotCountedAsSeconds();
    void aMovedTimeIsWrittenInTheFormItHad_data();
    void aMovedTimeIsWrittenInTheFormItHad();
    void aMovedTimeIsRoundedTowardsThePast_data();
    void aMovedTimeIsRoundedTowardsThePast();
    void aMovedTimeCanBeReadAgain_data();
    void aMovedTimeCanBeReadAgain();
    void tieBreaksCompareByValueWhenBothAreIntegers_data();
    void tieBreaksCompareByValueWhenBothAreIntegers();
};

void TestTimestampValue::everyFormIsRead_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("wanted");
    const QString wanted = u"1445412480.000000000"_s; // 2015-10-21T07:28:00Z
    const QString half = u"1445412480.500000000"_s;
    const auto row = [](const QString &text, const QString &value) {
        QTest::newRow(qPrintable(text)) << text << value;
    };
    row(u"2015-10-21T07:28:00Z"_s, wanted);
    row(u"2015-10-21t07:28:00z"_s, wanted);
    row(u"2015-10-21T09:28:00+02:00"_s, wanted);
    row(u"2015-10-21T09:28:00+0200"_s, wanted);
    row(u"2015-10-21T09:28:00+02"_s, wanted);
    row(u"2015-10-20T21:58:00-09:30"_s, wanted);
    row(u"2015-10-21 07:28:00"_s, wanted);
    row(u"2015-10-21 07:28:00 UTC"_s, wanted);
    row(u"2015-10-21 09:28:00 +0200"_s, wanted);
    row(u"2015-10-21T07:28"_s, wanted);
    row(u"2015-10-21T07:28:00.5Z"_s, half);
    row(u"2015-10-21T07:28:00,500Z"_s, half);
    row(u" 2015-10-21T07:28:00Z "_s, wanted);
    row(u"2015-10-21"_s, u"1445385600.000000000"_s);
    row(u"2015-10-20T24:00:00Z"_s, u"1445385600.000000000"_s);
    row(u"2016-12-31T23:59:60Z"_s, u"1483228800.000000000"_s);
    row(u"1969-12-31T23:59:59.25Z"_s, u"-1.250000000"_s);
    row(u"0001-01-01T00:00:00Z"_s, u"-62135596800.000000000"_s);
    row(u"Wed, 21 Oct 2015 07:28:00 GMT"_s, wanted);
    row(u"Wednesday, 21-Oct-15 07:28:00 GMT"_s, wanted);
    row(u"21-Oct-2015 07:28:00 GMT"_s, wanted);
    row(u"Thursday, 01-Jan-70 00:00:00 GMT"_s, u"0.000000000"_s);
    row(u"01 Jan 0069 00:00:00 GMT"_s, u"-59989680000.000000000"_s);
    row(u"Wed Oct 21 07:28:00 2015"_s, wanted);
    row(u"Sun Nov  6 08:49:37 1994"_s, u"784111777.000000000"_s);
    row(u"21 Oct 2015 09:28:00 +0200"_s, wanted);
    row(u"/Date(1445412480500)/"_s, half);
    row(u"/Date(1445412480500+0200)/"_s, half);
    row(u"/Date(-500)/"_s, u"-1.500000000"_s);
    row(u"1445412480"_s, wanted);
    row(u"1445412480.5"_s, half);
    row(u"1.4454124805e9"_s, half);
    row(u"1445412480500"_s, half);
    row(u"1445412480500000"_s, half);
    row(u"1445412480500000000"_s, half);
    row(u"0"_s, u"0.000000000"_s);
    row(u"-1.5"_s, u"-2.500000000"_s);
}

void TestTimestampValue::everyFormIsRead()
{
    QFETCH(const QString, text);
    QFETCH(const QString, wanted);
    QCOMPARE(read(text), wanted);
}

void TestTimestampValue::whatIsNoTimeIsUnreadable_data()
{
    QTest::addColumn<QString>("text");
    for (const QString &text : {u""_s,
                                u"not a date"_s,
                                u"true"_s,
                                u"2015-02-29"_s,
                                u"2015-13-01"_s,
                                u"2015-10-21T25:00:00Z"_s,
                                u"2015-10-21T07:28:00.Z"_s,
                                u"2015-10-21T07:28:00+2"_s,
                                u"2015-10-21T07:28:00+02:"_s,
                                u"2015-10-21T07:28:00Zulu"_s,
                                u"2015-10-21T"_s,
                                u"21 Foo 2015 07:28:00 GMT"_s,
                                u"/Date(x)/"_s,
                                u"/Date(12"_s,
                                u"21-Oct-123 07:28:00 GMT"_s,
                                u"1e99999"_s,
                                u"12."_s,
                                u"--1"_s,
                                u"99999999999999999999999999"_s,
                                u"{\"a\":1}"_s}) {
        QTest::newRow(qPrintable(text)) << text;
    }
}

void TestTimestampValue::whatIsNoTimeIsUnreadable()
{
    QFETCH(const QString, text);
    QCOMPARE(read(text), u"unreadable"_s);
}

void TestTimestampValue::C17_datesOfADeclaredFormatCompareAsInstants()
{
    const CursorDefinition definition = withFormats({u"dd-MM-yyyy"_s});
    const auto late = cursor::readTimestamp(u"01-01-2023"_s, definition);
    const auto early = cursor::readTimestamp(u"20-01-1970"_s, definition);
    QCOMPARE(word(late), u"1672531200.000000000"_s);
    QCOMPARE(word(early), u"1641600.000000000"_s);
    QVERIFY(*late > *early);
    QCOMPARE(cursor::movedBack(u"01-01-2023"_s, 24h, definition), u"31-12-2022"_s);
}

void TestTimestampValue::C18_threeSpellingsAreOneInstant()
{
    QCOMPARE(read(u"2024-05-01T10:00:05+00:00"_s), read(u"2024-05-01T10:00:05Z"_s));
    QCOMPARE(read(u"2024-05-01T10:00:05.000000Z"_s), read(u"2024-05-01T10:00:05Z"_s));
}

void TestTimestampValue::C19_epochUnitsAreTakenFromTheMagnitude()
{
    QCOMPARE(read(u"1587482538"_s), u"1587482538.000000000"_s);
    QCOMPARE(read(u"1587482538893"_s), u"1587482538.893000000"_s);
}

void TestTimestampValue::aDeclaredUnitOverrulesTheMagnitude()
{
    CursorDefinition definition = plain;
    definition.unit = u"ms"_s;
    QCOMPARE(read(u"12345"_s, definition), u"12.345000000"_s);
    definition.unit = u"s"_s;
    QCOMPARE(read(u"1587482538893"_s, definition), u"1587482538893.000000000"_s);
}

void TestTimestampValue::nanosecondsAreNotCutToMilliseconds()
{
    const auto earlier = cursor::readTimestamp(u"2024-05-01T10:00:00.123456788Z"_s, plain);
    const auto later = cursor::readTimestamp(u"2024-05-01T10:00:00.123456789Z"_s, plain);
    QVERIFY(*earlier < *later);
    QCOMPARE(earlier->toInstant(), later->toInstant());
    QCOMPARE(read(u"2024-05-01T10:00:00.1234567891234Z"_s), word(later));
}

void TestTimestampValue::aSkippedLocalTimeMovesForward()
{
    // Berlin's clock goes from 02:00 to 03:00 on 2024-03-31.
    const CursorDefinition berlin = withFormats({}, "Europe/Berlin");
    QCOMPARE(read(u"2024-03-31 02:30:00"_s, berlin), read(u"2024-03-31T03:30:00+02:00"_s));
    QCOMPARE(read(u"2024-03-31 01:59:59"_s, berlin), read(u"2024-03-31T00:59:59Z"_s));
    QCOMPARE(read(u"2024-03-31 03:00:00"_s, berlin), read(u"2024-03-31T01:00:00Z"_s));
}

void TestTimestampValue::aDoubledLocalTimeIsTheEarlierInstant()
{
    // New York shows 01:00 to 02:00 twice on 2024-11-03.
    const CursorDefinition newYork = withFormats({}, "America/New_York");
    QCOMPARE(read(u"2024-11-03 01:30:00"_s, newYork), read(u"2024-11-03T01:30:00-04:00"_s));
    QCOMPARE(read(u"2024-11-03 02:00:00"_s, newYork), read(u"2024-11-03T02:00:00-05:00"_s));
    // An offset in the text decides, whatever the zone.
    QCOMPARE(read(u"2024-11-03T01:30:00-05:00"_s, newYork), read(u"2024-11-03T06:30:00Z"_s));
}

void TestTimestampValue::aDeclaredFormatReadsLocalTimesOfItsZone()
{
    const CursorDefinition berlin =
        withFormats({u"d.M.yyyy HH:mm"_s, u"dd/MM/yyyy hh:mm:ss AP"_s}, "Europe/Berlin");
    QCOMPARE(read(u"1.7.2024 12:00"_s, berlin), read(u"2024-07-01T10:00:00Z"_s));
    QCOMPARE(read(u"31.3.2024 02:30"_s, berlin), read(u"2024-03-31T01:30:00Z"_s));
    QCOMPARE(read(u"27.10.2024 02:30"_s, berlin), read(u"2024-10-27T00:30:00Z"_s));
    QCOMPARE(read(u"01/07/2024 01:00:00 PM"_s, berlin), read(u"2024-07-01T11:00:00Z"_s));
    // What the formats do not know is still read as what it plainly is.
    QCOMPARE(read(u"2024-07-01T10:00:00Z"_s, berlin), u"1719828000.000000000"_s);
    QCOMPARE(cursor::movedBack(u"27.10.2024 03:10"_s, 30min, berlin), u"27.10.2024 02:40"_s);
}

void TestTimestampValue::aFormatWithAnOffsetOfItsOwnIgnoresTheZone()
{
    const CursorDefinition definition = withFormats({u"dd.MM.yyyy HH:mm t"_s}, "Asia/Tokyo");
    QCOMPARE(read(u"01.07.2024 12:00 +02:00"_s, definition), read(u"2024-07-01T10:00:00Z"_s));
}

void TestTimestampValue::digitsThatMissEveryDeclaredFormatAreNotCountedAsSeconds()
{
    const CursorDefinition definition = withFormats({u"yyyyMMdd"_s});
    QCOMPARE(read(u"20240501"_s, definition), read(u"2024-05-01"_s));
    QCOMPARE(read(u"20241301"_s, definition), u"unreadable"_s);
}

void TestTimestampValue::aMovedTimeIsWrittenInTheFormItHad_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<qint64>("ms");
    QTest::addColumn<QString>("wanted");
    const auto row = [](const QString &text, qint64 ms, const QString &wanted) {
        QTest::newRow(qPrintable(text)) << text << ms << wanted;
    };
    row(u"2024-05-01T10:00:00Z"_s, 90'000, u"2024-05-01T09:58:30Z"_s);
    row(u"2024-05-01T10:00:00.000000Z"_s, 1, u"2024-05-01T09:59:59.999000Z"_s);
    row(u"2024-05-01T10:00:00.123456789Z"_s, 1000, u"2024-05-01T09:59:59.123456789Z"_s);
    row(u"2024-05-01T00:30:00+02:00"_s, 3'600'000, u"2024-04-30T23:30:00+02:00"_s);
    row(u"2024-05-01 10:00:00"_s, 60'000, u"2024-05-01 09:59:00"_s);
    row(u"2024-05-01T10:00"_s, 1, u"2024-05-01T09:59"_s);
    row(u"2024-05-01"_s, 300'000, u"2024-04-30"_s);
    row(u"Wed, 21 Oct 2015 00:00:00 GMT"_s, 1000, u"Tue, 20 Oct 2015 23:59:59 GMT"_s);
    row(u"Wednesday, 21-Oct-15 00:00:00 GMT"_s, 1000, u"Tuesday, 20-Oct-15 23:59:59 GMT"_s);
    row(u"Sun Nov  6 08:49:37 1994"_s, 1000, u"Sun Nov  6 08:49:36 1994"_s);
    row(u"/Date(1445412480500+0200)/"_s, 500, u"/Date(1445412480000+0200)/"_s);
    row(u"1714557600"_s, 1500, u"1714557598"_s);
    row(u"1714557600.25"_s, 1500, u"1714557598.75"_s);
    row(u"1714557600000"_s, 1500, u"1714557598500"_s);
    row(u"1714557600000000"_s, 1500, u"1714557598500000"_s);
    row(u"1714557600000000001"_s, 1500, u"1714557598500000001"_s);
}

void TestTimestampValue::aMovedTimeIsWrittenInTheFormItHad()
{
    QFETCH(const QString, text);
    QFETCH(const qint64, ms);
    QFETCH(const QString, wanted);
    QCOMPARE(cursor::movedBack(text, Duration{ms}, plain), wanted);
}

void TestTimestampValue::aMovedTimeIsRoundedTowardsThePast_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("wanted");
    const auto row = [](const QString &text, const QString &wanted) {
        QTest::newRow(qPrintable(text)) << text << wanted;
    };
    // By a millisecond.
    row(u"1"_s, u"0"_s);
    row(u"0"_s, u"-1"_s);
    row(u"-1"_s, u"-2"_s);
    row(u"-1.5"_s, u"-1.6"_s);
    row(u"-1.50"_s, u"-1.51"_s);
    row(u"-1.500"_s, u"-1.501"_s);
    row(u"/Date(0)/"_s, u"/Date(-1)/"_s);
    row(u"1970-01-01T00:00:00Z"_s, u"1969-12-31T23:59:59Z"_s);
    row(u"1969-12-31T23:59:59.5Z"_s, u"1969-12-31T23:59:59.4Z"_s);
}

void TestTimestampValue::aMovedTimeIsRoundedTowardsThePast()
{
    QFETCH(const QString, text);
    QFETCH(const QString, wanted);
    QCOMPARE(cursor::movedBack(text, 1ms, plain), wanted);
}

void TestTimestampValue::aMovedTimeCanBeReadAgain_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("formats");
    QTest::addColumn<Duration>("by");
    QTest::addColumn<QString>("wanted");
    const Duration century = 36'500 * 24h;
    const auto row = [](const QString &text, Duration by, const QString &wanted,
                        const QStringList &formats = {}) {
        QTest::newRow(qPrintable(text)) << text << formats << by << wanted;
    };
    // A fraction that an exponent makes long.
    row(u"1e-55"_s, century, u"-3153600000.000000000000000000000000000000"_s);
    row(u"-1e-60"_s, 1s, u"-1.000000001000000000000000000000"_s);
    // Two digits where they are enough.
    row(u"Thursday, 01-Jan-70 00:00:00 GMT"_s, 1s, u"Wednesday, 31-Dec-1969 23:59:59 GMT"_s);
    row(u"Saturday, 01-Jan-00 00:00:00 GMT"_s, 1s, u"Friday, 31-Dec-99 23:59:59 GMT"_s);
    row(u"01-Jan-1950 00:00:00 GMT"_s, 1s, u"31-Dec-1949 23:59:59 GMT"_s);
    row(u"01 Jan 0100 00:00:00 GMT"_s, 1s, u"31 Dec 0099 23:59:59 GMT"_s);
    // Not before the year 1.
    row(u"0001-01-01T00:00:00Z"_s, 5min, u"0001-01-01T00:00:00Z"_s);
    row(u"0001-06-01T00:00:00Z"_s, century, u"0001-01-02T00:00:00Z"_s);
    row(u"0001-06-01T00:00:00-09:30"_s, century, u"0001-01-01T14:30:00-09:30"_s);
    row(u"0000-06-01"_s, century, u"0000-06-01"_s);
    row(u"01 Jun 0001 00:00:00 GMT"_s, century, u"02 Jan 0001 00:00:00 GMT"_s);
    row(u"01-06-0001"_s, century, u"02-01-0001"_s, {u"dd-MM-yyyy"_s});
}

void TestTimestampValue::aMovedTimeCanBeReadAgain()
{
    QFETCH(const QString, text);
    QFETCH(const QStringList, formats);
    QFETCH(const Duration, by);
    QFETCH(const QString, wanted);
    const CursorDefinition definition = withFormats(formats);
    QCOMPARE(cursor::movedBack(text, by, definition), wanted);
    const auto again = cursor::readTimestamp(wanted, definition);
    QVERIFY(again && *again <= *cursor::readTimestamp(text, definition));
}

void TestTimestampValue::tieBreaksCompareByValueWhenBothAreIntegers_data()
{
    QTest::addColumn<QString>("less");
    QTest::addColumn<QString>("greater");
    const auto row = [](const QString &less, const QString &greater) {
        QTest::newRow(qPrintable(less + u" < "_s + greater)) << less << greater;
    };
    row(u"9"_s, u"10"_s);
    row(u"-10"_s, u"-9"_s);
    row(u"-1"_s, u"0"_s);
    row(u"9223372036854775807"_s, u"9223372036854775808"_s);
    row(u"99999999999999999999999999999"_s, u"100000000000000000000000000000"_s);
    row(u"10"_s, u"9a"_s);
    row(u"a"_s, u"b"_s);
    row(u"B"_s, u"a"_s);
    // By UTF-16 code units a character beyond the first plane comes before U+FF5E.
    row(u"\U0001F600"_s, u"\uFF5E"_s);
}

void TestTimestampValue::tieBreaksCompareByValueWhenBothAreIntegers()
{
    QFETCH(const QString, less);
    QFETCH(const QString, greater);
    QVERIFY(cursor::compareTieBreaks(less, greater) < 0);
    QVERIFY(cursor::compareTieBreaks(greater, less) > 0);
    QVERIFY(cursor::compareTieBreaks(less, less) == 0);
}

QTEST_GUILESS_MAIN(TestTimestampValue)
#include "test_timestampvalue.moc"
