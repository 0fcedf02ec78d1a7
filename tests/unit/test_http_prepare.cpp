// SPDX-License-Identifier: GPL-3.0-or-later
// From a declared request to the bytes that go out.
#include <QTemporaryDir>
#include <QTest>

#include "engine/http/client.h"
#include "engine/http/jsonbody.h"

using namespace Qt::StringLiterals;
using namespace watukuy;
using namespace watukuy::http;

namespace {

class NoTransport final : public Transport {
public:
    QCoro::Task<Result<Response>> send(Request) override { co_return Response(); }
    void abortAll() override {}
};

Template pattern(const QString &text)
{
    const auto parsed = Template::parse(text);
    return parsed ? *parsed : Template();
}

Result<std::optional<QString>> lookUp(const QString &name)
{
    static const QHash<QString, QString> values{{u"cursor.value"_s, u"2026-01-01T00:00:00+02:00"_s},
                                                {u"cursor.tieBreak"_s, u"17"_s},
                                                {u"partition.key"_s, u"a/b c?d"_s},
                                                {u"partition.data.up"_s, u".."_s},
                                                {u"partition.data.url"_s, u"https://t1.example.com/api"_s},
                                                {u"var.api"_s, u"http://127.0.0.1:8765/v1"_s},
                                                {u"page"_s, u"3"_s},
                                                {u"lines"_s, u"a\r\nX-Evil: 1"_s},
                                                {u"code"_s, u"007"_s},
                                                {u"quote"_s, u"a\"b\\"_s}};
    const auto value = values.find(name);
    return value == values.end() ? std::optional<QString>() : std::optional(*value);
}

QByteArray headerOf(const Request &request, QByteArrayView name)
{
    for (const auto &[key, value] : request.headers) {
        if (key.compare(name, Qt::CaseInsensitive) == 0)
            return value;
    }
    return {};
}

} // namespace

class TestHttpPrepare : public QObject {
    Q_OBJECT

    NoTransport m_transport;
    SystemClock m_clock;
    Secrets m_secrets{QString()};
    std::map<QString, CredentialDefinition> m_credentials;

    Result<Request> prepare(const RequestDefinition &definition, const QString &url = {})
    {
        Client client(m_transport, m_clock, m_secrets, m_credentials);
        return client.prepare(definition, lookUp, url);
    }

    static RequestDefinition at(const QString &url)
    {
        RequestDefinition definition;
        definition.url = pattern(url);
        return definition;
    }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("WATUKUY_TEST_TOKEN", "t0p secret+/=");
        m_credentials.emplace(u"bearer"_s, BearerCredential{pattern(u"${env:WATUKUY_TEST_TOKEN}"_s)});
        m_credentials.emplace(u"basic"_s,
                              BasicCredential{pattern(u"user"_s), pattern(u"${env:WATUKUY_TEST_TOKEN}"_s)});
        for (const auto in :
             {ApiKeyCredential::In::Header, ApiKeyCredential::In::Query, ApiKeyCredential::In::Cookie})
            m_credentials.emplace(u"key%1"_s.arg(int(in)),
                                  ApiKeyCredential{in, u"X-Key"_s, pattern(u"${env:WATUKUY_TEST_TOKEN}"_s)});
        m_credentials.emplace(u"missing"_s, BearerCredential{pattern(u"${env:WATUKUY_TEST_NOT_SET}"_s)});
    }

    void queryValuesAreEscapedSoThatServersReadThemBack()
    {
        RequestDefinition definition = at(u"${var.api}/orders?fixed=a+b"_s);
        definition.query = {{u"updated_since"_s, pattern(u"${cursor.value}"_s)},
                            {u"after"_s, pattern(u"${cursor.nothing}"_s)},
                            {u"f[]"_s, pattern(u"a&b=c d~\u20ac"_s)},
                            {u"limit"_s, pattern(u"500"_s)}};
        const auto request = prepare(definition);
        QVERIFY(request);
        QCOMPARE(
            request->url.toEncoded(),
            QByteArray(
                "http://127.0.0.1:8765/v1/orders?fixed=a+b&updated_since=2026-01-01T00%3A00%3A00%2B02%3A00"
                "&f%5B%5D=a%26b%3Dc%20d~%E2%82%AC&limit=500"));
    }

    void pathPlaceholdersStayInsideTheirSegment()
    {
        const auto request = prepare(at(u"https://h/tenants/${partition.key}/orders?p=${partition.key}"_s));
        QVERIFY(request);
        QCOMPARE(request->url.toEncoded(),
                 QByteArray("https://h/tenants/a%2Fb%20c%3Fd/orders?p=a%2Fb%20c%3Fd"));
        QCOMPARE(prepare(at(u"${partition.data.url}/orders"_s))->url.toEncoded(),
                 QByteArray("https://t1.example.com/api/orders"));
        const auto up = prepare(at(u"https://h/tenants/${partition.data.up}/orders"_s));
        QVERIFY(!up);
        QVERIFY(up.error().title.contains(u".."));
    }

    void addressesThatCannotBeAskedAreRefused()
    {
        for (const QString &url :
             {u"ftp://h/x"_s, u"h/x"_s, u"${nothing}"_s, u"file:///etc/passwd"_s, u"https://u:p@h/"_s}) {
            const auto request = prepare(at(url));
            QVERIFY2(!request, qPrintable(url));
            QCOMPARE(request.error().kind, ErrorKind::Workspace);
            QVERIFY(!request.error().oneLine().contains(u":p@"));
        }
    }

    void aValueCannotWriteHeadersOfItsOwn()
    {
        RequestDefinition definition = at(u"https://h/"_s);
        definition.headers = {{u"X-A"_s, pattern(u"${lines}"_s)}};
        const auto request = prepare(definition);
        QVERIFY(!request);
        QVERIFY2(request.error().title.contains(u"X-A"), qPrintable(request.error().title));
        definition.headers = {{u"X A"_s, pattern(u"1"_s)}};
        QVERIFY(!prepare(definition));
        definition.headers = {{u"Content-Length"_s, pattern(u"1"_s)}};
        QVERIFY(!prepare(definition));
    }

    void headersHaveDefaultsThatTheWorkspaceOverrides()
    {
        RequestDefinition definition = at(u"https://h/"_s);
        auto request = prepare(definition);
        QCOMPARE(headerOf(*request, "accept"), QByteArray("application/json"));
        QCOMPARE(headerOf(*request, "user-agent"), QByteArray("Watukuy/" WATUKUY_VERSION));
        definition.headers = {{u"ACCEPT"_s, pattern(u"text/csv"_s)}, {u"X-Null"_s, pattern(u"${nothing}"_s)}};
        request = prepare(definition);
        QCOMPARE(headerOf(*request, "accept"), QByteArray("text/csv"));
        QCOMPARE(request->headers.size(), 2u);
        definition.headers = {{u"X-Secret"_s, pattern(u"Token ${env:WATUKUY_TEST_TOKEN}"_s)}};
        request = prepare(definition);
        QCOMPARE(request->secretHeaders, QList<QByteArray>{"x-secret"});
    }

    void secretsStandInHeadersAndCredentialsOnly()
    {
        RequestDefinition definition = at(u"https://h/"_s);
        definition.query = {{u"key"_s, pattern(u"${env:WATUKUY_TEST_TOKEN}"_s)}};
        const auto request = prepare(definition);
        QVERIFY(!request);
        QVERIFY2(request.error().title.contains(u"request.query"), qPrintable(request.error().title));
    }

    void jsonBodiesKeepTheirBytesAroundPlaceholders_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("sent");
        QTest::newRow("no placeholder")
            << QByteArray(R"( { "a" : [1.0, 9007199254740993, "x\u0041"] , "b":{}} )")
            << QByteArray(R"({"a":[1.0,9007199254740993,"x\u0041"],"b":{}})");
        QTest::newRow("text") << QByteArray(R"({"since":"${cursor.value}"})")
                              << QByteArray(R"({"since":"2026-01-01T00:00:00+02:00"})");
        QTest::newRow("a number alone") << QByteArray(R"({"page":"${page}"})") << QByteArray(R"({"page":3})");
        QTest::newRow("a number in a text")
            << QByteArray(R"({"page":"p${page}"})") << QByteArray(R"({"page":"p3"})");
        QTest::newRow("no JSON number")
            << QByteArray(R"({"code":"${code}"})") << QByteArray(R"({"code":"007"})");
        QTest::newRow("null member") << QByteArray(R"({"a":"${nothing}","b":1,"c":"${nothing}"})")
                                     << QByteArray(R"({"b":1})");
        QTest::newRow("null element") << QByteArray(R"(["${nothing}",1])") << QByteArray(R"([null,1])");
        QTest::newRow("quotes") << QByteArray(R"({"q":"${quote}"})") << QByteArray("{\"q\":\"a\\\"b\\\\\"}");
    }

    void jsonBodiesKeepTheirBytesAroundPlaceholders()
    {
        QFETCH(const QByteArray, text);
        const auto sent = expandJson(text, lookUp);
        QVERIFY2(sent, sent ? "" : qPrintable(sent.error().oneLine()));
        QTEST(*sent, "sent");
    }

    void nullInsideLongerTextIsAnError() { QVERIFY(!expandJson(R"({"a":"x${nothing}"})", lookUp)); }

    void brokenJsonIsAnError_data()
    {
        QTest::addColumn<QByteArray>("text");
        for (const char *text : {"", "{", "[1", "{\"a\"}", "{\"a\":1 \"b\":2}", "\"a", "1 2", "{1:2}"})
            QTest::newRow(text) << QByteArray(text);
    }

    void brokenJsonIsAnError()
    {
        QFETCH(const QByteArray, text);
        QVERIFY(!expandJson(text, lookUp));
    }

    void formsAndTextsAndGraphQlHaveTheirTypes()
    {
        RequestDefinition definition = at(u"https://h/"_s);
        definition.method = "POST";
        definition.bodyKind = BodyKind::Form;
        definition.form = {{u"a b"_s, pattern(u"${cursor.value}"_s)}, {u"n"_s, pattern(u"${nothing}"_s)}};
        auto request = prepare(definition);
        QCOMPARE(request->body, QByteArray("a%20b=2026-01-01T00%3A00%3A00%2B02%3A00"));
        QCOMPARE(headerOf(*request, "content-type"), QByteArray("application/x-www-form-urlencoded"));
        definition.bodyKind = BodyKind::Text;
        definition.body = pattern(u"page ${page}"_s);
        request = prepare(definition);
        QCOMPARE(request->body, QByteArray("page 3"));
        definition.method = "GET";
        definition.bodyKind = BodyKind::GraphQl;
        definition.body = pattern(
            QString::fromLatin1(R"({"query":"query($a: ID) { x(a: $a) }","variables":{"a":"${page}"}})"));
        request = prepare(definition);
        QCOMPARE(request->method, QByteArray("POST"));
        QCOMPARE(request->body, QByteArray(R"({"query":"query($a: ID) { x(a: $a) }","variables":{"a":3}})"));
        QCOMPARE(headerOf(*request, "content-type"), QByteArray("application/json"));
    }

    void credentialsAreAppliedAndMarkedSecret()
    {
        RequestDefinition definition = at(u"https://h/?a=1"_s);
        definition.credential = u"bearer"_s;
        auto request = prepare(definition);
        QCOMPARE(headerOf(*request, "authorization"), QByteArray("Bearer t0p secret+/="));
        QCOMPARE(request->secretHeaders, QList<QByteArray>{"authorization"});
        definition.credential = u"basic"_s;
        request = prepare(definition);
        const QByteArray pair = QByteArray("user:t0p secret+/=").toBase64();
        QCOMPARE(headerOf(*request, "authorization"), "Basic " + pair);
        QVERIFY(!m_secrets.redact(QString::fromLatin1(pair)).contains(QString::fromLatin1(pair)));
        definition.credential = u"key0"_s;
        QCOMPARE(headerOf(*prepare(definition), "x-key"), QByteArray("t0p secret+/="));
        definition.credential = u"key1"_s;
        request = prepare(definition);
        QCOMPARE(request->url.toEncoded(), QByteArray("https://h/?a=1&X-Key=t0p%20secret%2B%2F%3D"));
        QVERIFY(request->secretQuery);
        definition.credential = u"key2"_s;
        QCOMPARE(headerOf(*prepare(definition), "cookie"), QByteArray("X-Key=t0p secret+/="));
    }

    void credentialsThatCannotBeUsedSaySo()
    {
        RequestDefinition definition = at(u"https://h/"_s);
        definition.credential = u"unknown"_s;
        const auto unknown = prepare(definition);
        QVERIFY(!unknown);
        QCOMPARE(unknown.error().kind, ErrorKind::Workspace);
        definition.credential = u"missing"_s;
        const auto request = prepare(definition);
        QVERIFY(!request);
        QCOMPARE(request.error().kind, ErrorKind::Secret);
        QVERIFY2(request.error().oneLine().contains(u"WATUKUY_TEST_NOT_SET"),
                 qPrintable(request.error().oneLine()));
    }

    void whatIsKeptOfANextUrlHoldsNoKey()
    {
        const Client client(m_transport, m_clock, m_secrets, m_credentials);
        QCOMPARE(client.withoutCredential(u"https://h/list?after=a%2Bb&X-Key=s3cret&page=2"_s, u"key1"_s),
                 u"https://h/list?after=a%2Bb&page=2"_s);
        QCOMPARE(client.withoutCredential(u"/list?X-Key=s3cret"_s, u"key1"_s), u"/list"_s);
        QCOMPARE(client.withoutCredential(u"/list?X-Key=mine"_s, u"bearer"_s), u"/list?X-Key=mine"_s);
    }

    void aNextUrlReplacesAddressAndQuery()
    {
        RequestDefinition definition = at(u"https://h/list"_s);
        definition.query = {{u"limit"_s, pattern(u"5"_s)}};
        definition.credential = u"key1"_s;
        QCOMPARE(prepare(definition, u"/list?after=a%2Bb"_s)->url.toEncoded(),
                 QByteArray("https://h/list?after=a%2Bb&X-Key=t0p%20secret%2B%2F%3D"));
        QCOMPARE(prepare(definition, u"https://h/list?X-Key=own&after=7"_s)->url.toEncoded(),
                 QByteArray("https://h/list?X-Key=own&after=7"));
        QVERIFY(!prepare(definition, u"https://other/list"_s));
        QVERIFY(!prepare(definition, u"http://h/list"_s));
        definition.credential.clear();
        QVERIFY(prepare(definition, u"https://other/list"_s));
        QVERIFY(!prepare(definition, u"http://other/list"_s));
    }

    void theHashNamesMethodUrlAndBody()
    {
        Request one;
        one.url = QUrl(u"https://h/a?x=1"_s);
        Request other = one;
        QCOMPARE(requestHash(one), requestHash(other));
        other.url = QUrl(u"https://h/a?x=2"_s);
        QVERIFY(requestHash(one) != requestHash(other));
        other = one;
        other.body = "b";
        QVERIFY(requestHash(one) != requestHash(other));
        other = one;
        other.method = "POST";
        QVERIFY(requestHash(one) != requestHash(other));
    }
};

QTEST_GUILESS_MAIN(TestHttpPrepare)
#include "test_http_prepare.moc"
