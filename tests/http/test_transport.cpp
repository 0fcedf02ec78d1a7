// SPDX-License-Identifier: GPL-3.0-or-later
// The transport against a server that answers well, badly, slowly, partly and not at all.
#include <deque>

#include <zlib.h>

#include <QElapsedTimer>
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

enum class Wrapping { Gzip, Zlib, Raw };

QByteArray compressed(const QByteArray &plain, Wrapping wrapping = Wrapping::Gzip)
{
    z_stream z{};
    const int window = wrapping == Wrapping::Gzip   ? MAX_WBITS + 16
                       : wrapping == Wrapping::Zlib ? MAX_WBITS
                                                    : -MAX_WBITS;
    deflateInit2(&z, 6, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY);
    QByteArray out(static_cast<qsizetype>(deflateBound(&z, static_cast<uLong>(plain.size()))),
                   Qt::Uninitialized);
    z.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(plain.constData()));
    z.avail_in = static_cast<uInt>(plain.size());
    z.next_out = reinterpret_cast<Bytef *>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    deflate(&z, Z_FINISH);
    out.truncate(static_cast<qsizetype>(z.total_out));
    deflateEnd(&z);
    return out;
}

const QByteArray listing = R"({"items":[{"id":1},{"id":2}]})";

} // namespace

class TestTransport : public QObject {
    Q_OBJECT

    std::unique_ptr<HttpServer> m_server;
    std::unique_ptr<NetworkTransport> m_transport;
    std::function<ServerReply(const ServerRequest &)> m_handler;
    QList<ServerRequest> m_requests;

    [[nodiscard]] Request request(const QString &path = u"/"_s) const
    {
        Request made;
        made.url = m_server->url().resolved(QUrl(path));
        made.timeout = Duration{5'000};
        return made;
    }

    Result<Response> send(const Request &asked) { return QCoro::waitFor(m_transport->send(asked)); }

    /// Sends without waiting; the result lands in `into`.
    QCoro::Task<> start(Request asked, std::deque<Result<Response>> *into)
    {
        auto result = co_await m_transport->send(std::move(asked));
        into->push_back(std::move(result));
    }

    void answerWith(ServerReply reply)
    {
        m_handler = [reply = std::move(reply)](const ServerRequest &) { return reply; };
    }

private Q_SLOTS:
    void init()
    {
        m_requests.clear();
        m_server = std::make_unique<HttpServer>([this](const ServerRequest &asked) {
            m_requests += asked;
            return m_handler(asked);
        });
        QVERIFY(m_server->start());
        m_transport = std::make_unique<NetworkTransport>();
        answerWith(ServerReply::json(listing));
    }

    void cleanup()
    {
        m_transport.reset();
        m_server.reset();
    }

    void anAnswerComesWhole()
    {
        m_handler = [](const ServerRequest &) {
            return ServerReply::json(listing).with("ETag", "W/\"abc\"");
        };
        Request asked = request(u"/a%2Fb?x=%2B1&y=a,b"_s);
        asked.headers = {{"X-One", "1"}, {"User-Agent", "Watukuy/test"}};
        const auto response = send(asked);
        QVERIFY2(response, response ? "" : qPrintable(response.error().oneLine()));
        QCOMPARE(response->status, 200);
        QCOMPARE(response->body, listing);
        QCOMPARE(response->header("etag"), QByteArray("W/\"abc\""));
        QVERIFY(response->hasHeader("CONTENT-TYPE"));
        QCOMPARE(response->finalUrl, asked.url);
        QCOMPARE(m_requests.size(), 1);
        QCOMPARE(m_requests[0].target, QByteArray("/a%2Fb?x=%2B1&y=a,b"));
        QCOMPARE(m_requests[0].header("x-one"), QByteArray("1"));
        QCOMPARE(m_requests[0].header("user-agent"), QByteArray("Watukuy/test"));
    }

    void everyStatusIsAnAnswer_data()
    {
        QTest::addColumn<int>("status");
        for (const int status : {200, 201, 204, 304, 400, 401, 403, 404, 405, 407, 408, 409,
                                 410, 418, 422, 429, 451, 500, 501, 502, 503, 504, 599})
            QTest::addRow("%d", status) << status;
    }

    void everyStatusIsAnAnswer()
    {
        QFETCH(const int, status);
        ServerReply reply = ServerReply::json(R"({"title":"T"})", status);
        if (status == 401)
            reply.with("WWW-Authenticate", "Basic realm=\"x\"");
        answerWith(reply);
        const auto response = send(request());
        QVERIFY2(response, response ? "" : qPrintable(response.error().oneLine()));
        QCOMPARE(response->status, status);
        QCOMPARE(response->body.isEmpty(), status == 204 || status == 304);
        QCOMPARE(m_server->requestCount(), 1);
    }

    void connectionsAreKept()
    {
        for (int count = 0; count < 5; ++count)
            QVERIFY(send(request()));
        QCOMPARE(m_server->connectionCount(), 1);
    }

    void aConnectionThatWasClosedMeanwhileIsReplaced()
    {
        ServerReply reply = ServerReply::json(listing);
        reply.truncateAfter = listing.size(); // whole, then closed without a word
        answerWith(reply);
        for (int count = 0; count < 10; ++count) {
            const auto response = send(request());
            QVERIFY2(response, response ? "" : qPrintable(response.error().oneLine()));
            QTest::qWait(20);
        }
        QCOMPARE(m_server->requestCount(), 10);
    }

    void bodiesAreSentOnceWithTheirLength_data()
    {
        QTest::addColumn<QByteArray>("method");
        QTest::addColumn<QByteArray>("body");
        QTest::newRow("POST") << QByteArray("POST") << QByteArray(R"({"a":1})");
        QTest::newRow("empty POST") << QByteArray("POST") << QByteArray();
        QTest::newRow("large PUT") << QByteArray("PUT") << QByteArray(3'000'000, 'x');
        QTest::newRow("GET with a body") << QByteArray("GET") << QByteArray(R"({"query":{}})");
        QTest::newRow("REPORT") << QByteArray("REPORT") << QByteArray("r");
    }

    void bodiesAreSentOnceWithTheirLength()
    {
        QFETCH(const QByteArray, method);
        QFETCH(const QByteArray, body);
        Request asked = request();
        asked.method = method;
        asked.body = body;
        asked.headers = {{"Content-Type", "application/json"}};
        const auto response = send(asked);
        QVERIFY2(response, response ? "" : qPrintable(response.error().oneLine()));
        QCOMPARE(m_requests.size(), 1);
        QCOMPARE(m_requests[0].method, method);
        QCOMPARE(m_requests[0].body, body);
        QCOMPARE(m_requests[0].header("Content-Type"), QByteArray("application/json"));
    }

    void whatMayHaveTakenEffectIsNotSentTwice_data()
    {
        QTest::addColumn<QByteArray>("method");
        QTest::addColumn<QByteArray>("body");
        QTest::newRow("POST") << QByteArray("POST") << QByteArray("once");
        QTest::newRow("empty POST") << QByteArray("POST") << QByteArray();
        QTest::newRow("PUT") << QByteArray("PUT") << QByteArray("once");
    }

    void whatMayHaveTakenEffectIsNotSentTwice()
    {
        QFETCH(const QByteArray, method);
        QFETCH(const QByteArray, body);
        ServerReply drop;
        drop.resetAfter = -1;
        Request asked = request();
        asked.method = method;
        asked.body = body;
        QVERIFY(send(request())); // a kept connection is where the repetition lurks
        answerWith(drop);
        const auto response = send(asked);
        QVERIFY(!response);
        QCOMPARE(response.error().kind, ErrorKind::Network);
        QCOMPARE(m_requests.size(), 2);
        QVERIFY2(response.error().nextStep.contains(u"not sent a second time"),
                 qPrintable(response.error().nextStep));
    }

    void C34_aBodyShorterThanItsLengthIsAFailure()
    {
        ServerReply reply = ServerReply::json("{\"items\":[]}  ");
        reply.declaredLength = 10'000;
        answerWith(reply);
        const auto response = send(request());
        QVERIFY(!response);
        QCOMPARE(response.error().kind, ErrorKind::Network);
        QVERIFY(response.error().retryable);
    }

    void C34_aCutChunkedBodyIsAFailure_data()
    {
        QTest::addColumn<qint64>("bytes");
        QTest::newRow("in the first chunk") << qint64(100);
        QTest::newRow("between two chunks") << qint64(8 * 1024);
        QTest::newRow("later") << qint64(100'000);
    }

    void C34_aCutChunkedBodyIsAFailure()
    {
        QFETCH(const qint64, bytes);
        ServerReply reply = ServerReply::json(QByteArray(200'000, ' '));
        reply.chunked = true;
        answerWith(reply);
        QVERIFY(send(request()));
        reply.truncateAfter = bytes;
        answerWith(reply);
        const auto response = send(request());
        QVERIFY2(!response, "a cut body passed as a whole one");
        QCOMPARE(response.error().kind, ErrorKind::Network);
    }

    void C34_aChunkedBodyThatEndsInsideAChunkIsAFailure()
    {
        ServerReply reply;
        reply.raw = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
                    "20\r\n[{\"id\":1}]";
        answerWith(reply);
        QVERIFY(!send(request()));
    }

    void aBodyThatEndsWithItsConnectionIsWholeOrAFailureAndNeverAPart()
    {
        const QByteArray large = '[' + QByteArray(3'000'000, ' ') + ']';
        answerWith({.raw = "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n" + large});
        auto response = send(request());
        for (int again = 0; again < 20 && !response; ++again, response = send(request()))
            QCOMPARE(response.error().name, u"ConnectionClosed"_s); // Qt takes it for a drop at times
        QVERIFY(response);
        QCOMPARE(response->body.size(), large.size());
    }

    void C35_compressedBodiesAreUndone_data()
    {
        QTest::addColumn<QByteArray>("encoding");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QByteArray>("plain");
        QTest::newRow("gzip") << QByteArray("gzip") << compressed(listing) << listing;
        QTest::newRow("x-gzip, upper case") << QByteArray("X-GZIP") << compressed(listing) << listing;
        QTest::newRow("deflate") << QByteArray("deflate") << compressed(listing, Wrapping::Zlib) << listing;
        for (const int size : {65'535, 65'536, 65'537, 200'000})
            QTest::addRow("raw deflate of %d", size)
                << QByteArray("deflate") << compressed(QByteArray(size, ' '), Wrapping::Raw)
                << QByteArray(size, ' ');
        QTest::newRow("raw deflate") << QByteArray("deflate") << compressed(listing, Wrapping::Raw)
                                     << listing;
        QTest::newRow("identity") << QByteArray("identity") << listing << listing;
        QTest::newRow("two members") << QByteArray("gzip") << compressed("[1,") + compressed("2]")
                                     << QByteArray("[1,2]");
        QTest::newRow("nothing") << QByteArray("gzip") << QByteArray() << QByteArray();
        const QByteArray large(20'000'000, 'a');
        QTest::newRow("a thousandfold") << QByteArray("gzip") << compressed(large) << large;
    }

    void C35_compressedBodiesAreUndone()
    {
        QFETCH(const QByteArray, encoding);
        QFETCH(const QByteArray, body);
        QFETCH(const QByteArray, plain);
        for (const bool chunked : {false, true}) {
            ServerReply reply = ServerReply::json(body).with("Content-Encoding", encoding);
            reply.chunked = chunked;
            answerWith(reply);
            const auto response = send(request());
            QVERIFY2(response, response ? "" : qPrintable(response.error().oneLine()));
            QVERIFY(response->body == plain);
        }
    }

    void C35_whatIsNotWhatItSaysIsAFailure_data()
    {
        QTest::addColumn<QByteArray>("encoding");
        QTest::addColumn<QByteArray>("body");
        const QByteArray zipped = compressed(QByteArray(100'000, 'x') + listing);
        QTest::newRow("plain as gzip") << QByteArray("gzip") << listing;
        QTest::newRow("gzip that ends early") << QByteArray("gzip") << zipped.left(zipped.size() - 20);
        QTest::newRow("gzip without its last byte") << QByteArray("gzip") << zipped.left(zipped.size() - 1);
        QTest::newRow("one byte") << QByteArray("gzip") << zipped.left(1);
        QByteArray damaged = zipped;
        damaged[damaged.size() - 6] = char(damaged[damaged.size() - 6] ^ 0x55);
        QTest::newRow("wrong checksum") << QByteArray("gzip") << damaged;
        QTest::newRow("second member cut") << QByteArray("gzip") << zipped + zipped.left(30);
        QTest::newRow("not asked for") << QByteArray("br") << listing;
    }

    void C35_whatIsNotWhatItSaysIsAFailure()
    {
        QFETCH(const QByteArray, encoding);
        QFETCH(const QByteArray, body);
        answerWith(ServerReply::json(body).with("Content-Encoding", encoding));
        const auto response = send(request());
        QVERIFY(!response);
        QCOMPARE(response.error().kind, ErrorKind::Network);
        QCOMPARE(response.error().name, u"ContentEncodingError"_s);
        QVERIFY2(response.error().detail.contains(QString::fromLatin1(encoding)),
                 qPrintable(response.error().detail));
    }

    void bodiesAreCappedAfterDecompression_data()
    {
        QTest::addColumn<ServerReply>("reply");
        const QByteArray large(300'000, 'a');
        QTest::newRow("plain") << ServerReply::json(large);
        ServerReply chunked = ServerReply::json(large);
        chunked.chunked = true;
        QTest::newRow("chunked") << chunked;
        QTest::newRow("gzip") << ServerReply::json(compressed(large)).with("Content-Encoding", "gzip");
    }

    void bodiesAreCappedAfterDecompression()
    {
        QFETCH(const ServerReply, reply);
        answerWith(reply);
        Request asked = request();
        asked.maxBytes = 300'000;
        QVERIFY(send(asked));
        asked.maxBytes = 299'999;
        const auto response = send(asked);
        QVERIFY(!response);
        QCOMPARE(response.error().name, u"BodyTooLarge"_s);
        QVERIFY(!response.error().retryable);
        QVERIFY(response.error().nextStep.contains(u"request.maxBytes"));
    }

    void C65_theTotalDeadlineEndsADrip()
    {
        ServerReply reply = ServerReply::json(QByteArray(100'000, ' '));
        reply.dripBytesPerSecond = 500;
        answerWith(reply);
        Request asked = request(u"/slow?key=hidden"_s);
        asked.timeout = Duration{400};
        QElapsedTimer took;
        took.start();
        const auto response = send(asked);
        QVERIFY(!response);
        QCOMPARE(response.error().name, u"TimeoutError"_s);
        QVERIFY2(took.elapsed() >= 395 && took.elapsed() < 3'000,
                 qPrintable(QString::number(took.elapsed())));
        QVERIFY2(response.error().detail.contains(u"bytes had come"), qPrintable(response.error().detail));
        QVERIFY(!response.error().oneLine().contains(u"hidden"));
    }

    void theDeadlineCountsWhileNothingComes()
    {
        ServerReply reply = ServerReply::json(listing);
        reply.delay = std::chrono::milliseconds{20'000};
        answerWith(reply);
        Request asked = request();
        asked.timeout = Duration{300};
        const auto response = send(asked);
        QVERIFY(!response);
        QCOMPARE(response.error().name, u"TimeoutError"_s);
        answerWith(ServerReply::json(listing));
        QVERIFY(send(request()));
    }

    void aResetIsAFailure_data()
    {
        QTest::addColumn<qint64>("after");
        QTest::newRow("before the answer") << qint64(-1);
        QTest::newRow("after the headers") << qint64(0);
        QTest::newRow("inside the body") << qint64(10);
    }

    void aResetIsAFailure()
    {
        QFETCH(const qint64, after);
        ServerReply reply = ServerReply::json(listing);
        reply.resetAfter = after;
        answerWith(reply);
        const auto response = send(request());
        QVERIFY(!response);
        QCOMPARE(response.error().kind, ErrorKind::Network);
        QVERIFY2(response.error().title.contains(u"127.0.0.1:"), qPrintable(response.error().title));
        QCOMPARE(m_requests.size(), 1);
    }

    void whatIsNotHttpIsAFailure()
    {
        ServerReply reply;
        reply.raw = "SSH-2.0-OpenSSH_9.2p1\r\n";
        answerWith(reply);
        const auto response = send(request());
        QVERIFY(!response);
        QCOMPARE(response.error().kind, ErrorKind::Network);
    }

    void nobodyListensIsSaidWithHostAndPort()
    {
        Request asked = request();
        m_server.reset();
        const auto response = send(asked);
        QVERIFY(!response);
        QCOMPARE(response.error().title, u"Nobody listens at 127.0.0.1:%1"_s.arg(asked.url.port()));
        QVERIFY(response.error().nextStep.contains(u"request.url"));
        QVERIFY(response.error().retryable);
    }

    void anUnknownNameIsSaid()
    {
        Request asked = request();
        asked.url = QUrl(u"http://name.invalid/list?key=hidden"_s);
        const auto response = send(asked);
        QVERIFY(!response);
        QCOMPARE(response.error().title, u"Name not found: name.invalid"_s);
        QVERIFY(!response.error().oneLine().contains(u"hidden"));
    }

    void otherSchemesAreRefused()
    {
        Request asked;
        asked.url = QUrl(u"file:///etc/passwd"_s);
        QVERIFY(!send(asked));
    }

    void sixRequestsAtOncePerHostAndTheRestInTurn()
    {
        m_handler = [](const ServerRequest &) {
            ServerReply reply = ServerReply::json(listing);
            reply.delay = std::chrono::milliseconds{30};
            return reply;
        };
        std::deque<Result<Response>> results;
        for (int count = 0; count < 20; ++count)
            start(request(u"/%1"_s.arg(count)), &results);
        QTRY_COMPARE(results.size(), 20u);
        QVERIFY(std::ranges::all_of(results, [](const auto &result) { return result.has_value(); }));
        QCOMPARE(m_server->mostUnderWay(), 6);
        QCOMPARE(m_server->connectionCount(), 6);
        QStringList order;
        for (const ServerRequest &asked : m_requests)
            order += asked.path;
        QCOMPARE(order.first(), u"/0"_s);
        QCOMPARE(order.last(), u"/19"_s);
    }

    void timeInTheQueueIsNotCounted()
    {
        m_handler = [](const ServerRequest &) {
            ServerReply reply = ServerReply::json(listing);
            reply.delay = std::chrono::milliseconds{300};
            return reply;
        };
        std::deque<Result<Response>> results;
        for (int count = 0; count < 18; ++count) {
            Request asked = request();
            asked.timeout = Duration{700};
            start(asked, &results);
        }
        QTRY_COMPARE(results.size(), 18u);
        for (const auto &result : results)
            QVERIFY2(result, result ? "" : qPrintable(result.error().oneLine()));
    }

    void abortAllEndsWhatRunsAndWhatWaits()
    {
        ServerReply reply = ServerReply::json(listing);
        reply.delay = std::chrono::milliseconds{20'000};
        answerWith(reply);
        std::deque<Result<Response>> results;
        for (int count = 0; count < 10; ++count)
            start(request(), &results);
        QTRY_COMPARE(m_server->requestCount(), 6);
        m_transport->abortAll();
        QTRY_COMPARE(results.size(), 10u);
        for (const auto &result : results) {
            QVERIFY(!result);
            QCOMPARE(result.error().kind, ErrorKind::Cancelled);
        }
        QCOMPARE(m_server->requestCount(), 6);
        answerWith(ServerReply::json(listing));
        QVERIFY(send(request()));
    }

    void aTransportThatGoesEndsItsRequests()
    {
        ServerReply reply = ServerReply::json(listing);
        reply.delay = std::chrono::milliseconds{20'000};
        answerWith(reply);
        std::deque<Result<Response>> results;
        for (int count = 0; count < 8; ++count)
            start(request(), &results);
        QTRY_COMPARE(m_server->requestCount(), 6);
        m_transport.reset();
        QTRY_COMPARE(results.size(), 8u);
        QCOMPARE(results.front().error().kind, ErrorKind::Cancelled);
    }

    void aLargeListingComesFast()
    {
        const QByteArray large = '[' + QByteArray(40'000'000, ' ') + ']';
        answerWith(ServerReply::json(large));
        Request asked = request();
        asked.timeout = Duration{20'000};
        const auto response = send(asked);
        QVERIFY2(response, response ? "" : qPrintable(response.error().oneLine()));
        QCOMPARE(response->body.size(), large.size());
    }

    void certificatesAreChecked()
    {
        const SelfSigned identity = makeSelfSigned("Watukuy test");
        QSslConfiguration configuration;
        configuration.setLocalCertificate(QSslCertificate(identity.certificate));
        configuration.setPrivateKey(QSslKey(identity.key, QSsl::Ec));
        m_server->useTls(configuration);
        auto response = send(request(u"/?key=hidden"_s));
        QVERIFY(!response);
        QCOMPARE(response.error().name, u"TlsError"_s);
        QVERIFY2(response.error().detail.contains(u"self-signed"), qPrintable(response.error().detail));
        QVERIFY(!response.error().oneLine().contains(u"hidden"));
        QCOMPARE(m_server->requestCount(), 0);

        QTemporaryDir folder;
        QFile file(folder.filePath(u"ca.pem"_s));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(identity.certificate) > 0);
        file.close();
        Request asked = request();
        asked.tlsCa = file.fileName();
        response = send(asked);
        QVERIFY2(response, response ? "" : qPrintable(response.error().oneLine()));
        QCOMPARE(response->body, listing);
        response = send(request()); // the connection that was made with the own authority is not shared
        QVERIFY(!response);

        asked.tlsCa = folder.filePath(u"missing.pem"_s);
        response = send(asked);
        QVERIFY(!response);
        QCOMPARE(response.error().kind, ErrorKind::Workspace);
        QVERIFY2(response.error().oneLine().contains(u"missing.pem"), qPrintable(response.error().oneLine()));
    }

    void theClientCertificateIsShownOnlyWhereAsked()
    {
        const SelfSigned identity = makeSelfSigned("Watukuy server");
        const SelfSigned client = makeSelfSigned("Watukuy client");
        QSslConfiguration configuration;
        configuration.setLocalCertificate(QSslCertificate(identity.certificate));
        configuration.setPrivateKey(QSslKey(identity.key, QSsl::Ec));
        configuration.setCaCertificates({QSslCertificate(client.certificate)});
        configuration.setPeerVerifyMode(QSslSocket::VerifyPeer);
        m_server->useTls(configuration);
        QTemporaryDir folder;
        const auto written = [&](const QString &name, const QByteArray &content) {
            QFile file(folder.filePath(name));
            return file.open(QIODevice::WriteOnly) && file.write(content) > 0 ? file.fileName() : QString();
        };
        Request asked = request();
        asked.tlsCa = written(u"ca.pem"_s, identity.certificate);
        QVERIFY(!send(asked));
        asked.tlsCertificate = written(u"client.pem"_s, client.certificate);
        asked.tlsKey = written(u"client.key"_s, client.key);
        const auto response = send(asked);
        QVERIFY2(response, response ? "" : qPrintable(response.error().oneLine()));
        asked.tlsCertificate.clear();
        QVERIFY(!send(asked));
    }
};

QTEST_GUILESS_MAIN(TestTransport)
#include "test_transport.moc"
