// SPDX-License-Identifier: GPL-3.0-or-later
// What answers mean, from a real server through the real transport.
#include <QTest>

#include "app/cli/demo/server.h"
#include "engine/http/client.h"
#include "engine/http/networktransport.h"

using namespace Qt::StringLiterals;
using namespace watukuy;
using namespace watukuy::http;
using demo::HttpServer;
using demo::ServerReply;
using demo::ServerRequest;

namespace {

const QByteArray listing = R"({"items":[{"id":1}]})";

} // namespace

class TestClient : public QObject {
    Q_OBJECT

    std::unique_ptr<HttpServer> m_server;
    std::unique_ptr<NetworkTransport> m_transport;
    std::unique_ptr<Client> m_client;
    SystemClock m_clock;
    Secrets m_secrets{QString()};
    std::map<QString, CredentialDefinition> m_credentials;
    ServerReply m_reply;
    QList<ServerRequest> m_requests;

    Result<Answer> fetch(const ResponseDefinition &definition = {}, std::optional<Validator> validator = {},
                         const QString &nextHeader = {}, Redirects redirects = Redirects::SameOrigin)
    {
        RequestDefinition request;
        request.url = *Template::parse(m_server->url().toString() + u"/list?page=1"_s);
        request.redirects = redirects;
        request.credential = u"token"_s;
        const auto prepared =
            m_client->prepare(request, [](const QString &) -> Result<std::optional<QString>> {
                return std::optional<QString>();
            });
        if (!prepared)
            return fail(prepared.error());
        return QCoro::waitFor(m_client->fetch(*prepared, definition, std::move(validator), nextHeader));
    }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("WATUKUY_TEST_TOKEN", "s3cret-token-value");
        m_credentials.emplace(u"token"_s, BearerCredential{*Template::parse(u"${env:WATUKUY_TEST_TOKEN}"_s)});
    }

    void init()
    {
        m_requests.clear();
        m_reply = ServerReply::json(listing);
        m_server = std::make_unique<HttpServer>([this](const ServerRequest &asked) {
            m_requests += asked;
            return m_reply;
        });
        QVERIFY(m_server->start());
        m_transport = std::make_unique<NetworkTransport>();
        m_client = std::make_unique<Client>(*m_transport, m_clock, m_secrets, m_credentials);
    }

    void cleanup()
    {
        m_client.reset();
        m_transport.reset();
        m_server.reset();
    }

    void aPageComesWithWhatTheHeadersSaid()
    {
        m_reply.with("Link", "<?page=2&a=b,c>; rel=\"next\"")
            .with("X-RateLimit-Remaining", "17")
            .with("X-RateLimit-Reset", "30")
            .with("X-Next", "tok+en")
            .with("ETag", "W/\"abc\"")
            .with("Last-Modified", "Tue, 14 Nov 2023 22:14:50 GMT");
        const auto answer = fetch({}, {}, u"x-next"_s);
        QVERIFY2(answer, answer ? "" : qPrintable(answer.error().oneLine()));
        QCOMPARE(answer->outcome, Answer::Outcome::Page);
        QCOMPARE(answer->body, listing);
        QCOMPARE(answer->response.status, 200);
        QCOMPARE(answer->linkNext, m_server->url().toString() + u"/list?page=2&a=b,c"_s);
        QCOMPARE(answer->rateLimit->remaining, 17);
        QCOMPARE(answer->nextHeader, u"tok+en"_s);
        QCOMPARE(answer->validator, (Validator{"W/\"abc\"", "Tue, 14 Nov 2023 22:14:50 GMT"}));
        QVERIFY(!answer->retryAfter);
    }

    void C25_validatorsGoBackByteForByte_data()
    {
        QTest::addColumn<QByteArray>("etag");
        for (const char *etag : {"W/\"abc\"", "\"abc\"", "unquoted", "\"a,b\"", "W/\"\"", "\"caf\xe9\""})
            QTest::newRow(etag) << QByteArray(etag);
    }

    void C25_validatorsGoBackByteForByte()
    {
        QFETCH(const QByteArray, etag);
        m_reply.with("ETag", etag);
        const auto first = fetch();
        QVERIFY(first);
        QCOMPARE(first->validator->etag, etag);
        m_reply = {};
        m_reply.status = 304;
        const auto second = fetch({}, Validator{first->validator->etag, "whatever it said"});
        QVERIFY2(second, second ? "" : qPrintable(second.error().oneLine()));
        QCOMPARE(second->outcome, Answer::Outcome::NotModified);
        QVERIFY(!second->validator);
        QCOMPARE(m_requests[1].header("If-None-Match"), etag);
        QCOMPARE(m_requests[1].header("If-Modified-Since"), QByteArray("whatever it said"));
        QVERIFY(m_requests[0].header("If-None-Match").isEmpty());
    }

    void C36_nothingIsAnEmptyPage_data()
    {
        QTest::addColumn<int>("status");
        QTest::newRow("204") << 204;
        QTest::newRow("200 with 0 bytes") << 200;
    }

    void C36_nothingIsAnEmptyPage()
    {
        QFETCH(const int, status);
        m_reply = {};
        m_reply.status = status;
        const auto answer = fetch();
        QVERIFY2(answer, answer ? "" : qPrintable(answer.error().oneLine()));
        QCOMPARE(answer->outcome, Answer::Outcome::Page);
        QVERIFY(answer->body.isEmpty());
    }

    void C37_htmlIsAnErrorThatNamesTheContentType_data()
    {
        QTest::addColumn<QByteArray>("type");
        QTest::addColumn<QString>("named");
        QTest::newRow("text/html") << QByteArray("text/html; charset=utf-8") << u"text/html; charset=utf-8"_s;
        QTest::newRow("pretends to be JSON") << QByteArray("application/json") << u"application/json"_s;
    }

    void C37_htmlIsAnErrorThatNamesTheContentType()
    {
        QFETCH(const QByteArray, type);
        QFETCH(const QString, named);
        m_reply = {};
        m_reply.with("Content-Type", type).with("ETag", "\"login\"");
        m_reply.body = "\n<!DOCTYPE html><html><head><title>Sign in \n to Shop</title></head></html>";
        const auto answer = fetch();
        QVERIFY(!answer);
        QCOMPARE(answer.error().kind, ErrorKind::Body);
        QVERIFY2(answer.error().detail.contains(named), qPrintable(answer.error().detail));
        QVERIFY2(answer.error().detail.contains(u"Sign in to Shop"), qPrintable(answer.error().detail));
        QVERIFY(!answer.error().retryable);
    }

    void C32_theBodyIsUtf8WhateverItsCharset()
    {
        m_reply.headers = {{"Content-Type", "application/json; charset=ISO-8859-15"}};
        m_reply.body = "[{\"name\":\"5 \xa4\"}]";
        const auto answer = fetch();
        QVERIFY(answer);
        QCOMPARE(answer->body, QByteArray("[{\"name\":\"5 \u20ac\"}]"));
        m_reply.headers = {{"Content-Type", "application/json; charset=klingon"}};
        QCOMPARE(fetch().error().kind, ErrorKind::Body);
    }

    void C21_429AlwaysThrottles()
    {
        m_reply = ServerReply::json(R"({"title":"Slow down","detail":"100 per hour"})", 429);
        auto answer = fetch();
        QVERIFY2(answer, answer ? "" : qPrintable(answer.error().oneLine()));
        QCOMPARE(answer->outcome, Answer::Outcome::Throttled);
        QVERIFY(!answer->retryAfter);
        QVERIFY2(answer->throttle->oneLine().contains(u"Slow down"), qPrintable(answer->throttle->oneLine()));
        QVERIFY(answer->throttle->oneLine().contains(u"100 per hour"));
        m_reply.with("Retry-After", "1.5");
        answer = fetch();
        QCOMPARE(answer->retryAfter, Duration{1'500});
    }

    void C22_403And503ThrottleWhenTheySayUntilWhen_data()
    {
        QTest::addColumn<int>("status");
        QTest::newRow("403") << 403;
        QTest::newRow("503") << 503;
    }

    void C22_403And503ThrottleWhenTheySayUntilWhen()
    {
        QFETCH(const int, status);
        m_reply = ServerReply::json("{}", status).with("Retry-After", "30");
        const auto answer = fetch();
        QVERIFY2(answer, answer ? "" : qPrintable(answer.error().oneLine()));
        QCOMPARE(answer->outcome, Answer::Outcome::Throttled);
        QCOMPARE(answer->retryAfter, Duration{30'000});
        m_reply = ServerReply::json("{}", status).with("Retry-After", "soon");
        QVERIFY(!fetch());
        m_reply = ServerReply::json("{}", status);
        QVERIFY(!fetch());
    }

    void C22_onStatusMakesA403AThrottle()
    {
        m_reply = ServerReply::json(R"({"message":"API rate limit exceeded"})", 403);
        const auto answer = fetch({.onStatus = {{403, StatusRule::Throttle}}});
        QVERIFY(answer);
        QCOMPARE(answer->outcome, Answer::Outcome::Throttled);
        QVERIFY(answer->throttle->title.contains(u"API rate limit exceeded"));
    }

    void onStatusOverridesTheDefaults()
    {
        m_reply = ServerReply::json(R"({"message":"none"})", 404);
        auto answer = fetch({.onStatus = {{404, StatusRule::Empty}}});
        QVERIFY(answer);
        QCOMPARE(answer->outcome, Answer::Outcome::Page);
        QVERIFY(answer->body.isEmpty());
        answer = fetch({.onStatus = {{404, StatusRule::IgnorePage}}});
        QCOMPARE(answer->outcome, Answer::Outcome::IgnorePage);
        m_reply = ServerReply::json(listing, 200);
        QVERIFY(!fetch({.onStatus = {{200, StatusRule::Fail}}}));
        m_reply = ServerReply::json(listing, 429);
        QVERIFY(!fetch({.onStatus = {{429, StatusRule::Fail}}}));
    }

    void otherStatusesAreErrorsWithANextStep_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<bool>("retryable");
        for (const int status : {400, 401, 403, 404, 405, 406, 410, 422})
            QTest::addRow("%d", status) << status << false;
        for (const int status : {408, 500, 502, 503, 504})
            QTest::addRow("%d", status) << status << true;
    }

    void otherStatusesAreErrorsWithANextStep()
    {
        QFETCH(const int, status);
        m_reply = ServerReply::json(R"({"title":"Broken","detail":"very"})", status);
        m_reply.headers = {{"Content-Type", "application/problem+json"}};
        const auto answer = fetch();
        QVERIFY(!answer);
        QCOMPARE(answer.error().kind, ErrorKind::Http);
        QCOMPARE(answer.error().name, u"HttpStatusError"_s);
        QVERIFY2(answer.error().title.contains(QString::number(status)), qPrintable(answer.error().title));
        QVERIFY(answer.error().title.contains(u"Broken"));
        QVERIFY(answer.error().detail.contains(u"very"));
        QVERIFY(answer.error().detail.contains(u"/list"));
        QVERIFY(!answer.error().nextStep.isEmpty());
        QTEST(answer.error().retryable, "retryable");
    }

    void C39_a401AfterDroppedCredentialsExplainsItself()
    {
        HttpServer other([](const ServerRequest &) { return ServerReply::json("{}", 401); });
        QVERIFY(other.start());
        m_reply = {};
        m_reply.status = 302;
        m_reply.with("Location", other.url().toEncoded() + "/list");
        const auto refused = fetch();
        QVERIFY(!refused);
        QCOMPARE(refused.error().name, u"RedirectRefused"_s);
        const auto answer = fetch({}, {}, {}, Redirects::Any);
        QVERIFY(!answer);
        QCOMPARE(answer.error().name, u"HttpStatusError"_s);
        QVERIFY2(answer.error().detail.contains(u"credentials were not sent"),
                 qPrintable(answer.error().detail));
        QVERIFY2(answer.error().nextStep.contains(u"request.url"), qPrintable(answer.error().nextStep));
    }

    void aRedirectThatIsNotFollowedIsAnError()
    {
        m_reply = {};
        m_reply.status = 301;
        m_reply.with("Location", "/elsewhere?key=hidden");
        const auto answer = fetch({}, {}, {}, Redirects::None);
        QVERIFY(!answer);
        QVERIFY2(answer.error().detail.contains(u"/elsewhere"), qPrintable(answer.error().detail));
        QVERIFY(!answer.error().oneLine().contains(u"hidden"));
    }

    void secretsThatAnApiRepeatsAreRedacted()
    {
        m_reply = ServerReply::json(
            R"({"title":"Bad token s3cret-token-value","detail":"Bearer s3cret-token-value"})", 401);
        const auto answer = fetch();
        QVERIFY(!answer);
        QCOMPARE(m_requests[0].header("Authorization"), QByteArray("Bearer s3cret-token-value"));
        QVERIFY2(!answer.error().oneLine().contains(u"s3cret"), qPrintable(answer.error().oneLine()));
    }

    void networkErrorsPassThrough()
    {
        m_reply.resetAfter = -1;
        const auto answer = fetch();
        QVERIFY(!answer);
        QCOMPARE(answer.error().kind, ErrorKind::Network);
        QVERIFY(answer.error().retryable);
    }
};

QTEST_GUILESS_MAIN(TestClient)
#include "test_client.moc"
