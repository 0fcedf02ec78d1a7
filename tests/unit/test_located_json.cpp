// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "engine/definition/locatedjson.h"
#include "engine/definition/syntaxmistake.h"

using namespace watukuy;
using namespace Qt::StringLiterals;

class TestLocatedJson : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyValueKnowsItsLine();
    void theTextOfAValueIsKeptByteForByte();
    void repeatedNamesStayInOrder();
    void aMistakeIsNamedWithItsLine_data();
    void aMistakeIsNamedWithItsLine();
    void whatIsJsonHasNoMistake_data();
    void whatIsJsonHasNoMistake();
    void depthIsLimited();
    void sixteenMegabytesAreReadInTime();
};

void TestLocatedJson::everyValueKnowsItsLine()
{
    const auto root = readLocated("\n{\n\"a\":\n  1,\r\n\"b\": [\n true,\n\n{\"c\": null}]\n}\n");
    QVERIFY(root.has_value());
    QCOMPARE(root->line, 2);
    QCOMPARE(root->members.at(0).line, 3);
    QCOMPARE(root->members.at(0).value.line, 4);
    QCOMPARE(root->members.at(1).line, 5);
    const LocatedValue &list = root->members.at(1).value;
    QCOMPARE(list.line, 5);
    QCOMPARE(list.elements.at(0).line, 6);
    QCOMPARE(list.elements.at(1).line, 8);
    QCOMPARE(list.elements.at(1).member(u"c"_s)->line, 8);
    QCOMPARE(list.elements.at(1).member(u"none"_s), nullptr);
}

void TestLocatedJson::theTextOfAValueIsKeptByteForByte()
{
    const auto root = readLocated(
        R"( {"n": 9007199254740993.10 , "t": "a\u0062\"}", "o": { "x" : [ ] , "y":{}} ,"l":[1 ,[2] ] } )");
    QVERIFY(root.has_value());
    QCOMPARE(root->member(u"n"_s)->raw, QByteArray("9007199254740993.10"));
    QCOMPARE(root->member(u"t"_s)->raw, QByteArray(R"("a\u0062\"}")"));
    QCOMPARE(root->member(u"t"_s)->text(), u"ab\"}"_s);
    QCOMPARE(root->member(u"o"_s)->raw, QByteArray(R"({ "x" : [ ] , "y":{}})"));
    QCOMPARE(root->member(u"o"_s)->member(u"x"_s)->raw, QByteArray("[ ]"));
    QCOMPARE(root->member(u"l"_s)->raw, QByteArray("[1 ,[2] ]"));
    QVERIFY(root->raw.startsWith("{\"n\"") && root->raw.endsWith('}'));
}

void TestLocatedJson::repeatedNamesStayInOrder()
{
    const auto root = readLocated("{\"a\":1,\n\"\\u0061\":2}");
    QVERIFY(root.has_value());
    QCOMPARE(root->members.size(), size_t(2));
    QCOMPARE(root->members.at(1).name, u"a"_s);
    QCOMPARE(root->members.at(1).line, 2);
    QCOMPARE(root->member(u"a"_s)->raw, QByteArray("1"));
}

void TestLocatedJson::aMistakeIsNamedWithItsLine_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("says");
    QTest::newRow("line comment") << QByteArray("{\n// why\n\"a\":1}") << 2 << u"Comments are not accepted"_s;
    QTest::newRow("block comment") << QByteArray("{\n\"a\":1 /* why */}") << 2
                                   << u"Comments are not accepted"_s;
    QTest::newRow("hash comment") << QByteArray("# why\n{}") << 1 << u"Comments are not accepted"_s;
    QTest::newRow("comment after the end")
        << QByteArray("{}\n\n// end") << 3 << u"Comments are not accepted"_s;
    QTest::newRow("trailing comma in an object")
        << QByteArray("{\"a\":1,\n\"b\":2,\n\n}") << 2 << u"Trailing commas are not accepted"_s;
    QTest::newRow("trailing comma in a list")
        << QByteArray("{\"a\":[1,\n2,]}") << 2 << u"Trailing commas are not accepted"_s;
    QTest::newRow("unclosed text") << QByteArray("{\n\"a\": \"b\n}") << 2 << u"never closed"_s;
    QTest::newRow("unclosed text at the end") << QByteArray("{\n\"a\": \"b") << 2 << u"never closed"_s;
    QTest::newRow("unclosed object") << QByteArray("{\n\"a\": {\n\"b\": 1\n") << 2 << u"{ is never closed"_s;
    QTest::newRow("unclosed list") << QByteArray("{\n\"a\": [1,2") << 2 << u"[ is never closed"_s;
    QTest::newRow("missing comma") << QByteArray("{\"a\": 1\n\"b\": 2}") << 2 << u"A comma is missing"_s;
    QTest::newRow("missing comma in a list") << QByteArray("{\"a\": [1\n2]}") << 2 << u"A comma is missing"_s;
    QTest::newRow("missing colon") << QByteArray("{\"a\"\n1}") << 2 << u"A colon is missing"_s;
    QTest::newRow("missing value") << QByteArray("{\"a\":\n}") << 2 << u"no value"_s;
    QTest::newRow("two commas") << QByteArray("{\"a\":1,\n,\"b\":2}") << 2 << u"between two commas"_s;
    QTest::newRow("comma first") << QByteArray("{\n,\"b\":2}") << 2 << u"A comma stands"_s;
    QTest::newRow("single quotes") << QByteArray("{\n'a':1}") << 2 << u"double quotes"_s;
    QTest::newRow("bare key") << QByteArray("{\na:1}") << 2 << u"A key is expected"_s;
    QTest::newRow("bare word") << QByteArray("{\"a\":\nyes}") << 2 << u"yes is no value"_s;
    QTest::newRow("Python's word") << QByteArray("{\"a\":\nTrue}") << 2 << u"True is no value"_s;
    QTest::newRow("NaN") << QByteArray("{\"a\":\nNaN}") << 2 << u"NaN is no value"_s;
    QTest::newRow("leading zero") << QByteArray("{\"a\":\n01}") << 2 << u"01 is no value"_s;
    QTest::newRow("plus sign") << QByteArray("{\"a\":\n+1}") << 2 << u"+1 is no value"_s;
    QTest::newRow("half a fraction") << QByteArray("{\"a\":\n1.}") << 2 << u"1. is no value"_s;
    QTest::newRow("wrong bracket") << QByteArray("{\"a\":[1\n}}") << 2 << u"cannot close"_s;
    QTest::newRow("one bracket too many") << QByteArray("{}\n}") << 2 << u"behind the end"_s;
    QTest::newRow("text behind the end") << QByteArray("{}\nmore") << 2 << u"behind the end"_s;
    QTest::newRow("a space that JSON does not know") << QByteArray("{}\n\v") << 2 << u"behind the end"_s;
    QTest::newRow("bad escape") << QByteArray("{\"a\":\n\"C:\\dir\"}") << 2 << u"backslash"_s;
    QTest::newRow("short escape") << QByteArray("{\"a\":\n\"\\u12\"}") << 2 << u"backslash"_s;
    QTest::newRow("tab in a text") << QByteArray("{\"a\":\n\"b\tc\"}") << 2 << u"control character"_s;
    QTest::newRow("a key without quotes at its end") << QByteArray("{\n\"a: 1\n}") << 2 << u"never closed"_s;
    QTest::newRow("zero bytes") << QByteArray("\0\1\2", 3) << 1 << u"no value"_s;
    QTest::newRow("a second colon") << QByteArray("{\"a\":\n\"x\":1},\"b\":5}") << 2 << u"A colon stands"_s;
    QTest::newRow("a colon in a list") << QByteArray("{\"a\":[\n\"x\":1],2]}") << 2 << u"A colon stands"_s;
    QTest::newRow("a number alone") << QByteArray("\n7") << 2 << u"an object"_s;
    QTest::newRow("a text alone") << QByteArray("\"a\"") << 1 << u"an object"_s;
}

void TestLocatedJson::aMistakeIsNamedWithItsLine()
{
    QFETCH(QByteArray, text);
    QFETCH(int, line);
    QFETCH(QString, says);
    const auto root = readLocated(text);
    QVERIFY(!root);
    QVERIFY2(root.error().message.contains(says), qPrintable(root.error().message));
    QCOMPARE(root.error().line, line);
    QVERIFY(!root.error().hint.isEmpty());
    QCOMPARE(root.error().pointer, QString());
}

void TestLocatedJson::whatIsJsonHasNoMistake_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char *text :
         {"{}", "[]", " {\"a\":[1,-0.5e+10,true,false,null,\"\\\\ \\\" \\u00e4 // # ,]}\"]} ",
          "{\"a\":{\"b\":{}},\"c\":[[],{}]}", "{\"\":\"\"}", "{\"a\":1e400,\"b\":12345678901234567890123}"})
        QTest::newRow(text) << QByteArray(text);
}

void TestLocatedJson::whatIsJsonHasNoMistake()
{
    QFETCH(QByteArray, text);
    const auto mistake = findSyntaxMistake(text);
    QVERIFY2(!mistake, mistake ? qPrintable(mistake->message) : "");
    QVERIFY(readLocated(text).has_value());
}

void TestLocatedJson::depthIsLimited()
{
    const auto nested = [](int levels) { return QByteArray(levels, '[') + QByteArray(levels, ']'); };
    QVERIFY(readLocated(nested(100)).has_value());
    const auto refused = readLocated(nested(5000));
    QVERIFY(!refused);
    QVERIFY(refused.error().message.contains(u"deeper"));
}

void TestLocatedJson::sixteenMegabytesAreReadInTime()
{
    QByteArray text = "{";
    while (text.size() < 16'000'000)
        text += "\"name-" + QByteArray::number(text.size()) + "\":\n{\"a\":[1,2,3]},";
    text += "\"last\":\n1}";
    QElapsedTimer timer;
    timer.start();
    const auto root = readLocated(text);
    QVERIFY(root.has_value());
    QCOMPARE(root->members.back().value.line, static_cast<int>(text.count('\n')) + 1);
    QVERIFY2(timer.elapsed() < 20'000, "lines must not be counted from the start for each value");
}

QTEST_APPLESS_MAIN(TestLocatedJson)
#include "test_located_json.moc"
