// SPDX-License-Identifier: GPL-3.0-or-later
// How requests leave: through the proxy that is named, the system's, or none.
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

Result<std::optional<QString>> nothing(const QString &)
{
    return std::optional<QString>();
}

} // namespace

class TestProxy : public QObject {
    Q_OBJECT

    QList<ServerRequest> m_direct, m_proxied;
    HttpServer m_server{[this](const ServerRequest &request) {
        m_direct.append(request);
        return ServerReply::json("[]");
    }};
    HttpServer m_proxy{[this](const ServerRequest &request) {
        m_proxied.append(request);
        return m_proxyReply;
    }};
    ServerReply m_proxyReply;
    std::unique_ptr<NetworkTransport> m_transport;
    SystemClock m_clock;
    Secrets m_secrets{QString()};
    std::map<QString, CredentialDefinition> m_credentials;

    Result<Answer> fetch(const QString &url, ProxyUse use, const QString &proxy = {})
    {
        Client client(*m_transport, m_clock, m_secrets, m_credentials);
        RequestDefinition definition;
        definition.url = *Template::parse(url);
        definition.proxyUse = use;
        definition.proxy = *Template::parse(proxy);
        auto request = client.prepare(definition, nothing);
        if (!request)
            return fail(request.error());
        return QCoro::waitFor(client.fetch(std::move(*request), {}, {}));
    }
    QString proxyAddress(const QString &user = {}) const
    {
        return u"http://"_s + user + u"127.0.0.1:%1"_s.arg(m_proxy.url().port());
    }

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_server.start());
        QVERIFY(m_proxy.start());
        qputenv("WATUKUY_TEST_PROXY", "p@ss/word");
    }
    void init()
    {
        m_direct.clear();
        m_proxied.clear();
        m_proxyReply = ServerReply::json("[]");
        m_transport = std::make_unique<NetworkTransport>();
        qunsetenv("http_proxy");
    }

    void aNamedProxyIsAskedForTheWholeAddress()
    {
        QVERIFY(fetch(u"http://api.invalid/orders?page=1"_s, ProxyUse::Named, proxyAddress()));
        QCOMPARE(m_proxied.size(), 1);
        QCOMPARE(m_proxied.first().target, "http://api.invalid/orders?page=1");
    }

    void itGetsItsPasswordFromAReference()
    {
        m_proxyReply =
            ServerReply{.status = 407, .headers = {{"Proxy-Authenticate", "Basic realm=\"p\""}}, .body = {}};
        const auto refused = fetch(u"http://api.invalid/"_s, ProxyUse::Named, proxyAddress());
        QVERIFY(!refused);
        m_proxied.clear();
        (void)fetch(u"http://api.invalid/"_s, ProxyUse::Named,
                    proxyAddress(u"shop:${env:WATUKUY_TEST_PROXY}@"_s));
        QVERIFY(!m_proxied.isEmpty());
        QCOMPARE(m_proxied.last().header("Proxy-Authorization"),
                 "Basic " + QByteArray("shop:p@ss/word").toBase64());
    }

    void aProxyThatIsDownIsNamedAsTheFault()
    {
        HttpServer gone([](const ServerRequest &) { return ServerReply::json("[]"); });
        QVERIFY(gone.start());
        const QString address = u"http://127.0.0.1:%1"_s.arg(gone.url().port());
        gone.close();
        for (const QString &url : {u"http://api.invalid/"_s, u"https://api.invalid/"_s}) {
            const auto failed = fetch(url, ProxyUse::Named, address);
            QVERIFY(!failed);
            QCOMPARE(failed.error().name, u"ProxyError"_s);
            QVERIFY2(failed.error().nextStep.contains(u"request.proxy"),
                     qPrintable(failed.error().oneLine()));
        }
    }

    void theSystemsProxyIsUsedButNeverForThisMachine()
    {
        qputenv("http_proxy", proxyAddress().toUtf8());
        QVERIFY(fetch(u"http://api.invalid/"_s, ProxyUse::System));
        QCOMPARE(m_proxied.size(), 1);
        QVERIFY(fetch(m_server.url().toString(), ProxyUse::System));
        QCOMPARE(m_proxied.size(), 1);
        QCOMPARE(m_direct.size(), 1);
    }

    void noneMeansNone()
    {
        qputenv("http_proxy", proxyAddress().toUtf8());
        const auto failed = fetch(u"http://api.invalid/"_s, ProxyUse::None);
        QVERIFY(!failed);
        QCOMPARE(failed.error().name, u"HostNotFound"_s);
        QVERIFY(m_proxied.isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestProxy)
#include "test_proxy.moc"
