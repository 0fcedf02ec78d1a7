// SPDX-License-Identifier: GPL-3.0-or-later
// Access tokens and signatures, given to a real API by a real token server.
#include <QFile>
#include <QMessageAuthenticationCode>
#include <QTemporaryDir>
#include <QTest>
#include <QUrlQuery>

#include "app/cli/demo/server.h"
#include "engine/http/client.h"
#include "engine/http/networktransport.h"
#include "tests/support/virtualclock.h"

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace watukuy;
using namespace watukuy::http;
using demo::HttpServer;
using demo::ServerReply;
using demo::ServerRequest;
using tests::VirtualClock;

namespace {

Template pattern(const QString &text)
{
    return *Template::parse(text);
}

QString field(const ServerRequest &request, const QString &name)
{
    return QUrlQuery(QString::fromUtf8(request.body)).queryItemValue(name, QUrl::FullyDecoded);
}

Result<std::optional<QString>> nothing(const QString &)
{
    return std::optional<QString>();
}

} // namespace

class TestCredentials : public QObject {
    Q_OBJECT

    std::unique_ptr<HttpServer> m_server;
    std::unique_ptr<NetworkTransport> m_transport;
    std::unique_ptr<Client> m_client;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Secrets> m_secrets;
    std::map<QString, CredentialDefinition> m_credentials;
    VirtualClock m_clock;
    std::function<ServerReply(const ServerRequest &)> m_tokens; ///< answers at /token
    std::function<ServerReply(const ServerRequest &)> m_api;    ///< everywhere else
    QList<ServerRequest> m_asked, m_requests;

    /// Hands out `token-1`, `token-2`, ...
    ServerReply nextToken(const QByteArray &more = ",\"expires_in\":7200")
    {
        return ServerReply::json("{\"access_token\":\"token-" + QByteArray::number(m_asked.size()) +
                                 "\",\"token_type\":\"Bearer\"" + more + "}");
    }
    QByteArray bearers() const
    {
        QByteArrayList all;
        for (const ServerRequest &request : m_requests)
            all.append(request.header("Authorization"));
        return all.join(", ");
    }
    OAuth2Credential clientCredentials() const
    {
        OAuth2Credential oauth;
        oauth.tokenUrl = pattern(m_server->url().toString() + u"/token"_s);
        oauth.clientId = pattern(u"shop&co"_s);
        oauth.clientSecret = pattern(u"${env:WATUKUY_TEST_CLIENT}"_s);
        oauth.scopes = {u"orders"_s, u"read"_s};
        oauth.audience = u"https://api.example"_s;
        return oauth;
    }
    OAuth2Credential refreshing(const QString &reference) const
    {
        OAuth2Credential oauth = clientCredentials();
        oauth.refreshGrant = true;
        oauth.refreshToken = pattern(u"${"_s + reference + u'}');
        return oauth;
    }
    void write(const QByteArray &text)
    {
        QFile file(m_folder->filePath(u"refresh"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }
    QByteArray written() const
    {
        QFile file(m_folder->filePath(u"refresh"_s));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    Result<Request> prepared(const QString &path = u"/orders?page=1"_s)
    {
        RequestDefinition definition;
        definition.url = pattern(m_server->url().toString() + path);
        definition.credential = u"c"_s;
        return m_client->prepare(definition, nothing);
    }
    Result<Answer> fetch()
    {
        auto request = prepared();
        if (!request)
            return fail(request.error());
        return QCoro::waitFor(m_client->fetch(std::move(*request), {}, {}));
    }

private Q_SLOTS:
    void initTestCase() { qputenv("WATUKUY_TEST_CLIENT", "cl1ent s3cret"); }

    void init()
    {
        m_asked.clear();
        m_requests.clear();
        m_credentials.clear();
        m_tokens = [this](const ServerRequest &) { return nextToken(); };
        m_api = [](const ServerRequest &) { return ServerReply::json("[]"); };
        m_server = std::make_unique<HttpServer>([this](const ServerRequest &request) {
            (request.path == u"/token" ? m_asked : m_requests).append(request);
            return request.path == u"/token" ? m_tokens(request) : m_api(request);
        });
        QVERIFY(m_server->start());
        m_folder = std::make_unique<QTemporaryDir>();
        m_secrets = std::make_unique<Secrets>(m_folder->path());
        m_transport = std::make_unique<NetworkTransport>();
        m_client = std::make_unique<Client>(*m_transport, m_clock, *m_secrets, m_credentials);
    }

    void cleanup()
    {
        m_client.reset();
        m_transport.reset();
        m_server.reset();
    }

    void aTokenIsAskedForOnceAndUsedUntilItExpires()
    {
        m_credentials[u"c"_s] = clientCredentials();
        QVERIFY(fetch());
        QVERIFY(fetch());
        QCOMPARE(m_asked.size(), 1);
        QCOMPARE(bearers(), "Bearer token-1, Bearer token-1");
        QCOMPARE(m_asked.first().method, "POST");
        QCOMPARE(field(m_asked.first(), u"grant_type"_s), u"client_credentials"_s);
        QCOMPARE(field(m_asked.first(), u"client_id"_s), u"shop&co"_s);
        QCOMPARE(field(m_asked.first(), u"client_secret"_s), u"cl1ent s3cret"_s);
        QCOMPARE(field(m_asked.first(), u"scope"_s), u"orders read"_s);
        QCOMPARE(field(m_asked.first(), u"audience"_s), u"https://api.example"_s);
        QCOMPARE(m_secrets->redact(u"token-1"_s), u"••••"_s);
    }

    void aClientCanNameItselfInAHeader()
    {
        OAuth2Credential oauth = clientCredentials();
        oauth.basicClientAuth = true;
        m_credentials[u"c"_s] = oauth;
        QVERIFY(fetch());
        QCOMPARE(m_asked.first().header("Authorization"),
                 "Basic " + QByteArray("shop%26co:cl1ent%20s3cret").toBase64());
        QVERIFY(!m_asked.first().body.contains("client_id"));
    }

    void C42_aTokenThatExpiresDuringAWaitIsRenewedBeforeTheNextRequest()
    {
        m_credentials[u"c"_s] = clientCredentials();
        QVERIFY(fetch());
        m_clock.advance(7201s);
        QVERIFY(fetch());
        QCOMPARE(bearers(), "Bearer token-1, Bearer token-2");
        m_clock.advance(7100s); // a little before the end counts as the end
        QVERIFY(fetch());
        QCOMPARE(m_requests.last().header("Authorization"), "Bearer token-2");
        m_clock.advance(50s);
        QVERIFY(fetch());
        QCOMPARE(m_requests.last().header("Authorization"), "Bearer token-3");
    }

    void aSleepOrAClockThatIsSetKeepsNoTokenTooLong()
    {
        m_credentials[u"c"_s] = clientCredentials();
        QVERIFY(fetch());
        m_clock.sleep(2h);
        QVERIFY(fetch());
        QCOMPARE(m_requests.last().header("Authorization"), "Bearer token-2");
        m_clock.setWallClock(m_clock.now() - 24h);
        QVERIFY(fetch());
        QCOMPARE(m_requests.last().header("Authorization"), "Bearer token-2");
        m_clock.advance(2h);
        QVERIFY(fetch());
        QCOMPARE(m_requests.last().header("Authorization"), "Bearer token-3");
    }

    void expiryIsCountedByTheServersClock()
    {
        m_credentials[u"c"_s] = clientCredentials();
        // An hour ahead of ours: the token is as good as with clocks that agree.
        m_tokens = [this](const ServerRequest &) {
            return nextToken().with("Date", "Thu, 01 Jan 2026 01:00:00 GMT");
        };
        QVERIFY(fetch());
        m_clock.advance(7000s);
        QVERIFY(fetch());
        QCOMPARE(m_asked.size(), 1);
        m_clock.advance(200s);
        QVERIFY(fetch());
        QCOMPARE(m_asked.size(), 2);
    }

    void aRefusedTokenIsRenewedOnceAndNotTwice()
    {
        m_credentials[u"c"_s] = clientCredentials();
        m_api = [](const ServerRequest &request) {
            return request.header("Authorization") == "Bearer token-1" ? ServerReply::json("{}", 401)
                                                                       : ServerReply::json("[]");
        };
        QVERIFY(fetch());
        QCOMPARE(bearers(), "Bearer token-1, Bearer token-2");
        m_api = [](const ServerRequest &) { return ServerReply::json("{}", 401); };
        const auto refused = fetch();
        QVERIFY(!refused);
        QCOMPARE(refused.error().httpStatus, 401);
        QCOMPARE(bearers(), "Bearer token-1, Bearer token-2, Bearer token-2, Bearer token-3");
    }

    void C43_manyWhoNeedATokenAskForItOnce()
    {
        m_credentials[u"c"_s] = clientCredentials();
        m_tokens = [this](const ServerRequest &) {
            ServerReply reply = nextToken();
            reply.delay = 50ms;
            return reply;
        };
        std::vector<QCoro::Task<Result<Answer>>> tasks;
        for (int index = 0; index < 20; ++index)
            tasks.push_back(m_client->fetch(*prepared(), {}, {}));
        for (auto &task : tasks)
            QVERIFY(QCoro::waitFor(std::move(task)));
        QCOMPARE(m_asked.size(), 1);
        QCOMPARE(m_requests.size(), 20);
    }

    void C43_aRotatedRefreshTokenIsWrittenBeforeTheAccessTokenIsUsed()
    {
        m_credentials[u"c"_s] = refreshing(u"file:refresh"_s);
        write("first\n");
        m_tokens = [this](const ServerRequest &) {
            return nextToken(",\"expires_in\":600,\"refresh_token\":\"next-" +
                             QByteArray::number(m_asked.size()) + "\"");
        };
        QByteArrayList atUse;
        m_api = [&](const ServerRequest &) {
            atUse.append(written().trimmed());
            return ServerReply::json("[]");
        };
        QVERIFY(fetch());
        m_clock.advance(600s);
        QVERIFY(fetch());
        QCOMPARE(field(m_asked[0], u"grant_type"_s), u"refresh_token"_s);
        QCOMPARE(field(m_asked[0], u"refresh_token"_s), u"first"_s);
        QCOMPARE(field(m_asked[1], u"refresh_token"_s), u"next-1"_s);
        QCOMPARE(atUse, (QByteArrayList{"next-1", "next-2"}));
        const auto mode = QFile::permissions(m_folder->filePath(u"refresh"_s));
        QVERIFY(!(mode & (QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther | QFile::WriteOther)));
        for (const QString &secret : {u"next-1"_s, u"next-2"_s})
            QCOMPARE(m_secrets->redact(secret), u"••••"_s);

        // Another process has rotated it meanwhile.
        write("theirs");
        m_clock.advance(600s);
        QVERIFY(fetch());
        QCOMPARE(field(m_asked[2], u"refresh_token"_s), u"theirs"_s);
    }

    void whatCannotBeWrittenBackIsNotUsedAndTriedAgain()
    {
        m_credentials[u"c"_s] = refreshing(u"file:below/refresh"_s);
        QVERIFY(QDir(m_folder->path()).mkdir(u"below"_s));
        const QString path = m_folder->filePath(u"below/refresh"_s);
        {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write("first");
        }
        m_tokens = [&](const ServerRequest &) {
            // While the answer is on its way the folder is replaced by something that is none.
            QFile::remove(path);
            QDir(m_folder->path()).rmdir(u"below"_s);
            return nextToken(",\"refresh_token\":\"second\"");
        };
        const auto failed = fetch();
        QVERIFY(!failed);
        QCOMPARE(failed.error().kind, ErrorKind::Secret);
        QVERIFY(m_requests.isEmpty());
        QVERIFY(QDir(m_folder->path()).mkdir(u"below"_s));
        QVERIFY(fetch());
        QCOMPARE(m_asked.size(), 1); // nothing was lost: the token that came was kept
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), "second\n");
    }

    void aServerThatRotatesWhatStandsInTheEnvironmentIsAnError()
    {
        qputenv("WATUKUY_TEST_REFRESH", "from-env");
        m_credentials[u"c"_s] = refreshing(u"env:WATUKUY_TEST_REFRESH"_s);
        QVERIFY(fetch()); // the server keeps it: fine
        m_clock.advance(2h);
        m_tokens = [this](const ServerRequest &) { return nextToken(",\"refresh_token\":\"other\""); };
        const auto failed = fetch();
        QVERIFY(!failed);
        QVERIFY2(failed.error().oneLine().contains(u"environment variable"),
                 qPrintable(failed.error().oneLine()));
        QVERIFY(failed.error().nextStep.contains(u"${file:PATH}"));
    }

    void whatTheTokenServerSaysIsTold()
    {
        m_credentials[u"c"_s] = clientCredentials();
        m_tokens = [](const ServerRequest &) {
            return ServerReply::json(
                R"({"error":"invalid_client","error_description":"cl1ent s3cret is wrong"})", 401);
        };
        auto failed = fetch();
        QVERIFY(!failed);
        QVERIFY2(failed.error().detail.contains(u"invalid_client"), qPrintable(failed.error().oneLine()));
        QVERIFY(!failed.error().oneLine().contains(u"s3cret"));
        QVERIFY(m_requests.isEmpty());
        m_tokens = [](const ServerRequest &) { return ServerReply::json("{\"token\":1}"); };
        failed = fetch();
        QVERIFY(!failed && failed.error().detail.contains(u"access_token"));
        m_tokens = [this](const ServerRequest &) { return nextToken(); };
        QVERIFY(fetch());
    }

    void aTokenServerThatAsksToWaitIsNotAskedBefore()
    {
        m_credentials[u"c"_s] = clientCredentials();
        m_tokens = [](const ServerRequest &) {
            return ServerReply::json("{}", 429).with("Retry-After", "120");
        };
        const Instant now = m_clock.now();
        for (int key = 0; key < 3; ++key) {
            const auto failed = fetch();
            QVERIFY(!failed);
            QCOMPARE(failed.error().notBefore, std::optional(now + 120s));
        }
        QCOMPARE(m_asked.size(), 1);
        m_tokens = [this](const ServerRequest &) { return nextToken(); };
        m_clock.advance(121s);
        QVERIFY(fetch());
        QCOMPARE(m_asked.size(), 2);
    }

    void aTokenThatNoHeaderCanCarryIsRefusedAndNotKept()
    {
        m_credentials[u"c"_s] = clientCredentials();
        m_tokens = [](const ServerRequest &) {
            return ServerReply::json("{\"access_token\":\"a\\r\\nX-Evil: 1\",\"expires_in\":7200}");
        };
        const auto failed = fetch();
        QVERIFY(!failed);
        QVERIFY2(failed.error().detail.contains(u"no header may carry"),
                 qPrintable(failed.error().oneLine()));
        m_tokens = [this](const ServerRequest &) { return nextToken(); };
        QVERIFY(fetch());
        QCOMPARE(bearers(), "Bearer token-2");
    }

    void aTokenThatRunsOutWhileItsRequestQueuesIsRenewed()
    {
        m_credentials[u"c"_s] = clientCredentials();
        auto request = prepared();
        int turns = 0;
        request->mayLeave = [&](Request *) {
            m_clock.advance(++turns == 1 ? 7201s : 0s);
            return leave();
        };
        QVERIFY(QCoro::waitFor(m_client->fetch(std::move(*request), {}, {})));
        QCOMPARE(bearers(), "Bearer token-2");
        QCOMPARE(turns, 2);

        m_tokens = [this](const ServerRequest &) { return nextToken(",\"expires_in\":0"); };
        m_clock.advance(7201s);
        QVERIFY(fetch()); // good for no time at all: it is sent in the end
    }

    void aRedirectToAnotherOriginTakesNoTokenAlong()
    {
        m_credentials[u"c"_s] = clientCredentials();
        QList<ServerRequest> elsewhere;
        HttpServer other([&](const ServerRequest &request) {
            elsewhere.append(request);
            return ServerReply::json("[]");
        });
        QVERIFY(other.start());
        m_api = [&](const ServerRequest &) {
            return ServerReply{.status = 302, .headers = {{"Location", other.url().toEncoded()}}, .body = {}};
        };
        auto request = prepared();
        request->redirects = Redirects::Any;
        QVERIFY(QCoro::waitFor(m_client->fetch(std::move(*request), {}, {})));
        QCOMPARE(elsewhere.size(), 1);
        QVERIFY(elsewhere.first().header("Authorization").isEmpty());
    }

    void aSignatureIsMadeWhenItsRequestLeaves()
    {
        m_credentials[u"c"_s] = HmacCredential{.key = pattern(u"${env:WATUKUY_TEST_CLIENT}"_s),
                                               .payload = pattern(u"${path} ${timestamp}"_s),
                                               .algorithm = u"sha256"_s,
                                               .header = u"X-Signature"_s,
                                               .encoding = u"hex"_s};
        m_api = [](const ServerRequest &request) {
            if (request.path == u"/orders")
                return ServerReply{.status = 302, .headers = {{"Location", "/moved"}}, .body = {}};
            return ServerReply::json("[]");
        };
        auto request = prepared();
        request->mayLeave = [&](Request *) {
            m_clock.advance(10min); // it had to queue
            return leave();
        };
        QVERIFY(QCoro::waitFor(m_client->fetch(std::move(*request), {}, {})));
        QCOMPARE(m_requests.size(), 2);
        for (const ServerRequest &came : m_requests)
            QCOMPARE(came.header("X-Signature"),
                     QMessageAuthenticationCode::hash(came.target + ' ' + came.header("X-Timestamp"),
                                                      "cl1ent s3cret", QCryptographicHash::Sha256)
                         .toHex());
        QCOMPARE(m_requests[1].header("X-Timestamp").toLongLong(), toEpochMs(m_clock.now()) / 1000);
        QCOMPARE(m_requests[1].header("X-Timestamp").toLongLong() -
                     m_requests[0].header("X-Timestamp").toLongLong(),
                 600);
    }

    void aSignatureKnowsWhatTheRequestWasPreparedWith()
    {
        m_credentials[u"c"_s] = HmacCredential{.key = pattern(u"${env:WATUKUY_TEST_CLIENT}"_s),
                                               .payload = pattern(u"${partition.key}:${path}"_s),
                                               .algorithm = u"sha256"_s,
                                               .header = u"X-Signature"_s,
                                               .encoding = u"hex"_s};
        RequestDefinition definition;
        definition.url = pattern(m_server->url().toString() + u"/orders"_s);
        definition.credential = u"c"_s;
        std::optional<Request> request;
        {
            const auto partition = std::make_unique<QString>(u"north"_s);
            request = *m_client->prepare(
                definition, [&](const QString &) -> Result<std::optional<QString>> { return *partition; });
        }
        QVERIFY(QCoro::waitFor(m_client->fetch(*request, {}, {})));
        QCOMPARE(
            m_requests.first().header("X-Signature"),
            QMessageAuthenticationCode::hash("north:/orders", "cl1ent s3cret", QCryptographicHash::Sha256)
                .toHex());
        QVERIFY(m_requests.first().header("X-Timestamp").isEmpty());
    }

    void aSignatureCoversWhatIsSent_data()
    {
        QTest::addColumn<QString>("algorithm");
        QTest::addColumn<QString>("encoding");
        QTest::newRow("sha256, hex") << u"sha256"_s << u"hex"_s;
        QTest::newRow("sha512, base64") << u"sha512"_s << u"base64"_s;
    }
    void aSignatureCoversWhatIsSent()
    {
        QFETCH(QString, algorithm);
        QFETCH(QString, encoding);
        m_credentials[u"c"_s] =
            HmacCredential{.key = pattern(u"${env:WATUKUY_TEST_CLIENT}"_s),
                           .payload = pattern(u"${method}\n${path}\n${timestamp}\n${body}"_s),
                           .algorithm = algorithm,
                           .header = u"X-Signature"_s,
                           .encoding = encoding};
        auto request = prepared(u"/orders?from=a%20b"_s);
        request->method = "POST";
        request->body = "{\"name\":\"Zoë\"}";
        QVERIFY(carriesNothingYet(*request));
        QVERIFY(QCoro::waitFor(m_client->fetch(*request, {}, {})));
        const ServerRequest &came = m_requests.first();
        QCOMPARE(came.header("X-Timestamp"), QByteArray::number(toEpochMs(m_clock.now()) / 1000));
        const QByteArray payload =
            "POST\n" + came.target + "\n" + came.header("X-Timestamp") + "\n" + came.body;
        const QByteArray code = QMessageAuthenticationCode::hash(
            payload, "cl1ent s3cret",
            algorithm == u"sha512" ? QCryptographicHash::Sha512 : QCryptographicHash::Sha256);
        QCOMPARE(came.header("X-Signature"), encoding == u"hex" ? code.toHex() : code.toBase64());
        m_clock.advance(10min);
        QVERIFY(QCoro::waitFor(m_client->fetch(std::move(*request), {}, {})));
        QVERIFY(m_requests[1].header("X-Signature") != came.header("X-Signature")); // signed afresh
    }

private:
    static QCoro::Task<Result<void>> leave() { co_return Result<void>{}; }
    static bool carriesNothingYet(const Request &request)
    {
        return std::ranges::none_of(request.headers, [](const auto &header) {
            return header.first.compare("x-signature", Qt::CaseInsensitive) == 0;
        });
    }
};

QTEST_GUILESS_MAIN(TestCredentials)
#include "test_credentials.moc"
