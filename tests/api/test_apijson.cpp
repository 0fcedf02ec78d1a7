// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON that `--json` prints: the names and shapes that others rely on, and digits that stay.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "engine/api/headless.h"
#include "engine/api/operations.h"

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace watukuy;

namespace {

QJsonObject objectOf(const QByteArray &text)
{
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(text, &error);
    if (!document.isObject())
        QTest::qFail(qPrintable(error.errorString() + u": "_s + QString::fromUtf8(text)), __FILE__, __LINE__);
    return document.object();
}

QStringList sorted(QStringList names)
{
    names.sort();
    return names;
}

const Instant noon = fromEpochMs(1'767'268'800'000);

Error anError()
{
    return {.kind = ErrorKind::Http,
            .name = u"HttpStatusError"_s,
            .title = u"500"_s,
            .detail = u"\"quoted\"\n"_s,
            .nextStep = u"wait"_s};
}

} // namespace

class TestApiJson : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void inspectHasEveryNameOfTheSpecification()
    {
        KeySnapshot snapshot;
        snapshot.key = {u"orders"_s, u"eu"_s};
        snapshot.liveCursor = R"({"value":9007199254740993})";
        snapshot.lease = Lease{u"me"_s, 7, noon};
        snapshot.schedule.lastError = anError();
        snapshot.schedule.rateLimit = RateLimit{u"ietf"_s, 100, 3, noon, {}};
        snapshot.schedule.lastPoll = PollSummary{.startedAt = noon, .took = 12ms, .pages = 3, .items = 9};
        snapshot.lag = 5s;
        snapshot.waitingForCode = u"due"_s;
        const QByteArray text = inspectJson(snapshot);
        const QJsonObject key = objectOf(text);
        for (const QString &name : {u"poller"_s, u"partition"_s, u"state"_s, u"paused"_s, u"lease"_s,
                                    u"cursors"_s, u"schedule"_s, u"lastPoll"_s, u"outboxPending"_s,
                                    u"parked"_s, u"held"_s, u"items"_s, u"lagMs"_s, u"waitingFor"_s})
            QVERIFY2(key.contains(name), qPrintable(name));
        QCOMPARE(sorted(key[u"lease"].toObject().keys()),
                 (QStringList{u"epoch"_s, u"expiresAt"_s, u"owner"_s}));
        QCOMPARE(sorted(key[u"cursors"].toObject().keys()),
                 (QStringList{u"backfill"_s, u"live"_s, u"reconcile"_s}));
        QCOMPARE(sorted(key[u"schedule"].toObject().keys()),
                 (QStringList{u"circuit"_s, u"circuitOpenedAt"_s, u"consecutiveFailures"_s, u"intervalMs"_s,
                              u"lastError"_s, u"lastPollAt"_s, u"nextDueAt"_s, u"rateLimit"_s, u"reason"_s,
                              u"throttledUntil"_s}));
        QCOMPARE(sorted(key[u"lastPoll"].toObject().keys()),
                 (QStringList{u"durationMs"_s, u"events"_s, u"items"_s, u"lane"_s, u"notModified"_s,
                              u"pages"_s, u"startedAt"_s, u"truncated"_s, u"verdict"_s}));
        QVERIFY2(text.contains("9007199254740993"), "the cursor lost digits");
        QCOMPARE(key[u"lagMs"].toInt(), 5000);
        QCOMPARE(qint64(key[u"lease"][u"expiresAt"].toDouble()), toEpochMs(noon));
    }

    void whatIsNotKnownIsNull()
    {
        const QJsonObject key = objectOf(inspectJson(KeySnapshot{}));
        for (const QString &name : {u"lease"_s, u"lastPoll"_s, u"lagMs"_s})
            QVERIFY2(key[name].isNull(), qPrintable(name));
        QVERIFY(key[u"cursors"][u"live"].isNull());
        QVERIFY(key[u"schedule"][u"lastError"].isNull());
        QVERIFY(key[u"waitingFor"][u"until"].isNull());
    }

    void aTickHasTheNamesOfTheSpecification()
    {
        TickResult result;
        result.key = {u"orders"_s, {}};
        result.verdict = Verdict::Complete;
        result.events = {1, 2, 3};
        result.error = anError();
        const QJsonObject tick = objectOf(tickJson(result));
        QCOMPARE(sorted(tick.keys()),
                 (QStringList{u"delivered"_s, u"durationMs"_s, u"error"_s, u"events"_s, u"items"_s, u"lane"_s,
                              u"pages"_s, u"partition"_s, u"poller"_s, u"skipped"_s, u"verdict"_s}));
        QCOMPARE(tick[u"verdict"].toString(), u"complete"_s);
        QCOMPARE(tick[u"events"][u"deleted"].toInt(), 3);
        QVERIFY(tick[u"skipped"].isNull());
        QCOMPARE(tick[u"error"][u"detail"].toString(), u"\"quoted\"\n"_s);
    }

    void aParkedEventHasTheNamesOfTheSpecification()
    {
        ParkedRow row;
        row.id = 5;
        row.key = {u"orders"_s, {}};
        row.event = Event{};
        row.event->data = R"({"id":9007199254740993})";
        row.error = anError();
        row.history = {{noon, u"hook"_s, u"422"_s}};
        const QByteArray text = parkedJson(row);
        const QJsonObject parked = objectOf(text);
        QCOMPARE(sorted(parked.keys()),
                 (QStringList{u"attempts"_s, u"error"_s, u"event"_s, u"holdKey"_s, u"id"_s, u"item"_s,
                              u"kind"_s, u"parkedAt"_s, u"partition"_s, u"poller"_s}));
        QCOMPARE(sorted(parked[u"error"].toObject().keys()),
                 (QStringList{u"history"_s, u"issues"_s, u"message"_s, u"name"_s}));
        QCOMPARE(parked[u"error"][u"history"][0][u"message"].toString(), u"hook: 422"_s);
        QVERIFY(parked[u"item"].isNull());
        QVERIFY(text.contains("9007199254740993"));
    }

    void anItemThatIsNoJsonIsShownAsAText_data()
    {
        QTest::addColumn<QByteArray>("item");
        QTest::addColumn<bool>("isText");
        QTest::newRow("an object") << QByteArray(R"({"id":null})") << false;
        QTest::newRow("a broken line") << QByteArray(R"({"id":1)") << true;
        QTest::newRow("a NaN inside") << QByteArray(R"({"id":1,"x":NaN})") << true;
        QTest::newRow("bytes that are no UTF-8") << QByteArray("\xff\xfe") << true;
    }
    void anItemThatIsNoJsonIsShownAsAText()
    {
        QFETCH(QByteArray, item);
        QFETCH(bool, isText);
        ParkedRow row;
        row.kind = ParkedKind::Invalid;
        row.item = item;
        row.issues = {{u"id"_s, u"is null"_s}};
        const QJsonObject parked = objectOf(parkedJson(row));
        QCOMPARE(parked[u"item"].isString(), isText);
        QCOMPARE(parked[u"error"][u"issues"][0][u"path"].toString(), u"id"_s);
    }

    void aTestReportIsOneObject()
    {
        TestReport report;
        report.requests = {
            {u"GET"_s, u"https://a.example/?k=••••"_s, {{u"Authorization"_s, u"••••"_s}}, 200, 5ms, 10}};
        report.items = {R"({"id":9007199254740993})"};
        report.identities = {u"9007199254740993"_s};
        report.events = {R"({"type":"created"})"};
        report.nextCursor = R"({"value":"x"})";
        report.warnings = {{u"c"_s, u"m"_s, u"k"_s}};
        const QByteArray text = testJson(report);
        const QJsonObject test = objectOf(text);
        QCOMPARE(test[u"requests"][0][u"headers"][u"Authorization"].toString(), u"••••"_s);
        QCOMPARE(test[u"events"][0][u"type"].toString(), u"created"_s);
        QCOMPARE(test[u"warnings"][0][u"key"].toString(), u"k"_s);
        QVERIFY(test[u"error"].isNull());
        QVERIFY(text.contains("9007199254740993}"));
    }
};

QTEST_APPLESS_MAIN(TestApiJson)

#include "test_apijson.moc"
