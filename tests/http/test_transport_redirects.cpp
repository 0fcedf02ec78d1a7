// SPDX-License-Identifier: GPL-3.0-or-later
// Where the transport lets itself be led, and what it takes along.
#include <QFile>
#include <QSslCertificate>
#include <QSslKey>
#include <QTemporaryDir>
#include <QTest>

#include "app/cli/demo/server.h"
#include "engine/http/networktransport.h"
#include "tests/http/certificate.h"

using namespace Qt::StringLiterals;
using namespace watukuy;
using namespace watukuy::http;
using demo::HttpServer;
using demo::ServerReply;
using demo::ServerRequest;

namespace {

ServerReply redirect(const QByteArray &location, int status = 302)
{
    ServerReply reply;
    reply.status = status;
    reply.body = "moved";
    return reply.with("Location", location);
}

} // namespace

class TestTransportRedirects : public QObject {
    Q_OBJECT

    std::unique_ptr<HttpServer> m_one, m_other;
    std::unique_ptr<NetworkTransport> m_transport;
    std::function<ServerReply(const ServerRequest &)> m_handler;
    QList<ServerRequest> m_atOne, m_atOther;

    [[nodiscard]] Request request(const QString &path = u"/"_s) const
    {
        Request made;
        made.url = m_one->url().resolved(QUrl(path));
        made.timeout = Duration{5'000};
        return made;
    }

    [[nodiscard]] Request withSecrets() const
    {
        Request made = request();
        made.headers = {{"Authorization", "Bearer hidden"},
                        {"Cookie", "session=hidden"},
                        {"X-Api-Key", "hidden"},
                        {"X-Plain", "open"}};
        made.secretHeaders = {"authorization", "x-api-key"};
        return made;
    }

    Result<Response> send(const Request &asked) { return QCoro::waitFor(m_transport->send(asked)); }

private Q_SLOTS:
    void init()
    {
        m_atOne.clear();
        m_atOther.clear();
        m_one = std::make_unique<HttpServer>([this](const ServerRequest &asked) {
            m_atOne += asked;
            return m_handler(asked);
        });
        m_other = std::make_unique<HttpServer>([this](const ServerRequest &asked) {
            m_atOther += asked;
            return ServerReply::json("[]", asked.header("Authorization").isEmpty() ? 401 : 200);
        });
        QVERIFY(m_one->start());
        QVERIFY(m_other->start());
        m_transport = std::make_unique<NetworkTransport>();
    }

    void cleanup()
    {
        m_transport.reset();
        m_one.reset();
        m_other.reset();
    }

    void theSameOriginIsFollowedWithCredentials()
    {
        m_handler = [](const ServerRequest &asked) {
            return asked.path == u"/" ? redirect("next?a=%2B") : ServerReply::json("[1]");
        };
        const auto response = send(withSecrets());
        QVERIFY2(response, response ? "" : qPrintable(response.error().oneLine()));
        QCOMPARE(response->body, QByteArray("[1]"));
        QCOMPARE(response->finalUrl.toEncoded(), m_one->url().toEncoded() + "/next?a=%2B");
        QVERIFY(!response->credentialsDropped);
        QCOMPARE(m_atOne.size(), 2);
        QCOMPARE(m_atOne[1].header("Authorization"), QByteArray("Bearer hidden"));
        QCOMPARE(m_atOne[1].header("X-Api-Key"), QByteArray("hidden"));
    }

    void C39_anotherOriginIsRefusedByDefault()
    {
        m_handler = [this](const ServerRequest &) {
            return redirect(m_other->url().toEncoded() + "/x?token=hidden");
        };
        const auto response = send(withSecrets());
        QVERIFY(!response);
        QCOMPARE(response.error().name, u"RedirectRefused"_s);
        QVERIFY2(response.error().detail.contains(m_other->url().toString() + u"/x"_s),
                 qPrintable(response.error().detail));
        QVERIFY(!response.error().oneLine().contains(u"hidden"));
        QVERIFY(!response.error().nextStep.isEmpty());
        QVERIFY(m_atOther.isEmpty());
    }

    void C39_anotherOriginGetsNoCredentials()
    {
        m_handler = [this](const ServerRequest &) { return redirect(m_other->url().toEncoded() + "/x"); };
        Request asked = withSecrets();
        asked.redirects = Redirects::Any;
        const auto response = send(asked);
        QVERIFY2(response, response ? "" : qPrintable(response.error().oneLine()));
        QCOMPARE(response->status, 401);
        QVERIFY(response->credentialsDropped);
        QCOMPARE(m_atOther.size(), 1);
        for (const auto &[name, value] : m_atOther[0].headers)
            QVERIFY2(!value.contains("hidden"), name.constData());
        QCOMPARE(m_atOther[0].header("X-Plain"), QByteArray("open"));
    }

    void credentialsDoNotComeBackWithTheOrigin()
    {
        m_other = std::make_unique<HttpServer>(
            [this](const ServerRequest &) { return redirect(m_one->url().toEncoded() + "/end"); });
        QVERIFY(m_other->start());
        m_handler = [this](const ServerRequest &asked) {
            return asked.path == u"/end" ? ServerReply::json("[]") : redirect(m_other->url().toEncoded());
        };
        Request asked = withSecrets();
        asked.redirects = Redirects::Any;
        const auto response = send(asked);
        QVERIFY(response);
        QVERIFY(response->credentialsDropped);
        QVERIFY(m_atOne.last().header("Authorization").isEmpty());
    }

    void noneLeavesTheRedirectAsTheAnswer()
    {
        m_handler = [](const ServerRequest &) { return redirect("/next"); };
        Request asked = request();
        asked.redirects = Redirects::None;
        const auto response = send(asked);
        QVERIFY(response);
        QCOMPARE(response->status, 302);
        QCOMPARE(m_atOne.size(), 1);
    }

    void aLoopEndsAfterTenHops()
    {
        m_handler = [](const ServerRequest &) { return redirect("/again"); };
        const auto response = send(request());
        QVERIFY(!response);
        QCOMPARE(response.error().name, u"TooManyRedirects"_s);
        QCOMPARE(m_atOne.size(), 11);
    }

    void otherSchemesAreNotFollowed()
    {
        m_handler = [](const ServerRequest &) { return redirect("file:///etc/passwd"); };
        Request asked = request();
        asked.redirects = Redirects::Any;
        const auto response = send(asked);
        QVERIFY(!response);
        QCOMPARE(response.error().name, u"RedirectRefused"_s);
    }

    void methodsChangeAsTheStandardSays_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("method");
        QTest::addColumn<QByteArray>("then");
        QTest::newRow("301 POST") << 301 << QByteArray("POST") << QByteArray("GET");
        QTest::newRow("302 POST") << 302 << QByteArray("POST") << QByteArray("GET");
        QTest::newRow("302 PUT") << 302 << QByteArray("PUT") << QByteArray("PUT");
        QTest::newRow("303 PUT") << 303 << QByteArray("PUT") << QByteArray("GET");
        QTest::newRow("307 POST") << 307 << QByteArray("POST") << QByteArray("POST");
        QTest::newRow("308 POST") << 308 << QByteArray("POST") << QByteArray("POST");
    }

    void methodsChangeAsTheStandardSays()
    {
        QFETCH(const int, status);
        QFETCH(const QByteArray, method);
        QFETCH(const QByteArray, then);
        m_handler = [status](const ServerRequest &asked) {
            return asked.path == u"/" ? redirect("/next", status) : ServerReply::json("[]");
        };
        Request asked = request();
        asked.method = method;
        asked.body = "body";
        const auto response = send(asked);
        QVERIFY2(response, response ? "" : qPrintable(response.error().oneLine()));
        QCOMPARE(m_atOne[1].method, then);
        QCOMPARE(m_atOne[1].body, then == "GET" ? QByteArray() : QByteArray("body"));
    }

    void theDeadlineCoversAllHops()
    {
        m_handler = [](const ServerRequest &) {
            ServerReply reply = redirect("/again");
            reply.delay = std::chrono::milliseconds{150};
            return reply;
        };
        Request asked = request();
        asked.timeout = Duration{400};
        const auto response = send(asked);
        QVERIFY(!response);
        QCOMPARE(response.error().name, u"TimeoutError"_s);
    }

    void httpsIsNeverGivenUp()
    {
        const SelfSigned identity = makeSelfSigned("Watukuy test");
        QSslConfiguration configuration;
        configuration.setLocalCertificate(QSslCertificate(identity.certificate));
        configuration.setPrivateKey(QSslKey(identity.key, QSsl::Ec));
        m_one->useTls(configuration);
        QTemporaryDir folder;
        QFile file(folder.filePath(u"ca.pem"_s));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(identity.certificate) > 0);
        file.close();
        m_handler = [this](const ServerRequest &) { return redirect(m_other->url().toEncoded()); };
        Request asked = request();
        asked.tlsCa = file.fileName();
        asked.redirects = Redirects::Any;
        const auto response = send(asked);
        QVERIFY(!response);
        QCOMPARE(response.error().name, u"RedirectRefused"_s);
        QVERIFY2(response.error().title.contains(u"https to http"), qPrintable(response.error().title));
        QVERIFY(m_atOther.isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestTransportRedirects)
#include "test_transport_redirects.moc"
