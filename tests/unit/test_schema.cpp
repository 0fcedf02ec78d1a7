// SPDX-License-Identifier: GPL-3.0-or-later
#include <QJsonArray>
#include <QJsonDocument>
#include <QtTest>

#include "engine/json/schema.h"

using namespace watukuy;
using namespace Qt::StringLiterals;

namespace {

/// `text` with its single quotes as double ones, so that schemas can be read.
QByteArray text(const char *single)
{
    return QByteArray(single).replace('\'', '"');
}

QStringList pathsOf(const QList<ItemIssue> &issues)
{
    QStringList paths;
    for (const ItemIssue &issue : issues)
        paths.append(issue.path);
    return paths;
}

} // namespace

class TestSchema : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void an_item_fits_or_its_issues_say_where_not_data()
    {
        QTest::addColumn<QByteArray>("schema");
        QTest::addColumn<QByteArray>("item");
        QTest::addColumn<QStringList>("paths");
        const QByteArray order =
            text("{'type':'object','required':['id'],'properties':{'id':{'type':'integer'},'lines':{'type':'"
                 "array','items':{'properties':{'sku':{'type':'string'}}}},'a/b':{'minimum':3}}}");
        QTest::newRow("fits") << order << text("{'id':1,'lines':[{'sku':'x'}]}") << QStringList{};
        QTest::newRow("missing member") << order << text("{'lines':[]}") << QStringList{u""_s};
        QTest::newRow("wrong type inside a list")
            << order << text("{'id':1,'lines':[{'sku':'x'},{'sku':5}]}")
            << QStringList{u"/lines/1/sku"_s, u"/lines/1"_s, u"/lines"_s, u""_s};
        QTest::newRow("a name with a slash")
            << order << text("{'id':1,'a/b':2}") << QStringList{u"/a~1b"_s, u""_s};
        QTest::newRow("1.0 is an integer") << order << text("{'id':1.0}") << QStringList{};
        QTest::newRow("an integer beyond 2^53") << order << text("{'id':9007199254740993}") << QStringList{};
        QTest::newRow("an integer beyond 2^64")
            << order << text("{'id':99999999999999999999999}") << QStringList{};
        QTest::newRow("a scalar") << text("{'type':'string'}") << QByteArray("7") << QStringList{u""_s};
        QTest::newRow("a reference")
            << text("{'definitions':{'n':{'minimum':3}},'properties':{'x':{'$ref':'#/definitions/n'}}}")
            << text("{'x':2}") << QStringList{u"/x"_s, u""_s};
        QTest::newRow("a tree refers to itself")
            << text("{'required':['v'],'properties':{'left':{'$ref':'#'}}}")
            << text("{'v':1,'left':{'left':{'v':2}}}") << QStringList{u"/left"_s, u""_s};
        QTest::newRow("a date that is none")
            << text("{'properties':{'at':{'format':'date-time'}}}") << text("{'at':'2026-13-01T00:00:00Z'}")
            << QStringList{u"/at"_s, u"/at"_s, u""_s};
        QTest::newRow("a date") << text("{'properties':{'at':{'format':'date-time'}}}")
                                << text("{'at':'2026-12-01T00:00:00.123456789+01:00'}") << QStringList{};
        QTest::newRow("a format that is not checked")
            << text("{'properties':{'to':{'format':'email'}}}") << text("{'to':'nobody'}") << QStringList{};
        QTest::newRow("a property called format")
            << text("{'properties':{'format':{'enum':['a']}}}") << text("{'format':'b'}")
            << QStringList{u"/format"_s, u""_s};
        QTest::newRow("not JSON") << QByteArray("{}") << text("{'a':NaN}") << QStringList{u""_s};
        QTest::newRow("false takes nothing")
            << text("{'properties':{'x':false}}") << text("{'x':1}") << QStringList{u""_s};
    }
    void an_item_fits_or_its_issues_say_where_not()
    {
        QFETCH(QByteArray, schema);
        QFETCH(QByteArray, item);
        QFETCH(QStringList, paths);
        const auto compiled = json::Schema::compile(schema);
        QVERIFY2(compiled, compiled ? "" : qPrintable(compiled.error().oneLine()));
        const QList<ItemIssue> issues = compiled->check(item);
        QStringList found = pathsOf(issues);
        found.sort();
        paths.sort();
        QCOMPARE(found, paths);
        for (const ItemIssue &issue : issues)
            QVERIFY(!issue.message.isEmpty());
    }

    void a_schema_that_cannot_be_used_says_why_data()
    {
        QTest::addColumn<QByteArray>("schema");
        QTest::addColumn<QString>("why");
        QTest::newRow("unknown type") << text("{'type':'strng'}") << u"strng"_s;
        QTest::newRow("wrong kind of member") << text("{'required':'id'}") << u"not an array"_s;
        QTest::newRow("reference to the net")
            << text("{'$ref':'https://example.com/s.json'}") << u"leads out"_s;
        QTest::newRow("reference to nothing") << text("{'$ref':'#/definitions/x'}") << u"nowhere"_s;
        QTest::newRow("reference to itself") << text("{'$ref':'#'}") << u"circle"_s;
        QTest::newRow("multiple of nothing")
            << text("{'properties':{'n':{'multipleOf':0}}}") << u"multipleOf"_s;
        QTest::newRow("multiple of less") << text("{'multipleOf':-1}") << u"multipleOf"_s;
        QTest::newRow("multiple of a fraction") << text("{'multipleOf':0.01}") << u"multipleOf"_s;
        QTest::newRow("a circle of many kinds")
            << text("{'anyOf':[{'$ref':'#/definitions/x'}],'definitions':{'x':{'not':{'$ref':'#'}}}}")
            << u"circle"_s;
        QTest::newRow("an expression as a name") << text("{'patternProperties':{'(':{}}}") << QString();
        QTest::newRow("reference to itself among others") << text("{'allOf':[{'$ref':'#'}]}") << u"circle"_s;
        QTest::newRow("two references in a circle")
            << text("{'definitions':{'a':{'$ref':'#/definitions/b'},'b':{'$ref':'#/definitions/"
                    "a'}},'$ref':'#/definitions/a'}")
            << u"circle"_s;
        QTest::newRow("an expression that is none") << text("{'pattern':'('}") << u"\"(\""_s;
        QTest::newRow("a class without its end") << text("{'pattern':'[a'}") << u"not closed"_s;
        QTest::newRow("a property of characters") << text("{'pattern':'\\\\p{L}'}") << u"\\p"_s;
        QTest::newRow("an escape without its digits") << text("{'pattern':'\\\\u12'}") << u"too few digits"_s;
        QTest::newRow("names that could take for ever")
            << text("{'patternProperties':{'^(a|a)*b':{}}}") << u"for ever"_s;
        QTest::newRow("names that repeat a repeat")
            << text("{'patternProperties':{'^a**b':{}}}") << u"for ever"_s;
        QTest::newRow("names that repeat a bounded repeat")
            << text("{'patternProperties':{'^a{1,9}*b':{}}}") << u"for ever"_s;
        QTest::newRow("names that could take for ever, deeper")
            << text("{'patternProperties':{'^((a+))*b':{}}}") << u"for ever"_s;
        QTest::newRow("a back reference") << text("{'pattern':'(a)\\\\1'}") << u"(a)"_s;
    }
    void a_schema_that_cannot_be_used_says_why()
    {
        QFETCH(QByteArray, schema);
        QFETCH(QString, why);
        const auto compiled = json::Schema::compile(schema);
        QVERIFY(!compiled);
        QVERIFY2(compiled.error().oneLine().contains(why), qPrintable(compiled.error().oneLine()));
    }

    void an_expression_sees_characters_data()
    {
        QTest::addColumn<QString>("expression");
        QTest::addColumn<QString>("matches");
        QTest::addColumn<QString>("fails");
        const auto row = [](const char *name, const QString &expression, const QString &matches,
                            const QString &fails) { QTest::newRow(name) << expression << matches << fails; };
        row("any", u"^.{3}$"_s, u"ñ€😀"_s, u"ñ€"_s);
        row("a class", u"^[A-ZÑ]{3}$"_s, u"AÑO"_s, u"AñO"_s);
        row("a class of others", u"^[^ñ]{2}$"_s, u"€n"_s, u"€ñ"_s);
        row("a range", u"^[а-я]+$"_s, u"привет"_s, u"приВет"_s);
        row("a range across lengths", u"^[z-€]+$"_s, u"zñ€"_s, u"zy"_s);
        row("a range of astral ones", u"^[😀-😂]$"_s, u"😁"_s, u"😃"_s);
        row("a repeated one", u"^ñ+$"_s, u"ñññ"_s, u"ñn"_s);
        row("an escape", u"^\\u00f1\\x41$"_s, u"ñA"_s, u"n1A"_s);
        row("a pair of escapes", u"^\\uD83D\\uDE00$"_s, u"😀"_s, u"😁"_s);
        row("no digit", u"^\\D{2}$"_s, u"ñ€"_s, u"ñ1"_s);
        row("none of several", u"^[^\\d\\s]+$"_s, u"ñ€"_s, u"ñ €"_s);
        row("no word in a class", u"^[\\W_]+$"_s, u"_-ñ"_s, u"_a"_s);
        row("in the middle", u"b.d"_s, u"aañbñdñ"_s, u"bd"_s);
        row("at an end", u"ñ$"_s, u"añ"_s, u"ña"_s);
        row("either", u"^a|ñ$"_s, u"xñ"_s, u"xa"_s);
        row("a group", u"^(?:ñ|n)n$"_s, u"ñn"_s, u"ñ"_s);
        row("a look ahead", u"^(?=.*\\d).{2}$"_s, u"ñ1"_s, u"ññ"_s);
        row("no line end", u"^a.b$"_s, u"añb"_s, u"a\u2028b"_s);
        row("a dash at the end", u"^[a-]+$"_s, u"a-a"_s, u"ab"_s);
        row("a dash after a class", u"^[\\d-x]+$"_s, u"1-x"_s, u"5a"_s);
        row("special ones in a class", u"^[\\]\\\\^.]+$"_s, u"]\\^."_s, u"a"_s);
        row("a class of nothing", u"^(a|[])$"_s, u"a"_s, u"b"_s);
        row("a class of all", u"^[^]$"_s, u"\n"_s, u"ab"_s);
    }
    void an_expression_sees_characters()
    {
        QFETCH(QString, expression);
        QFETCH(QString, matches);
        QFETCH(QString, fails);
        const auto quoted = [](const QString &one) {
            return QJsonDocument(QJsonArray{one}).toJson(QJsonDocument::Compact).chopped(1).mid(1);
        };
        const auto value = json::Schema::compile("{\"pattern\":" + quoted(expression) + '}');
        QVERIFY2(value, value ? "" : qPrintable(value.error().oneLine()));
        QVERIFY(value->check(quoted(matches)).isEmpty());
        QVERIFY(!value->check(quoted(fails)).isEmpty());
        const auto name =
            json::Schema::compile("{\"patternProperties\":{" + quoted(expression) + ":{\"type\":\"null\"}}}");
        QVERIFY2(name, name ? "" : qPrintable(name.error().oneLine()));
        QVERIFY(!name->check('{' + quoted(matches) + ":1}").isEmpty());
        QVERIFY(name->check('{' + quoted(fails) + ":1}").isEmpty());
    }

    void a_list_that_is_too_long_to_compare_says_so()
    {
        const auto schema = json::Schema::compile(text("{'properties':{'l':{'uniqueItems':true}}}"));
        QByteArray numbers = "0";
        for (int number = 1; number < 2000; ++number)
            numbers += ',' + QByteArray::number(number);
        QVERIFY(schema->check("{\"l\":[" + numbers + "]}").isEmpty());
        QVERIFY(!schema->check("{\"l\":[" + numbers + ",7]}").isEmpty());
        QVERIFY(schema->check("{\"l\":[" + numbers + ",2000]}").first().message.contains(u"too long"_s));
    }

    void no_text_of_an_api_can_exhaust_an_expression()
    {
        const auto schema =
            json::Schema::compile(text("{'properties':{'t':{'pattern':'^(a+)+$','format':'date'}}}"));
        QVERIFY(schema);
        const QByteArray item = text("{'t':'") + QByteArray(200'000, 'a') + text("!'}");
        QVERIFY(!schema->check(item).isEmpty());
        const auto searched = json::Schema::compile(text("{'properties':{'t':{'pattern':'a+b'}}}"));
        QVERIFY(!searched->check(item).isEmpty());
        const auto names = json::Schema::compile(text("{'patternProperties':{'^[ab]*$':{'type':'string'}}}"));
        QVERIFY(names);
        QVERIFY(!names->check("{\"" + QByteArray(256, 'a') + "\":1}").isEmpty());
        QVERIFY(
            names->check("{\"" + QByteArray(257, 'a') + "\":1}").first().message.contains(u"longer than"));
        const auto tree = json::Schema::compile(text("{'items':{'$ref':'#'},'not':{'type':'string'}}"));
        QVERIFY(tree);
        QVERIFY(tree->check(QByteArray(200, '[') + QByteArray(200, ']')).isEmpty());
        QVERIFY(!tree->check(QByteArray(200, '[') + "\"x\"" + QByteArray(200, ']')).isEmpty());
        QVERIFY(!tree->check(QByteArray(100'000, '[') + QByteArray(100'000, ']')).isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestSchema)
#include "test_schema.moc"
