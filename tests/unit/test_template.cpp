// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "engine/definition/template.h"
#include "engine/definition/workspace.h"

using namespace watukuy;
using namespace Qt::StringLiterals;

namespace {

Template parsed(const QString &text)
{
    auto result = Template::parse(text);
    if (!result)
        qFatal("%s", qPrintable(result.error().oneLine()));
    return *result;
}

/// a = "1", `empty` = "", anything else is null.
Result<std::optional<QString>> known(const QString &name)
{
    if (name == u"a")
        return std::optional(u"1"_s);
    if (name == u"empty")
        return std::optional(u""_s);
    return std::optional<QString>();
}

} // namespace

class TestTemplate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void placeholdersAreReplaced_data();
    void placeholdersAreReplaced();
    void aLoneNullLeavesTheMemberOut();
    void nullInsideLongerTextIsAnError();
    void anErrorOfTheLookupEndsTheExpansion();
    void brokenPlaceholdersAreRefused_data();
    void brokenPlaceholdersAreRefused();
    void whatIsUsedCanBeAsked();
    void durationsHaveUnits_data();
    void durationsHaveUnits();
    void sizesArePowersOf1024_data();
    void sizesArePowersOf1024();
};

void TestTemplate::placeholdersAreReplaced_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    QTest::newRow("no placeholder") << u"plain"_s << u"plain"_s;
    QTest::newRow("nothing") << u""_s << u""_s;
    QTest::newRow("one") << u"${a}"_s << u"1"_s;
    QTest::newRow("inside") << u"x${a}y${a}z"_s << u"x1y1z"_s;
    QTest::newRow("spaces around the name") << u"${ a }"_s << u"1"_s;
    QTest::newRow("empty is not null") << u"x${empty}y"_s << u"xy"_s;
    QTest::newRow("escaped") << u"$${a}"_s << u"${a}"_s;
    QTest::newRow("escaped and real") << u"$${a}${a}"_s << u"${a}1"_s;
    QTest::newRow("a dollar alone") << u"5$ and $5"_s << u"5$ and $5"_s;
    QTest::newRow("dollars before an escape") << u"$$${a}"_s << u"$${a}"_s;
    QTest::newRow("braces alone") << u"{a} }"_s << u"{a} }"_s;
}

void TestTemplate::placeholdersAreReplaced()
{
    QFETCH(QString, text);
    QFETCH(QString, expected);
    const Template pattern = parsed(text);
    const auto expanded = pattern.expand(known);
    QVERIFY(expanded && *expanded);
    QCOMPARE(**expanded, expected);
    QCOMPARE(pattern.text(), text);
}

void TestTemplate::aLoneNullLeavesTheMemberOut()
{
    const auto expanded = parsed(u"${nothing}"_s).expand(known);
    QVERIFY(expanded.has_value());
    QVERIFY(!expanded->has_value());
}

void TestTemplate::nullInsideLongerTextIsAnError()
{
    const auto expanded = parsed(u"since-${nothing}"_s).expand(known);
    QVERIFY(!expanded);
    QCOMPARE(expanded.error().kind, ErrorKind::Workspace);
    QVERIFY(expanded.error().detail.contains(u"${nothing}"));
}

void TestTemplate::anErrorOfTheLookupEndsTheExpansion()
{
    const auto expanded = parsed(u"${a}"_s).expand([](const QString &) -> Result<std::optional<QString>> {
        return fail({.kind = ErrorKind::Secret, .title = u"locked"_s});
    });
    QVERIFY(!expanded);
    QCOMPARE(expanded.error().title, u"locked"_s);
}

void TestTemplate::brokenPlaceholdersAreRefused_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("unclosed") << u"x${a"_s;
    QTest::newRow("empty") << u"${}"_s;
    QTest::newRow("blank") << u"${  }"_s;
    QTest::newRow("one inside another") << u"${env:${a}}"_s;
    QTest::newRow("closed on another line") << u"${a\nb}"_s;
}

void TestTemplate::brokenPlaceholdersAreRefused()
{
    QFETCH(QString, text);
    const auto result = Template::parse(text);
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::Workspace);
    QVERIFY(!result.error().nextStep.isEmpty());
}

void TestTemplate::whatIsUsedCanBeAsked()
{
    const Template pattern = parsed(u"${cursor.value}-${env:KEY}-$${page}"_s);
    QCOMPARE(pattern.placeholders(), (QStringList{u"cursor.value"_s, u"env:KEY"_s}));
    QVERIFY(pattern.uses(u"cursor."));
    QVERIFY(!pattern.uses(u"page"));
    QVERIFY(pattern.usesSecret());
    QVERIFY(!parsed(u"$${env:KEY}"_s).usesSecret());
    QVERIFY(!parsed(u"env:KEY"_s).usesSecret());
}

void TestTemplate::durationsHaveUnits_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<qint64>("ms");
    QTest::newRow("ms") << u"250ms"_s << qint64(250);
    QTest::newRow("s") << u"5s"_s << qint64(5000);
    QTest::newRow("m") << u"2m"_s << qint64(120'000);
    QTest::newRow("h") << u"6h"_s << qint64(21'600'000);
    QTest::newRow("d") << u"1d"_s << qint64(86'400'000);
    QTest::newRow("zero") << u"0s"_s << qint64(0);
    QTest::newRow("the longest") << u"36500d"_s << qint64(3'153'600'000'000);
    for (const char *bad : {"", "5", "s", "-5s", "1.5s", "5 s", "5S", "5w", "5s ", "36501d", "999999999999d",
                            "9999999999999ms", "5s\n"})
        QTest::newRow(bad) << QString::fromLatin1(bad) << qint64(-1);
}

void TestTemplate::durationsHaveUnits()
{
    QFETCH(QString, text);
    QFETCH(qint64, ms);
    const auto duration = parseDuration(text);
    QCOMPARE(duration ? duration->count() : -1, ms);
    if (duration)
        QCOMPARE(parseDuration(durationText(*duration)), duration);
}

void TestTemplate::sizesArePowersOf1024_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<qint64>("bytes");
    QTest::newRow("plain") << u"512"_s << qint64(512);
    QTest::newRow("B") << u"512B"_s << qint64(512);
    QTest::newRow("KB") << u"64KB"_s << qint64(65'536);
    QTest::newRow("MB") << u"64MB"_s << qint64(67'108'864);
    QTest::newRow("GB") << u"2GB"_s << qint64(2'147'483'648);
    for (const char *bad : {"", "MB", "-1", "1.5MB", "1 MB", "1TB", "1mb", "999999999999999GB", "0x10"})
        QTest::newRow(bad) << QString::fromLatin1(bad) << qint64(-1);
}

void TestTemplate::sizesArePowersOf1024()
{
    QFETCH(QString, text);
    QFETCH(qint64, bytes);
    QCOMPARE(parseSize(text).value_or(-1), bytes);
}

QTEST_APPLESS_MAIN(TestTemplate)
#include "test_template.moc"
