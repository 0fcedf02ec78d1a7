// SPDX-License-Identifier: GPL-3.0-or-later
// Canonical JSON: the published vectors, the numbers that keep their digits, and what is no JSON.
#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "engine/json/canonical.h"
#include "engine/json/token.h"

using namespace Qt::StringLiterals;
using namespace watukuy;

namespace {

QByteArray fileBytes(const QString &name)
{
    QFile file(QStringLiteral(WATUKUY_VECTORS) + u'/' + name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Rows of the vectors that fold what spec-engine 11 keeps apart; that page wins.
const QHash<QByteArray, QByteArray> &rowsOfTheSpec()
{
    static const QHash<QByteArray, QByteArray> rows{
        // More digits than the shortest double reproduces: the token keeps its own.
        {"333333333.33333329", "333333333.33333329"},
        {"[1e-400]", "[1e-400]"},
        {R"({"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],)"
         R"("string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]})",
         "{\"literals\":[null,true,false],\"numbers\":[333333333.33333329,1e+30,4.5,0.002,1e-27],"
         "\"string\":\"\u20ac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}"},
        // Lone surrogates become U+FFFD in the hash as everywhere else.
        {R"("\ud800")", "\"\uFFFD\""},
        {R"("\udc00x")", "\"\uFFFDx\""},
        {R"("a\ud800b")", "\"a\uFFFDb\""},
        {R"("\ude00\ud83d")", "\"\uFFFD\uFFFD\""},
    };
    return rows;
}

QByteArray canonicalOf(const QByteArray &raw)
{
    const auto canonical = json::canonicalise(raw);
    return canonical ? canonical->text : "error: " + canonical.error().oneLine().toUtf8();
}

} // namespace

class TestCanonical : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyRowOfTheVectorsHolds_data();
    void everyRowOfTheVectorsHolds();
    void everyFileOfTheRfcAuthorHolds_data();
    void everyFileOfTheRfcAuthorHolds();
    void C27_numbersThatADoubleCannotHoldKeepTheirDigits_data();
    void C27_numbersThatADoubleCannotHoldKeepTheirDigits();
    void equalNumbersHaveOneForm();
    void whatIsNoNumberIsRefused_data();
    void whatIsNoNumberIsRefused();
    void whatIsNoJsonIsRefused_data();
    void whatIsNoJsonIsRefused();
    void C30_theLastOfARepeatedNameCountsAndIsCounted();
    void namesWrittenDifferentlyAreTheSameName();
    void leftOutPathsAreNotInTheText_data();
    void leftOutPathsAreNotInTheText();
    void aByteOrderMarkIsSkipped();
    void nestingBeyondReasonIsAnErrorAndNoCrash_data();
    void nestingBeyondReasonIsAnErrorAndNoCrash();
    void oneTextAfterAnErrorIsReadAsIfNothingHadBeen();
    void sha256IsTheOneOfTheStandard();
};

void TestCanonical::everyRowOfTheVectorsHolds_data()
{
    QTest::addColumn<QByteArray>("raw");
    QTest::addColumn<QByteArray>("expected");
    QTest::addColumn<QByteArray>("sha256");
    const QJsonArray rows = QJsonDocument::fromJson(fileBytes(u"canonical.json"_s)).array();
    QVERIFY(rows.size() > 90);
    int overridden = 0;
    for (const QJsonValue &row : rows) {
        const QByteArray raw = row[u"json"].toString().toUtf8();
        QByteArray expected = row[u"canonical"].toString().toUtf8();
        QByteArray sha = row[u"sha256"].toString().toLatin1();
        if (rowsOfTheSpec().contains(raw)) {
            ++overridden;
            expected = rowsOfTheSpec().value(raw);
            sha = QCryptographicHash::hash(expected, QCryptographicHash::Sha256).toHex();
        }
        QTest::newRow(raw.left(60).constData()) << raw << expected << sha;
    }
    QCOMPARE(overridden, rowsOfTheSpec().size());
}

void TestCanonical::everyRowOfTheVectorsHolds()
{
    QFETCH(QByteArray, raw);
    QFETCH(QByteArray, expected);
    QFETCH(QByteArray, sha256);
    const auto canonical = json::canonicalise(raw);
    QVERIFY2(canonical, canonical ? "" : qPrintable(canonical.error().oneLine()));
    QCOMPARE(canonical->text, expected);
    QCOMPARE(json::sha256(canonical->text).toHex(), sha256);
}

void TestCanonical::everyFileOfTheRfcAuthorHolds_data()
{
    QTest::addColumn<QString>("name");
    const QDir folder(QStringLiteral(WATUKUY_VECTORS) + u"/rfc8785/input"_s);
    const QStringList names = folder.entryList(QDir::Files);
    QCOMPARE(names.size(), 6);
    for (const QString &name : names)
        QTest::newRow(qPrintable(name)) << name;
}

void TestCanonical::everyFileOfTheRfcAuthorHolds()
{
    QFETCH(QString, name);
    QByteArray expected = fileBytes(u"rfc8785/output/"_s + name);
    QVERIFY(!expected.isEmpty());
    if (name == u"values.json") {
        // 333333333.33333329 keeps its digits (spec-engine 11); the RFC folds it into a double.
        QVERIFY(expected.contains("333333333.3333333,"));
        expected.replace("333333333.3333333,", "333333333.33333329,");
    }
    QCOMPARE(canonicalOf(fileBytes(u"rfc8785/input/"_s + name)), expected);
}

void TestCanonical::C27_numbersThatADoubleCannotHoldKeepTheirDigits_data()
{
    QTest::addColumn<QByteArray>("token");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char *token, const char *expected) {
        QTest::newRow(token) << QByteArray(token) << QByteArray(expected);
    };
    row("9007199254740993", "9007199254740993");
    row("-9007199254740993", "-9007199254740993");
    row("7615917337495251231", "7615917337495251231");
    row("18446744073709551616", "18446744073709551616");
    row("123456789012345678901234567890", "1.2345678901234567890123456789e+29");
    row("0.1234567890123456789", "0.1234567890123456789");
    row("1.10000000000000000001", "1.10000000000000000001");
    row("1.1000000000000000000000000", "1.1");
    row("1e400", "1e+400");
    row("-1e400", "-1e+400");
    row("10e399", "1e+400");
    row("1e-400", "1e-400");
    row("0.00e400", "0");
    row("-0e-400", "0");
    row("100e99999999999", "1e+100000000001");
    row("1e999999999999999999999", "1e999999999999999999999");
    row("1e-999999999999999999998", "1e-999999999999999999998");
    row("0.0e999999999999999999999", "0");
    row("9007199254740993.0", "9007199254740993");
    row("9007199254740993e0", "9007199254740993");
    row("90071992547409930e-1", "9007199254740993");
}

void TestCanonical::C27_numbersThatADoubleCannotHoldKeepTheirDigits()
{
    QFETCH(QByteArray, token);
    QFETCH(QByteArray, expected);
    QCOMPARE(json::canonicalNumber(token).value_or("no number"), expected);
    QCOMPARE(json::canonicalNumber(expected).value_or("no number"), expected);
    QCOMPARE(canonicalOf('[' + token + ']'), '[' + expected + ']');
}

void TestCanonical::equalNumbersHaveOneForm()
{
    const QByteArray expected = "[1200,1200,1200,1200,0.0012,0.0012]";
    QCOMPARE(canonicalOf("[1200,1.2e3,12E+2,1200.000,12e-4,0.00120]"), expected);
}

void TestCanonical::whatIsNoNumberIsRefused_data()
{
    QTest::addColumn<QByteArray>("token");
    for (const char *token :
         {"01",    "-01", "+1",       ".5",        "1.",  "1.e3", "1e", "1e+", "-",  "--1", "0x10",
          "1_000", "NaN", "Infinity", "-Infinity", "1 2", "1,2",  "",   " 1",  "1d", "٣"})
        QTest::newRow(token) << QByteArray(token);
}

void TestCanonical::whatIsNoNumberIsRefused()
{
    QFETCH(QByteArray, token);
    QVERIFY(!json::canonicalNumber(token));
}

void TestCanonical::whatIsNoJsonIsRefused_data()
{
    QTest::addColumn<QByteArray>("raw");
    for (const char *raw : {"",
                            " ",
                            "{",
                            "}",
                            "[",
                            "]",
                            "[1,]",
                            "[,1]",
                            "[1 2]",
                            "[1,,2]",
                            R"({"a"})",
                            R"({"a":})",
                            R"({"a":1,})",
                            R"({,"a":1})",
                            "{a:1}",
                            "{'a':1}",
                            R"({1:2})",
                            "[NaN]",
                            "[-NaN]",
                            "[Infinity]",
                            "[tru]",
                            "[TRUE]",
                            "[nul]",
                            "[truee]",
                            "nulll",
                            "[1]x",
                            "[1][2]",
                            "{}{}",
                            "1 2",
                            "\"a",
                            "\"a\"b",
                            R"("a":5")",
                            R"({"a":"x":1})",
                            R"([{"a":"x":1},"b":5}])",
                            R"(["x":1,2])",
                            R"(["\x"])",
                            R"("\u12")",
                            R"(["\u12g4"])",
                            "[\"\x01\"]",
                            "\"\x01\"",
                            "[\"a\nb\"]",
                            "[\xff]",
                            "[\"\xff\"]",
                            "\"\xff\"",
                            R"({"a":1 "b":2})",
                            R"({"a" 1})",
                            R"({"a":1]})",
                            R"([1}])",
                            R"({"a":[1})",
                            "[01]",
                            "[1.]",
                            "[+1]",
                            "//",
                            "[1]//x",
                            "[1/**/]",
                            "\"\xed\xa0\x80\""})
        QTest::newRow(raw) << QByteArray(raw);
    QTest::newRow("a byte 0") << QByteArray("[1\0]", 4);
    QTest::newRow("a byte 0 after the end") << QByteArray("[1]\0", 4);
}

void TestCanonical::whatIsNoJsonIsRefused()
{
    QFETCH(QByteArray, raw);
    const auto canonical = json::canonicalise(raw);
    QVERIFY2(!canonical, canonical ? canonical->text.constData() : "");
    QCOMPARE(canonical.error().kind, ErrorKind::Body);
    QVERIFY(!canonical.error().title.isEmpty());
}

void TestCanonical::C30_theLastOfARepeatedNameCountsAndIsCounted()
{
    const auto canonical = json::canonicalise(R"({"b":{"x":1,"x":2},"id":1,"id":2,"id":3})");
    QVERIFY(canonical);
    QCOMPARE(canonical->text, R"({"b":{"x":2},"id":3})");
    QCOMPARE(canonical->duplicateNames, 3);
}

void TestCanonical::namesWrittenDifferentlyAreTheSameName()
{
    const auto canonical = json::canonicalise(R"({"\u0061":1,"a":2})");
    QVERIFY(canonical);
    QCOMPARE(canonical->text, R"({"a":2})");
    QCOMPARE(canonical->duplicateNames, 1);
}

void TestCanonical::leftOutPathsAreNotInTheText_data()
{
    QTest::addColumn<QStringList>("paths");
    QTest::addColumn<QByteArray>("expected");
    QTest::newRow("none") << QStringList{} << QByteArray(R"({"a":{"b":[1,{"c":2}],"é":3},"d.e":4})");
    QTest::newRow("a name") << QStringList{u"a"_s} << QByteArray(R"({"d.e":4})");
    QTest::newRow("inside") << QStringList{u"a.b"_s} << QByteArray(R"({"a":{"é":3},"d.e":4})");
    QTest::newRow("an index") << QStringList{u"a.b.0"_s}
                              << QByteArray(R"({"a":{"b":[{"c":2}],"é":3},"d.e":4})");
    QTest::newRow("below an index") << QStringList{u"a.b.1.c"_s}
                                    << QByteArray(R"({"a":{"b":[1,{}],"é":3},"d.e":4})");
    QTest::newRow("a dot and an accent")
        << QStringList{u"d\\.e"_s, u"/a/é"_s} << QByteArray(R"({"a":{"b":[1,{"c":2}]}})");
    QTest::newRow("absent") << QStringList{u"x"_s, u"a.x"_s, u"a.b.7"_s}
                            << QByteArray(R"({"a":{"b":[1,{"c":2}],"é":3},"d.e":4})");
}

void TestCanonical::leftOutPathsAreNotInTheText()
{
    QFETCH(QStringList, paths);
    QFETCH(QByteArray, expected);
    std::vector<json::Path> leftOut;
    for (const QString &path : paths)
        leftOut.push_back(*json::Path::parse(path));
    const auto canonical = json::canonicalise(R"({"d.e":4,"a":{"é":3,"b":[1,{"c":2}]}})", leftOut);
    QVERIFY(canonical);
    QCOMPARE(canonical->text, expected);
}

void TestCanonical::aByteOrderMarkIsSkipped()
{
    QCOMPARE(canonicalOf("\xEF\xBB\xBF{\"a\":1}"), R"({"a":1})");
}

void TestCanonical::nestingBeyondReasonIsAnErrorAndNoCrash_data()
{
    QTest::addColumn<QByteArray>("raw");
    constexpr int depth = 100'000;
    QByteArray objects;
    for (int level = 0; level < depth; ++level)
        objects += R"({"a":)";
    QTest::newRow("open brackets") << QByteArray(depth, '[');
    QTest::newRow("closed brackets") << QByteArray(depth, '[') + QByteArray(depth, ']');
    QTest::newRow("open objects") << objects;
    QTest::newRow("closed objects") << objects + '1' + QByteArray(depth, '}');
    QTest::newRow("closing brackets only") << QByteArray(depth, ']');
}

void TestCanonical::nestingBeyondReasonIsAnErrorAndNoCrash()
{
    QFETCH(QByteArray, raw);
    const auto canonical = json::canonicalise(raw);
    QVERIFY(!canonical);
    QCOMPARE(canonical.error().kind, ErrorKind::Body);
}

void TestCanonical::oneTextAfterAnErrorIsReadAsIfNothingHadBeen()
{
    QVERIFY(!json::canonicalise("[1,"));
    QCOMPARE(canonicalOf("[1]"), "[1]");
    QVERIFY(!json::canonicalise(QByteArray(5000, '[')));
    QCOMPARE(canonicalOf(R"({"b":1,"a":[]})"), R"({"a":[],"b":1})");
}

void TestCanonical::sha256IsTheOneOfTheStandard()
{
    QCOMPARE(json::sha256("").toHex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    QCOMPARE(json::sha256("abc").toHex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    QCOMPARE(json::sha256(QByteArray(1'000'000, 'a')).toHex(),
             "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

QTEST_APPLESS_MAIN(TestCanonical)

#include "test_canonical.moc"
