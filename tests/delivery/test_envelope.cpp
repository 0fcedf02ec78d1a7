// SPDX-License-Identifier: GPL-3.0-or-later
// What leaves the program, byte for byte.
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "engine/delivery/envelope.h"

using namespace Qt::StringLiterals;
using namespace watukuy;

namespace {

Event sample()
{
    Event event;
    event.id = QByteArray::fromHex("00ff10");
    event.type = EventType::Updated;
    event.source = u"urn:watukuy:orders"_s;
    event.subject = u"a\"1"_s;
    event.time = fromEpochMs(1'767'225'600'125);
    event.key = {u"orders"_s, u"eu"_s};
    event.lane = Lane::Backfill;
    event.sequence = 9'007'199'254'740'993;
    event.cursor = R"({"value":"x"})";
    event.data = R"({ "id" : 9007199254740993,"p":1.10,"s":"\u00e9\n" })";
    return event;
}

} // namespace

class TestEnvelope : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theNativeEnvelopeHoldsEverythingInItsOrder()
    {
        QCOMPARE(
            nativeEnvelope(sample(), 3),
            QByteArray(
                R"({"id":"00ff10","type":"updated","source":"urn:watukuy:orders","subject":"a\"1",)"
                R"("time":"2026-01-01T00:00:00.125Z","poller":"orders","partition":"eu","lane":"backfill",)"
                R"("sequence":9007199254740993,"cursor":{"value":"x"},)"
                R"("data":{ "id" : 9007199254740993,"p":1.10,"s":"\u00e9\n" },"attempt":3})"));
    }

    void whatIsMissingIsNull()
    {
        Event event = sample();
        event.data.clear();
        event.cursor.clear();
        const QByteArray envelope = nativeEnvelope(event, 1);
        QVERIFY(envelope.contains(R"("cursor":null,"data":null,"attempt":1)"));
        QVERIFY(!envelope.contains("previous"));
    }

    void thePreviousItemStandsBesideTheNewOne()
    {
        Event event = sample();
        event.previous = R"({"id":1})";
        QVERIFY(nativeEnvelope(event, 1).contains(R"("previous":{"id":1},"attempt")"));
        const QJsonObject cloud = QJsonDocument::fromJson(cloudEvent(event)).object();
        QCOMPARE(cloud[u"watukuyprevious"].toString(), u"{\"id\":1}"_s);
    }

    void anEventIsOneLineWhateverTheItemLooksLike()
    {
        Event event = sample();
        event.data = "{\r\n  \"a\":\n[1,\r\n2]}";
        event.previous = "{\n}";
        for (const EventFormat format : {EventFormat::Native, EventFormat::CloudEvents}) {
            const QByteArray envelope = envelopeOf(event, 1, format);
            QVERIFY(!envelope.contains('\n') && !envelope.contains('\r'));
            QVERIFY(QJsonDocument::fromJson(envelope).isObject());
        }
    }

    void aCloudEventHasTheNamesOfItsSpecification()
    {
        const QByteArray text = cloudEvent(sample());
        const QJsonObject cloud = QJsonDocument::fromJson(text).object();
        QCOMPARE(cloud[u"specversion"].toString(), u"1.0"_s);
        QCOMPARE(cloud[u"id"].toString(), u"00ff10"_s);
        QCOMPARE(cloud[u"type"].toString(), u"orders.updated"_s);
        QCOMPARE(cloud[u"source"].toString(), u"urn:watukuy:orders"_s);
        QCOMPARE(cloud[u"subject"].toString(), u"a\"1"_s);
        QCOMPARE(cloud[u"time"].toString(), u"2026-01-01T00:00:00.125Z"_s);
        QCOMPARE(cloud[u"datacontenttype"].toString(), u"application/json"_s);
        QVERIFY(text.contains(R"("data":{ "id" : 9007199254740993,"p":1.10)"));
        // Names of extensions are lower-case letters and digits (CloudEvents 1.0, "Naming conventions").
        for (const QString &name : cloud.keys()) {
            for (const QChar letter : name)
                QVERIFY2((letter >= u'a' && letter <= u'z') || letter.isDigit(), qPrintable(name));
        }
    }

    void aDeletedItemsCloudEventHasNoDataOfItsOwn()
    {
        Event event = sample();
        event.type = EventType::Deleted;
        event.data.clear();
        QVERIFY(QJsonDocument::fromJson(cloudEvent(event)).object()[u"data"].isNull());
    }
};

QTEST_APPLESS_MAIN(TestEnvelope)

#include "test_envelope.moc"
