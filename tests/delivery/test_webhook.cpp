// SPDX-License-Identifier: GPL-3.0-or-later
// The webhook sink against a real receiver: signatures, what answers mean, what never happens.
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMessageAuthenticationCode>
#include <QTest>

#include "app/cli/demo/server.h"
#include "engine/delivery/standardwebhook.h"
#include "engine/delivery/webhooksink.h"
#include "engine/http/networktransport.h"
#include "tests/support/virtualclock.h"

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace watukuy;
using demo::HttpServer;
using demo::ServerReply;
using demo::ServerRequest;
using tests::VirtualClock;
using Outcome = SinkAnswer::Outcome;

namespace {

/// A receiver's own check, written from the specification's text, with another HMAC than the sender's.
bool isSignedBy(const QByteArray &key, const ServerRequest &request, qint64 now)
{
    const QByteArray timestamp = request.header("webhook-timestamp");
    if (std::abs(now - timestamp.toLongLong()) > 300)
        return false;
    const QByteArray text = request.header("webhook-id") + '.' + timestamp + '.' + request.body;
    const QByteArray expected =
        "v1," + QMessageAuthenticationCode::hash(text, key, QCryptographicHash::Sha256).toBase64();
    return request.header("webhook-signature").split(' ').contains(expected);
}

} // namespace

class TestWebhook : public QObject {
    Q_OBJECT

    VirtualClock m_clock;
    Secrets m_secrets{QString()};
    std::map<QString, QString> m_variables{{u"team"_s, u"a/b"_s}};
    std::unique_ptr<http::NetworkTransport> m_transport;
    std::unique_ptr<HttpServer> m_server;
    QList<ServerRequest> m_requests;
    ServerReply m_reply;
    WebhookSinkDefinition m_definition;

    std::unique_ptr<WebhookSink> sink()
    {
        return std::make_unique<WebhookSink>(m_definition,
                                             SinkPorts{m_clock, m_secrets, *m_transport, m_variables});
    }
    static Delivery delivery(int attempt = 1)
    {
        Delivery delivery;
        delivery.event.id = QByteArray::fromHex("00ff");
        delivery.event.key = {u"orders"_s, u"e u/ä"_s};
        delivery.attempt = attempt;
        delivery.envelope = R"({"id":"00ff","data":{"n":9007199254740993}})";
        return delivery;
    }
    SinkAnswer deliver(WebhookSink &to, int attempt = 1)
    {
        return QCoro::waitFor(to.deliver(delivery(attempt)));
    }
    SinkAnswer deliver() { return deliver(*sink()); }
    [[nodiscard]] qint64 seconds() const { return toEpochMs(m_clock.now()) / 1000; }

private Q_SLOTS:
    void init()
    {
        m_requests.clear();
        m_reply = {};
        m_transport = std::make_unique<http::NetworkTransport>();
        m_server = std::make_unique<HttpServer>([this](const ServerRequest &request) {
            m_requests.append(request);
            return m_reply;
        });
        QVERIFY(m_server->start());
        m_definition = {};
        m_definition.url = *Template::parse(m_server->url().toString() + u"/hooks"_s);
        qputenv("WATUKUY_TEST_HOOK", "whsec_c2VjcmV0LWtleS1vZi10aGUtaG9vaw==");
        m_definition.secret = *Template::parse(u"${env:WATUKUY_TEST_HOOK}"_s);
    }

    void everySignatureOfTheVectorsIsOurs_data()
    {
        QTest::addColumn<QJsonObject>("row");
        QFile file(QStringLiteral(WATUKUY_VECTORS) + u"/webhook-signatures.json"_s);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonArray rows = QJsonDocument::fromJson(file.readAll()).array();
        QVERIFY(rows.size() >= 8);
        for (qsizetype row = 0; row < rows.size(); ++row)
            QTest::addRow("row %d", static_cast<int>(row)) << rows.at(row).toObject();
    }
    void everySignatureOfTheVectorsIsOurs()
    {
        QFETCH(QJsonObject, row);
        const auto key = standardwebhook::keyOf(row[u"secret"].toString());
        if (row[u"signature"].isNull()) {
            QVERIFY(!key);
            return;
        }
        QVERIFY(key);
        QCOMPARE(standardwebhook::signature(*key, row[u"id"].toString().toUtf8(),
                                            row[u"timestamp"].toString().toLongLong(),
                                            row[u"body"].toString().toUtf8()),
                 row[u"signature"].toString().toLatin1());
    }

    void aSecretThatCannotBeUsedIsRefusedAndNotShown()
    {
        for (const QString &secret : {QString(), u"whsec_"_s, u"whsec_%%%"_s}) {
            const auto key = standardwebhook::keyOf(secret);
            QVERIFY(!key);
            QCOMPARE(key.error().kind, ErrorKind::Secret);
            QVERIFY(!key.error().oneLine().contains(u"%%%"_s));
        }
    }

    void theReceiverGetsTheExactBytesSigned()
    {
        QVERIFY(deliver().outcome == Outcome::Accepted);
        const ServerRequest &request = m_requests.first();
        QCOMPARE(request.method, "POST");
        QCOMPARE(request.body, delivery().envelope);
        QCOMPARE(request.header("content-type"), "application/json");
        QCOMPARE(request.header("webhook-id"), "00ff");
        QVERIFY(isSignedBy("secret-key-of-the-hook", request, seconds()));
        ServerRequest altered = request;
        altered.body += ' ';
        QVERIFY(!isSignedBy("secret-key-of-the-hook", altered, seconds()));
        QVERIFY(!isSignedBy("another key", request, seconds()));
    }

    void withoutASecretNothingIsSigned()
    {
        m_definition.secret = {};
        QVERIFY(deliver().outcome == Outcome::Accepted);
        QVERIFY(m_requests.first().header("webhook-signature").isEmpty());
        QCOMPARE(m_requests.first().header("webhook-id"), "00ff");
    }

    void C45_aRetryIsSignedAfreshUnderTheSameId()
    {
        const auto hook = sink();
        m_reply.status = 422;
        QVERIFY(deliver(*hook).outcome == Outcome::Refused);
        m_clock.advance(10min);
        m_reply.status = 200;
        QVERIFY(deliver(*hook, 2).outcome == Outcome::Accepted);
        QCOMPARE(m_requests[1].header("webhook-id"), m_requests[0].header("webhook-id"));
        QVERIFY(m_requests[1].header("webhook-signature") != m_requests[0].header("webhook-signature"));
        QVERIFY(isSignedBy("secret-key-of-the-hook", m_requests[1], seconds()));
        QVERIFY(!isSignedBy("secret-key-of-the-hook", m_requests[0], seconds()));
    }

    void C69_theSignedBodysOwnTypeWins()
    {
        m_definition.headers = {{u"content-type"_s, *Template::parse(u"text/plain"_s)},
                                {u"Webhook-Id"_s, *Template::parse(u"mine"_s)},
                                {u"X-Team"_s, *Template::parse(u"${var.team}"_s)}};
        Delivery cloud = delivery();
        cloud.format = EventFormat::CloudEvents;
        QVERIFY(QCoro::waitFor(sink()->deliver(cloud)).outcome == Outcome::Accepted);
        QCOMPARE(m_requests.first().header("content-type"), "application/cloudevents+json");
        QCOMPARE(m_requests.first().header("webhook-id"), "00ff");
        QCOMPARE(m_requests.first().header("x-team"), "a/b");
    }

    void placeholdersStayInsideTheirPartOfTheUrl()
    {
        m_definition.url = *Template::parse(m_server->url().toString() +
                                            u"/${var.team}/${poller}/${partition}?p=${partition}"_s);
        QVERIFY(deliver().outcome == Outcome::Accepted);
        QCOMPARE(m_requests.first().target, "/a/b/orders/e%20u%2F%C3%A4?p=e%20u%2F%C3%A4");
    }

    void whatAnAnswerMeans_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<int>("outcome");
        for (const int status : {200, 201, 202, 204})
            QTest::addRow("%d", status) << status << int(Outcome::Accepted);
        for (const int status : {400, 401, 403, 404, 409, 410, 413, 422})
            QTest::addRow("%d", status) << status << int(Outcome::Refused);
        for (const int status : {301, 307, 408, 429, 500, 502, 503, 504, 599})
            QTest::addRow("%d", status) << status << int(Outcome::Down);
    }
    void whatAnAnswerMeans()
    {
        QFETCH(int, status);
        QFETCH(int, outcome);
        m_reply.status = status;
        m_reply.with("Location", "http://127.0.0.1:1/elsewhere");
        const SinkAnswer answer = deliver();
        QCOMPARE(int(answer.outcome), outcome);
        QCOMPARE(m_requests.size(), 1);
        if (answer.outcome != Outcome::Accepted) {
            QCOMPARE(answer.error.httpStatus, status);
            QVERIFY(!answer.error.nextStep.isEmpty());
        }
    }

    void declaredStatusesReplaceTheUsualOnes()
    {
        m_definition.successStatuses = {202, 409};
        m_reply.status = 409;
        QVERIFY(deliver().outcome == Outcome::Accepted);
        m_reply.status = 200;
        QVERIFY(deliver().outcome == Outcome::Refused);
    }

    void theReceiversWishToWaitIsHeard()
    {
        m_reply.status = 503;
        m_reply.with("Retry-After", "120");
        QCOMPARE(deliver().retryAfter, std::optional<Duration>(120s));
    }

    void aReceiverThatIsNotThereIsDown()
    {
        m_server.reset();
        const SinkAnswer answer = deliver();
        QVERIFY(answer.outcome == Outcome::Down);
        QCOMPARE(answer.error.kind, ErrorKind::Network);
    }

    void aReceiverThatTakesTooLongIsDown()
    {
        m_definition.timeout = 100ms;
        m_reply.delay = 1h;
        QVERIFY(deliver().outcome == Outcome::Down);
    }

    void theRateLimitOfTheEndpointIsKept()
    {
        m_definition.rateRequests = 2;
        m_definition.ratePer = 10s;
        const auto hook = sink();
        QVERIFY(deliver(*hook).outcome == Outcome::Accepted);
        m_clock.advance(4s);
        QVERIFY(deliver(*hook).outcome == Outcome::Accepted);
        m_clock.advance(1s);
        const SinkAnswer later = deliver(*hook);
        QVERIFY(later.outcome == Outcome::Later);
        QCOMPARE(later.retryAfter, std::optional<Duration>(5s));
        QCOMPARE(m_requests.size(), 2);
        m_clock.advance(5s);
        QVERIFY(deliver(*hook).outcome == Outcome::Accepted);
        QVERIFY(deliver(*hook).outcome == Outcome::Later);
    }

    void noSecretIsInAnError()
    {
        qputenv("WATUKUY_TEST_PATH", "very-secret-path");
        m_definition.url = *Template::parse(m_server->url().toString() + u"/${env:WATUKUY_TEST_PATH}"_s);
        m_reply = demo::ServerReply::json(R"({"title":"no whsec_c2VjcmV0LWtleS1vZi10aGUtaG9vaw=="})", 422);
        m_reply.headers = {{"Content-Type", "application/problem+json"}};
        const SinkAnswer answer = deliver();
        QCOMPARE(m_requests.first().target, "/very-secret-path");
        QVERIFY2(!answer.error.oneLine().contains(u"very-secret-path"_s), qPrintable(answer.error.oneLine()));
        QVERIFY2(!answer.error.oneLine().contains(u"c2VjcmV0"_s), qPrintable(answer.error.oneLine()));
    }

    void aSecretThatIsMissingIsSaidAndNothingIsSent()
    {
        m_definition.secret = *Template::parse(u"${env:WATUKUY_TEST_ABSENT}"_s);
        const SinkAnswer answer = deliver();
        QVERIFY(answer.outcome == Outcome::Down);
        QVERIFY(answer.error.oneLine().contains(u"WATUKUY_TEST_ABSENT"_s));
        QCOMPARE(m_requests.size(), 0);
    }
};

QTEST_GUILESS_MAIN(TestWebhook)

#include "test_webhook.moc"
