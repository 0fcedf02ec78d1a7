// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies taken apart: items as raw bytes, what steers paging, and bodies that are not what they should be.
#include <QTest>

#include "engine/json/pagebody.h"

using namespace Qt::StringLiterals;
using namespace watukuy;
using json::BodyFormat;
using json::BodyShape;
using json::PageBody;

namespace {

json::Path path(const QString &text)
{
    return *json::Path::parse(text);
}

BodyShape itemsAt(const QString &text)
{
    BodyShape shape;
    shape.items = path(text);
    return shape;
}

QByteArrayList itemsOf(const Result<PageBody> &page)
{
    if (!page)
        return {"error: " + page.error().oneLine().toUtf8()};
    return QByteArrayList(page->items.begin(), page->items.end());
}

} // namespace

class TestPageBody : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void itemsAreTheirExactBytes();
    void whereItemsMayBe_data();
    void whereItemsMayBe();
    void C04_nullIsAnEmptyPage();
    void C28_aByteOrderMarkIsSkipped();
    void C29_aBadValueSpoilsItsItemOnly();
    void C31_anObjectOfItemsGivesEachItsKey_data();
    void C31_anObjectOfItemsGivesEachItsKey();
    void C33_aBrokenLineIsSetAside();
    void C34_aBodyThatEndsEarlyIsNoPage();
    void C36_anEmptyBodyIsAnEmptyPage();
    void whatSteersPagingIsReadAsItStands();
    void aMissingListSaysWhatWasThere();
    void whatIsNoJsonIsNoPage_data();
    void whatIsNoJsonIsNoPage();
    void csvRecordsBecomeItems_data();
    void csvRecordsBecomeItems();
    void csvRecordsOfAnotherWidthAreSetAside();
    void loneSurrogatesAreReplacedInItems();
    void manyItemsAreAllThere();
};

void TestPageBody::itemsAreTheirExactBytes()
{
    const QByteArray item = R"({ "id" : 9007199254740993,"p":1.10, "s":"\u00e9\/",  "n":[ 1 , 2 ] })";
    const auto page =
        json::takeApart(R"({"items":[)" + item + " ,\n 2 , \"three\" , [4]]}", itemsAt(u"items"_s));
    QCOMPARE(itemsOf(page), (QByteArrayList{item, "2", "\"three\"", "[4]"}));
}

void TestPageBody::whereItemsMayBe_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArrayList>("items");
    const QByteArrayList two{"1", "2"};
    QTest::newRow("the whole body") << QString() << QByteArray("[1,2]") << two;
    QTest::newRow("a name") << u"data"_s << QByteArray(R"({"x":0,"data":[1,2],"y":0})") << two;
    QTest::newRow("inside") << u"data.list"_s << QByteArray(R"({"data":{"list":[1,2]}})") << two;
    QTest::newRow("an index") << u"0.list"_s << QByteArray(R"([{"list":[1,2]},{"list":[3]}])") << two;
    QTest::newRow("a pointer") << u"/a~1b"_s << QByteArray(R"({"a/b":[1,2]})") << two;
    QTest::newRow("one object is one item")
        << u"data"_s << QByteArray(R"({"data":{"id":1}})") << QByteArrayList{R"({"id":1})"};
    QTest::newRow("the last of two lists") << u"data"_s << QByteArray(R"({"data":[7],"data":[1,2]})") << two;
    QTest::newRow("an empty list") << u"data"_s << QByteArray(R"({"data":[]})") << QByteArrayList{};
    QTest::newRow("an escaped name") << u"dé"_s << QByteArray(R"({"d\u00e9":[1,2]})") << two;
}

void TestPageBody::whereItemsMayBe()
{
    QFETCH(QString, path);
    QFETCH(QByteArray, body);
    QFETCH(QByteArrayList, items);
    QCOMPARE(itemsOf(json::takeApart(body, itemsAt(path))), items);
}

void TestPageBody::C04_nullIsAnEmptyPage()
{
    BodyShape shape = itemsAt(u"users"_s);
    shape.next = path(u"next_token"_s);
    const auto page = json::takeApart(R"({"users":null,"next_token":null})", shape);
    QVERIFY(page);
    QVERIFY(page->items.empty());
    QVERIFY(page->next);
    QCOMPARE(page->next->scalarText(), QString());
}

void TestPageBody::C28_aByteOrderMarkIsSkipped()
{
    QCOMPARE(itemsOf(json::takeApart("\xEF\xBB\xBF[1]", {})), QByteArrayList{"1"});
    BodyShape lines;
    lines.format = BodyFormat::NdJson;
    QCOMPARE(itemsOf(json::takeApart("\xEF\xBB\xBF{\"id\":1}\n", lines)), QByteArrayList{"{\"id\":1}"});
    BodyShape csv;
    csv.format = BodyFormat::Csv;
    QCOMPARE(itemsOf(json::takeApart("\xEF\xBB\xBFid\n1\n", csv)), QByteArrayList{"{\"id\":\"1\"}"});
}

void TestPageBody::C29_aBadValueSpoilsItsItemOnly()
{
    const auto page = json::takeApart(R"([{"id":1,"alt":NaN},{"id":2},{"id":3,"x":Infinity}])", {});
    QCOMPARE(itemsOf(page),
             (QByteArrayList{R"({"id":1,"alt":NaN})", R"({"id":2})", R"({"id":3,"x":Infinity})"}));
}

void TestPageBody::C31_anObjectOfItemsGivesEachItsKey_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArrayList>("items");
    QTest::newRow("two objects") << QByteArray(R"({"data":{"k1":{"a":1},"k\u0032":{ "a":2}}})")
                                 << QByteArrayList{R"({"key":"k1","a":1})", R"({"key":"k\u0032","a":2})"};
    QTest::newRow("an empty object") << QByteArray(R"({"data":{"k1":{ }}})")
                                     << QByteArrayList{R"({"key":"k1"})"};
    QTest::newRow("values that are no objects")
        << QByteArray(R"({"data":{"EUR":1.0850,"x":[1]}})")
        << QByteArrayList{R"({"key":"EUR","value":1.0850})", R"({"key":"x","value":[1]})"};
    QTest::newRow("no members") << QByteArray(R"({"data":{}})") << QByteArrayList{};
    QTest::newRow("a list all the same")
        << QByteArray(R"({"data":[{"a":1}]})") << QByteArrayList{R"({"a":1})"};
}

void TestPageBody::C31_anObjectOfItemsGivesEachItsKey()
{
    QFETCH(QByteArray, body);
    QFETCH(QByteArrayList, items);
    BodyShape shape = itemsAt(u"data"_s);
    shape.keyField = u"key"_s;
    QCOMPARE(itemsOf(json::takeApart(body, shape)), items);
}

void TestPageBody::C33_aBrokenLineIsSetAside()
{
    BodyShape shape;
    shape.format = BodyFormat::NdJson;
    const auto page =
        json::takeApart("{\"id\":1}\r\n\n{\"id\":2\n  {\"id\":3}  \nnonsense\n{\"id\":4}", shape);
    QCOMPARE(itemsOf(page), (QByteArrayList{"{\"id\":1}", "{\"id\":3}", "{\"id\":4}"}));
    QCOMPARE(page->broken.size(), 2U);
    QCOMPARE(page->broken.at(0).raw, "{\"id\":2");
    QVERIFY(!page->broken.at(0).reason.isEmpty());
    QCOMPARE(page->broken.at(1).raw, "nonsense");
}

/// Cut anywhere, a body is refused as a whole: no item of it is used.
void TestPageBody::C34_aBodyThatEndsEarlyIsNoPage()
{
    const QByteArray whole = R"({"items":[{"id":1,"s":"a\"b"},{"id":2}],"more":true})";
    for (qsizetype length = 1; length < whole.size(); ++length) {
        const auto page = json::takeApart(whole.left(length), itemsAt(u"items"_s));
        QVERIFY2(!page, qPrintable(u"cut after %1 bytes"_s.arg(length)));
        QCOMPARE(page.error().kind, ErrorKind::Body);
    }
    QVERIFY(json::takeApart(whole, itemsAt(u"items"_s)));
}

void TestPageBody::C36_anEmptyBodyIsAnEmptyPage()
{
    for (const BodyFormat format : {BodyFormat::Json, BodyFormat::NdJson, BodyFormat::Csv}) {
        for (const QByteArray &body : {QByteArray(), QByteArray(" \r\n"), QByteArray("\xEF\xBB\xBF")}) {
            BodyShape shape = itemsAt(u"items"_s);
            shape.format = format;
            const auto page = json::takeApart(body, shape);
            QVERIFY(page);
            QVERIFY(page->items.empty() && page->broken.empty());
        }
    }
}

void TestPageBody::whatSteersPagingIsReadAsItStands()
{
    BodyShape shape = itemsAt(u"items"_s);
    shape.hasMore = path(u"meta.more"_s);
    shape.cursor = path(u"meta.cursor"_s);
    shape.next = path(u"next"_s);
    shape.total = path(u"total"_s);
    const auto page = json::takeApart(
        R"({"total":9007199254740993,"items":[],"meta":{"more":false,"cursor":{"a":1.0}}})", shape);
    QVERIFY(page);
    QCOMPARE(page->hasMore->text, "false");
    QCOMPARE(page->cursor->text, R"({"a":1.0})");
    QVERIFY(!page->next);
    QCOMPARE(page->total->scalarText(), u"9007199254740993"_s);
}

void TestPageBody::aMissingListSaysWhatWasThere()
{
    const auto page = json::takeApart(R"({"results":[],"count":3})", itemsAt(u"items"_s));
    QVERIFY(!page);
    QCOMPARE(page.error().name, u"ItemsPathError"_s);
    QVERIFY(page.error().title.contains(u"\"items\""_s));
    QVERIFY(page.error().detail.contains(u"results, count"_s));
    QVERIFY(!page.error().nextStep.isEmpty());
}

void TestPageBody::whatIsNoJsonIsNoPage_data()
{
    QTest::addColumn<QByteArray>("body");
    for (const char *body : {"<html><body>Log in</body></html>", "[1,2", "[1,2]]", "[1][2]", "{\"items\":[1}",
                             "nope", "[1,]", "{\"items\":[1]} trailing", "\"unclosed"})
        QTest::newRow(body) << QByteArray(body);
    QTest::newRow("very deep") << QByteArray(100'000, '[');
    QTest::newRow("bytes that are no UTF-8") << QByteArray("[\"\xff\xfe\"]");
}

void TestPageBody::whatIsNoJsonIsNoPage()
{
    QFETCH(QByteArray, body);
    const auto page = json::takeApart(body, body.startsWith('{') ? itemsAt(u"items"_s) : BodyShape{});
    QVERIFY2(!page, qPrintable(QString::fromUtf8(itemsOf(page).join(" | "))));
    QCOMPARE(page.error().kind, ErrorKind::Body);
    QVERIFY(page.error().retryable);
}

void TestPageBody::csvRecordsBecomeItems_data()
{
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArrayList>("items");
    QTest::newRow("plain") << QByteArray("id,name\n1,a\n2,b\n")
                           << QByteArrayList{R"({"id":"1","name":"a"})", R"({"id":"2","name":"b"})"};
    QTest::newRow("CRLF and no end of the last line")
        << QByteArray("id,name\r\n1,a\r\n2,b")
        << QByteArrayList{R"({"id":"1","name":"a"})", R"({"id":"2","name":"b"})"};
    QTest::newRow("quotes, commas, line ends") << QByteArray("id,name\n1,\"a, \"\"b\"\"\nc\"\n")
                                               << QByteArrayList{R"({"id":"1","name":"a, \"b\"\nc"})"};
    QTest::newRow("digits stay") << QByteArray("id\n007\n9007199254740993\n")
                                 << QByteArrayList{R"({"id":"007"})", R"({"id":"9007199254740993"})"};
    QTest::newRow("empty fields") << QByteArray("id,name\n1,\n") << QByteArrayList{R"({"id":"1","name":""})"};
    QTest::newRow("blank lines") << QByteArray("id,name\n\n1,a\n\n")
                                 << QByteArrayList{R"({"id":"1","name":"a"})"};
    QTest::newRow("names only") << QByteArray("id,name\n") << QByteArrayList{};
}

void TestPageBody::csvRecordsBecomeItems()
{
    QFETCH(QByteArray, body);
    QFETCH(QByteArrayList, items);
    BodyShape shape;
    shape.format = BodyFormat::Csv;
    QCOMPARE(itemsOf(json::takeApart(body, shape)), items);
}

void TestPageBody::csvRecordsOfAnotherWidthAreSetAside()
{
    BodyShape shape;
    shape.format = BodyFormat::Csv;
    const auto page = json::takeApart("id,name\n1\n2,b\n3,c,d\n4,\"open\n", shape);
    QCOMPARE(itemsOf(page), QByteArrayList{R"({"id":"2","name":"b"})"});
    QCOMPARE(page->broken.size(), 3U);
    QCOMPARE(page->broken.at(0).raw, "1");
    QVERIFY(page->broken.at(1).reason.contains(u"3 fields where the first line names 2"_s));
    QVERIFY(page->broken.at(2).reason.contains(u"never closed"_s));
}

void TestPageBody::loneSurrogatesAreReplacedInItems()
{
    QCOMPARE(itemsOf(json::takeApart(R"([{"s":"\ud800"}])", {})), QByteArrayList{R"({"s":"\ufffd"})"});
    BodyShape keyed = itemsAt(u"items"_s);
    keyed.keyField = u"id"_s;
    QCOMPARE(itemsOf(json::takeApart(R"({"items":{"\ud800":{}}})", keyed)),
             QByteArrayList{R"({"id":"\ufffd"})"});
}

void TestPageBody::manyItemsAreAllThere()
{
    constexpr int count = 50'000;
    QByteArray body = "{\"items\":[";
    for (int number = 0; number < count; ++number)
        body += (number ? ",{\"id\":" : "{\"id\":") + QByteArray::number(number) + "}";
    const auto page = json::takeApart(body + "]}", itemsAt(u"items"_s));
    QVERIFY(page);
    QCOMPARE(page->items.size(), size_t(count));
    QCOMPARE(page->items.back(), "{\"id\":49999}");
}

QTEST_APPLESS_MAIN(TestPageBody)

#include "test_pagebody.moc"
