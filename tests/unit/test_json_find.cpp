// SPDX-License-Identifier: GPL-3.0-or-later
// Values read out of raw JSON: by dotted names, by JSON Pointer, digit by digit.
#include <QTest>

#include "engine/json/rawvalue.h"

using namespace Qt::StringLiterals;
using namespace watukuy;
using json::Kind;

namespace {

const QByteArray body =
    "{\n  \"data\": {\"items\": [ {\"id\": 9007199254740993, \"name\": \"a\\u00e9\\\"b\"}, {\"id\":2} ],"
    " \"a.b\": 1.50, \"7\": true},\r\n \"\": \"empty name\", \"a/b\": \"slash\", \"m~n\": \"tilde\","
    " \"null\": null, \"list\": [[1],[2,3]], \"tail\" : 1e400 }";

QByteArray textAt(const QByteArray &raw, const QString &path)
{
    const auto parsed = json::Path::parse(path);
    if (!parsed)
        return "path error";
    const auto found = json::find(raw, *parsed);
    if (!found)
        return "error";
    return *found ? (*found)->text : QByteArray("absent");
}

QString scalarOf(const QByteArray &raw)
{
    const auto found = json::find(raw, json::Path());
    return found && *found ? (*found)->scalarText() : u"error"_s;
}

} // namespace

class TestJsonFind : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aValueIsItsExactBytes_data();
    void aValueIsItsExactBytes();
    void scalarsAsText_data();
    void scalarsAsText();
    void theLastOfARepeatedNameCounts();
    void aValueAfterABrokenOneIsNotGuessed_data();
    void aValueAfterABrokenOneIsNotGuessed();
    void pathsAreRead_data();
    void pathsAreRead();
    void aBadPointerSaysHowToWriteIt();
    void namesForMessages();
    void loneSurrogatesAreReplacedOnceAndInPlace_data();
    void loneSurrogatesAreReplacedOnceAndInPlace();
};

void TestJsonFind::aValueIsItsExactBytes_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QByteArray>("expected");
    QTest::newRow("C27 a big integer") << u"data.items.0.id"_s << QByteArray("9007199254740993");
    QTest::newRow("escapes stay") << u"data.items.0.name"_s << QByteArray(R"("a\u00e9\"b")");
    QTest::newRow("a trailing zero stays") << u"data.a\\.b"_s << QByteArray("1.50");
    QTest::newRow("digits name a member of an object") << u"data.7"_s << QByteArray("true");
    QTest::newRow("an object") << u"data.items.1"_s << QByteArray(R"({"id":2})");
    QTest::newRow("an array in an array") << u"list.1.0"_s << QByteArray("2");
    QTest::newRow("a pointer") << u"/data/items/1/id"_s << QByteArray("2");
    QTest::newRow("a pointer with a dot") << u"/data/a.b"_s << QByteArray("1.50");
    QTest::newRow("a pointer with a slash") << u"/a~1b"_s << QByteArray("\"slash\"");
    QTest::newRow("a pointer with a tilde") << u"/m~0n"_s << QByteArray("\"tilde\"");
    QTest::newRow("a pointer to the empty name") << u"/"_s << QByteArray("\"empty name\"");
    QTest::newRow("null is a value") << u"null"_s << QByteArray("null");
    QTest::newRow("beyond a double") << u"tail"_s << QByteArray("1e400");
    QTest::newRow("absent") << u"data.nothing"_s << QByteArray("absent");
    QTest::newRow("past the end of an array") << u"list.2"_s << QByteArray("absent");
    QTest::newRow("a negative index") << u"list.-1"_s << QByteArray("absent");
    QTest::newRow("a name in an array") << u"list.x"_s << QByteArray("absent");
    QTest::newRow("below a scalar") << u"tail.x"_s << QByteArray("absent");
    QTest::newRow("below null") << u"null.x"_s << QByteArray("absent");
}

void TestJsonFind::aValueIsItsExactBytes()
{
    QFETCH(QString, path);
    QFETCH(QByteArray, expected);
    QCOMPARE(textAt(body, path), expected);
    QCOMPARE(textAt("\xEF\xBB\xBF" + body, path), expected);
}

void TestJsonFind::scalarsAsText_data()
{
    QTest::addColumn<QByteArray>("raw");
    QTest::addColumn<QString>("expected");
    QTest::newRow("a number keeps its digits")
        << QByteArray("7615917337495251231") << u"7615917337495251231"_s;
    QTest::newRow("1.0 stays 1.0") << QByteArray("1.0") << u"1.0"_s;
    QTest::newRow("true") << QByteArray("true") << u"true"_s;
    QTest::newRow("null is empty") << QByteArray("null") << QString();
    QTest::newRow("an object is empty") << QByteArray("{}") << QString();
    QTest::newRow("an escaped pair") << QByteArray("\"\\ud83d\\ude00\"") << u"\U0001F600"_s;
    QTest::newRow("a U+FEFF in front") << QByteArray("\"\xEF\xBB\xBFx\"") << u"\uFEFFx"_s;
    QTest::newRow("a U+FEFF behind an escape") << QByteArray("\"\\n\xEF\xBB\xBFx\"") << u"\n\uFEFFx"_s;
    QTest::newRow("a lone half") << QByteArray("\"a\\ud800b\"") << u"a\uFFFDb"_s;
    QTest::newRow("spaces around") << QByteArray("  \"x\" \n") << u"x"_s;
    QTest::newRow("no JSON") << QByteArray("nope") << u"error"_s;
    QTest::newRow("an empty text") << QByteArray("") << u"error"_s;
}

void TestJsonFind::scalarsAsText()
{
    QFETCH(QByteArray, raw);
    QFETCH(QString, expected);
    QCOMPARE(scalarOf(raw), expected);
}

void TestJsonFind::theLastOfARepeatedNameCounts()
{
    QCOMPARE(textAt(R"({"id":1,"id":2})", u"id"_s), "2");
    QCOMPARE(textAt(R"({"a":{"id":1},"a":{"x":2}})", u"a.id"_s), "absent");
    QCOMPARE(textAt(R"({"\u0069d":1,"id":2})", u"id"_s), "2");
}

void TestJsonFind::aValueAfterABrokenOneIsNotGuessed_data()
{
    QTest::addColumn<QByteArray>("raw");
    for (const char *raw : {"{\"id\":1", "{\"id\" 1}", "{id:1}", "[1,2", R"({"a":"x":1},"id":5})",
                            R"(["x":1],{"id":5}])", R"({"a":[],"x":1:2,"id":5})", R"("id":5")"})
        QTest::newRow(raw) << QByteArray(raw);
}

void TestJsonFind::aValueAfterABrokenOneIsNotGuessed()
{
    QFETCH(QByteArray, raw);
    const auto found = json::find(raw, *json::Path::parse(u"id"_s));
    QVERIFY(!found);
    QCOMPARE(found.error().kind, ErrorKind::Body);
    QVERIFY(!found.error().nextStep.isEmpty());
}

void TestJsonFind::pathsAreRead_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("segments");
    QTest::newRow("the whole text") << QString() << QStringList{};
    QTest::newRow("one name") << u"a"_s << QStringList{u"a"_s};
    QTest::newRow("dots") << u"a.b.0"_s << QStringList{u"a"_s, u"b"_s, u"0"_s};
    QTest::newRow("a dot in a name") << u"a\\.b.c"_s << QStringList{u"a.b"_s, u"c"_s};
    QTest::newRow("a backslash in a name") << u"a\\\\.b"_s << QStringList{u"a\\"_s, u"b"_s};
    QTest::newRow("a pointer") << u"/a/b~1c/~0"_s << QStringList{u"a"_s, u"b/c"_s, u"~"_s};
    QTest::newRow("~01 is ~1") << u"/~01"_s << QStringList{u"~1"_s};
}

void TestJsonFind::pathsAreRead()
{
    QFETCH(QString, text);
    QFETCH(QStringList, segments);
    const auto path = json::Path::parse(text);
    QVERIFY(path);
    QCOMPARE(path->segments(), segments);
    QCOMPARE(path->text(), text);
}

void TestJsonFind::aBadPointerSaysHowToWriteIt()
{
    for (const QString &text : {u"/a~"_s, u"/~2"_s, u"/a~b/c"_s}) {
        const auto path = json::Path::parse(text);
        QVERIFY(!path);
        QCOMPARE(path.error().kind, ErrorKind::Workspace);
        QVERIFY(path.error().nextStep.contains(u"~0"_s));
    }
}

void TestJsonFind::namesForMessages()
{
    QCOMPARE(json::namesAt(R"({"a":1,"b c":{"x":1},"\u00e9":[]})"), (QStringList{u"a"_s, u"b c"_s, u"é"_s}));
    QCOMPARE(json::namesAt("[1]"), QStringList());
    QCOMPARE(json::namesAt("<html>"), QStringList());
}

void TestJsonFind::loneSurrogatesAreReplacedOnceAndInPlace_data()
{
    QTest::addColumn<QByteArray>("raw");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char *name, const char *raw, const char *expected) {
        QTest::newRow(name) << QByteArray(raw) << QByteArray(expected);
    };
    row("a pair stays", "\"\\ud83d\\ude00\"", "\"\\ud83d\\ude00\"");
    row("high alone", "\"\\ud83dx\"", "\"\\ufffdx\"");
    row("low alone", "\"\\ude00\"", "\"\\ufffd\"");
    row("two highs and a low", "\"\\ud83d\\uD83D\\ude00\"", "\"\\ufffd\\uD83D\\ude00\"");
    row("an escaped backslash is no escape", "\"\\\\ud800\"", "\"\\\\ud800\"");
    row("after an escaped backslash", "\"\\\\\\ud800\"", "\"\\\\\\ufffd\"");
    row("other escapes", "\"\\n\\u0041\\\"\"", "\"\\n\\u0041\\\"\"");
    row("at the end", "\"\\ud800\\", "\"\\ufffd\\");
}

void TestJsonFind::loneSurrogatesAreReplacedOnceAndInPlace()
{
    QFETCH(QByteArray, raw);
    QFETCH(QByteArray, expected);
    QCOMPARE(json::withoutLoneSurrogates(raw), expected);
}

QTEST_APPLESS_MAIN(TestJsonFind)

#include "test_json_find.moc"
