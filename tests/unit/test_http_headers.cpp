// SPDX-License-Identifier: GPL-3.0-or-later
// Headers that steer polling: rate limits, Retry-After, links, problems, charsets.
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "engine/http/headers.h"
#include "engine/http/origin.h"

using namespace Qt::StringLiterals;
using namespace watukuy;
using namespace watukuy::http;

namespace {

constexpr Instant now = fromEpochMs(1'700'000'000'000);

/// The next page as the runner asks for it: refused when it may not be followed.
Result<QString> nextLink(const Headers &headers, const QUrl &base, bool carriesCredentials)
{
    const QString target = nextTarget(headers, base);
    if (const auto refusal = refuseNext(base, QUrl(target), carriesCredentials); refusal && !target.isEmpty())
        return fail(*refusal);
    return target;
}

QJsonArray rows(const QString &file)
{
    QFile source(QStringLiteral(WATUKUY_VECTORS) + u'/' + file);
    return source.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(source.readAll()).array()
                                            : QJsonArray();
}

QJsonValue noted(const std::optional<RateLimit> &limit)
{
    if (!limit)
        return QJsonValue::Null;
    QJsonObject object{{u"source"_s, limit->source}};
    if (limit->limit)
        object[u"limit"] = *limit->limit;
    if (limit->remaining)
        object[u"remaining"] = *limit->remaining;
    if (limit->resetAt)
        object[u"resetAt"] = toEpochMs(*limit->resetAt);
    if (!limit->policy.isEmpty())
        object[u"policy"] = limit->policy;
    return object;
}

std::optional<Instant> resetIn(const QByteArray &header, const QByteArray &value, Instant at)
{
    const auto limit = readRateLimit({{header, value}}, at);
    return limit ? limit->resetAt : std::nullopt;
}

} // namespace

class TestHttpHeaders : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rateLimitVectors_data()
    {
        QTest::addColumn<QJsonObject>("row");
        const QJsonArray all = rows(u"rate-limit.json"_s);
        QVERIFY(!all.isEmpty());
        for (qsizetype at = 0; at < all.size(); ++at)
            QTest::addRow("%lld", qint64(at)) << all[at].toObject();
    }

    void rateLimitVectors()
    {
        QFETCH(const QJsonObject, row);
        Headers headers;
        const QJsonObject given = row[u"headers"].toObject();
        for (auto header = given.begin(); header != given.end(); ++header)
            headers.emplace_back(header.key().toLatin1(), header.value().toString().toLatin1());
        QJsonValue expected = row[u"info"];
        if (expected.isObject()) {
            // A RateLimit counts whole requests: half a request cannot be sent.
            QJsonObject object = expected.toObject();
            for (const QString &name : {u"limit"_s, u"remaining"_s}) {
                if (object.contains(name))
                    object[name] = qint64(object[name].toDouble());
            }
            expected = object;
        }
        QCOMPARE(noted(readRateLimit(headers, fromEpochMs(row[u"now"].toInteger()))), expected);
    }

    void C23_resetIsDeltaOrSecondsOrMillisecondsByItsSize()
    {
        QCOMPARE(resetIn("X-RateLimit-Reset", "2513", now), now + Duration{2'513'000});
        const Instant in2013 = fromEpochMs(1'372'700'000'000);
        QCOMPARE(resetIn("X-RateLimit-Reset", "1372700873", in2013), fromEpochMs(1'372'700'873'000));
        const Instant in2019 = fromEpochMs(1'562'287'900'000);
        QCOMPARE(resetIn("X-RateLimit-Reset", "1562287945706", in2019), fromEpochMs(1'562'287'945'706));
    }

    void resetsThatCannotBeMeantAreIgnored()
    {
        QVERIFY(!resetIn("X-RateLimit-Reset", "1372700873", now)); // ten years ago
        QVERIFY(!resetIn("X-RateLimit-Reset", "9999999999", now)); // in two centuries
        QVERIFY(!resetIn("X-RateLimit-Reset", "99999999999999999999999", now));
        QVERIFY(!resetIn("X-RateLimit-Reset", "900000000", now)); // a delta of 28 years
    }

    void theTightestOfSeveralQuotasCounts()
    {
        const auto limit = readRateLimit({{"RateLimit", "\"day\";r=1000;t=3600, \"second\";r=0;t=30"}}, now);
        QVERIFY(limit);
        QCOMPARE(limit->remaining, 0);
        QCOMPARE(limit->resetAt, now + Duration{30'000});
    }

    void rateLimitOnSeveralLinesIsOneList()
    {
        const auto limit = readRateLimit({{"RateLimit-Policy", "\"a\";q=10"},
                                          {"RateLimit", "\"b\";r=1;t=5"},
                                          {"ratelimit-policy", "\"b\";q=20"}},
                                         now);
        QVERIFY(limit);
        QCOMPARE(limit->limit, 20);
        QCOMPARE(limit->policy, u"\"a\";q=10, \"b\";q=20"_s);
    }

    void retryAfterVectors_data()
    {
        QTest::addColumn<QJsonObject>("row");
        const QJsonArray all = rows(u"retry-after.json"_s);
        QVERIFY(!all.isEmpty());
        for (const QJsonValue &row : all)
            QTest::addRow("%s", qPrintable(row[u"value"].toString(u"absent"_s))) << row.toObject();
    }

    void retryAfterVectors()
    {
        QFETCH(const QJsonObject, row);
        const auto wait =
            readRetryAfter(row[u"value"].toString().toLatin1(), fromEpochMs(row[u"now"].toInteger()));
        const QJsonValue ms = wait ? QJsonValue(qint64(wait->count())) : QJsonValue(QJsonValue::Null);
        QCOMPARE(ms, row[u"retryAfterMs"]);
    }

    void C21_retryAfterOfEveryForm()
    {
        QCOMPARE(readRetryAfter("Wed, 21 Oct 2015 07:28:00 GMT", now), Duration{0});
        QCOMPARE(readRetryAfter("-5", now), std::nullopt);
        QCOMPARE(readRetryAfter("1.5", now), Duration{1'500});
        QCOMPARE(readRetryAfter("3600", now), Duration{3'600'000});
        QCOMPARE(readRetryAfter("99999999999999999999", now), std::nullopt);
        QCOMPARE(readRetryAfter("Tue, 32 Nov 2023 22:14:50 GMT", now), std::nullopt);
        QCOMPARE(readRetryAfter("Tue, 14 Nov 2023 24:14:50 GMT", now), std::nullopt);
        QCOMPARE(readRetryAfter("Tuesday, 14-Nov-23 22:14:50 GMT", now), Duration{90'000});
    }

    void aYearOfTwoDigitsIsAtMostFiftyYearsAhead()
    {
        const Instant newYearsEve = fromEpochMs(4'102'444'799'000); // 2099-12-31T23:59:59Z
        QCOMPARE(readRetryAfter("Friday, 01-Jan-00 00:00:29 GMT", newYearsEve), Duration{30'000});
        QCOMPARE(readRetryAfter("Thursday, 31-Dec-99 23:59:59 GMT", newYearsEve), Duration{0});
        QCOMPARE(readRetryAfter("Friday, 01-Jan-50 00:00:00 GMT", newYearsEve), Duration{0});    // 2050
        QCOMPARE(readRetryAfter("Saturday, 01-Jan-49 00:00:00 GMT", newYearsEve), std::nullopt); // 2149
    }

    void C07_linksWithCommasInTargetsAndTitles()
    {
        const auto links = readLinks("<https://h/a?page=2&f=a,b>; rel=\"next\", "
                                     "</index>; title=\"start, index; of <all>\"; rel=\"first  INDEX\"");
        QCOMPARE(links.size(), 2u);
        QCOMPARE(links[0].target, u"https://h/a?page=2&f=a,b"_s);
        QCOMPARE(links[0].relations, QStringList{u"next"_s});
        QCOMPARE(links[1].target, u"/index"_s);
        QCOMPARE(links[1].relations, (QStringList{u"first"_s, u"index"_s}));
    }

    void linksThatAreOddlyWrittenAreRead_data()
    {
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QString>("next");
        QTest::newRow("no quotes") << QByteArray("<https://h/2>;rel=next") << u"https://h/2"_s;
        QTest::newRow("several relations")
            << QByteArray("<https://h/2>; rel=\"next last\"") << u"https://h/2"_s;
        QTest::newRow("upper case") << QByteArray("<https://h/2>; REL=\"Next\"") << u"https://h/2"_s;
        QTest::newRow("escaped quote")
            << QByteArray("<https://h/2>; title=\"a\\\"b, <x>\"; rel=next") << u"https://h/2"_s;
        QTest::newRow("spaces around =") << QByteArray("<https://h/2> ; rel = next") << u"https://h/2"_s;
        QTest::newRow("only the first rel counts")
            << QByteArray("<https://h/2>; rel=prev; rel=next") << QString();
        QTest::newRow("about something else")
            << QByteArray("<https://h/2>; rel=next; anchor=\"#x\"") << QString();
        QTest::newRow("rubbish before") << QByteArray("rubbish, <https://h/2>; rel=next") << u"https://h/2"_s;
        QTest::newRow("never closed") << QByteArray("<https://h/2; rel=next") << QString();
        QTest::newRow("empty") << QByteArray() << QString();
        QTest::newRow("relative") << QByteArray("<?page=2>; rel=next") << u"https://h/list?page=2"_s;
    }

    void linksThatAreOddlyWrittenAreRead()
    {
        QFETCH(const QByteArray, value);
        QFETCH(const QString, next);
        const auto found = nextLink({{"Link", value}}, QUrl(u"https://h/list?page=1"_s), true);
        QVERIFY(found);
        QCOMPARE(*found, next);
    }

    void C08_linksAreResolvedAndWatched()
    {
        const QUrl base(u"https://api.example.com/v1/list?page=1"_s);
        QCOMPARE(nextLink({{"Link", "</x?page=2>; rel=next"}}, base, true),
                 u"https://api.example.com/x?page=2"_s);
        QCOMPARE(nextLink({{"Link", "<https://api.example.com:443/x>; rel=next"}}, base, true),
                 u"https://api.example.com:443/x"_s);
        const auto other = nextLink({{"Link", "<https://evil.example/x?t=1>; rel=next"}}, base, true);
        QVERIFY(!other);
        QVERIFY2(other.error().detail.contains(u"https://evil.example/x"), qPrintable(other.error().detail));
        QVERIFY(!other.error().detail.contains(u"t=1"));
        QVERIFY(nextLink({{"Link", "<https://other.example/x>; rel=next"}}, base, false));
        const auto down = nextLink({{"Link", "<http://api.example.com/x>; rel=next"}}, base, false);
        QVERIFY(!down);
        QVERIFY2(down.error().title.contains(u"http"), qPrintable(down.error().title));
        QVERIFY(!nextLink({{"Link", "<ftp://api.example.com/x>; rel=next"}}, base, false));
    }

    void problemsGiveTitleAndDetail_data()
    {
        QTest::addColumn<QByteArray>("type");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QString>("title");
        QTest::addColumn<QString>("detail");
        const QByteArray json = "application/json";
        QTest::newRow("RFC 9457")
            << QByteArray("application/problem+json")
            << QByteArray(R"({"type":"about:blank","title":"Out of credit","detail":"30 < 50"})")
            << u"Out of credit"_s << u"30 < 50"_s;
        QTest::newRow("message") << json << QByteArray(R"({"message":"Bad  credentials\n"})")
                                 << u"Bad credentials"_s << QString();
        QTest::newRow("error object")
            << json << QByteArray(R"({"error":{"message":"Nope","code":17}})") << u"Nope"_s << u"17"_s;
        QTest::newRow("error text") << json << QByteArray(R"({"error":"Nope"})") << u"Nope"_s << QString();
        QTest::newRow("errors") << json << QByteArray(R"({"errors":[{"title":"T","detail":"D"}]})") << u"T"_s
                                << u"D"_s;
        QTest::newRow("only detail") << json << QByteArray(R"({"detail":"Not found."})") << u"Not found."_s
                                     << QString();
        QTest::newRow("no type") << QByteArray() << QByteArray(R"( {"message":"m"})") << u"m"_s << QString();
        QTest::newRow("HTML") << QByteArray("text/html") << QByteArray("<h1>no</h1>") << QString()
                              << QString();
        QTest::newRow("not JSON") << json << QByteArray("{nope") << QString() << QString();
        QTest::newRow("nothing") << json << QByteArray() << QString() << QString();
    }

    void problemsGiveTitleAndDetail()
    {
        QFETCH(const QByteArray, type);
        QFETCH(const QByteArray, body);
        const Problem problem = readProblem(type, body);
        QTEST(problem.title, "title");
        QTEST(problem.detail, "detail");
    }

    void C32_charsetsBecomeUtf8_data()
    {
        QTest::addColumn<QByteArray>("type");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QByteArray>("utf8");
        QTest::newRow("ISO-8859-15") << QByteArray("application/json; charset=ISO-8859-15")
                                     << QByteArray("\xa4\xe9\xbd") << QByteArray("\u20ac\u00e9\u0153");
        QTest::newRow("ISO-8859-1") << QByteArray("text/plain;charset=iso-8859-1") << QByteArray("\xa4\xe9")
                                    << QByteArray("\u00a4\u00e9");
        QTest::newRow("windows-1252") << QByteArray("a/b; charset=\"Windows-1252\"; x=y")
                                      << QByteArray("\x80\x9c\xfc") << QByteArray("\u20ac\u0153\u00fc");
        QTest::newRow("UTF-16") << QByteArray("a/b; charset=utf-16le") << QByteArray("\xac\x20", 2)
                                << QByteArray("\u20ac");
        QTest::newRow("UTF-8") << QByteArray("a/b; charset=UTF-8") << QByteArray("\u20ac")
                               << QByteArray("\u20ac");
        QTest::newRow("none") << QByteArray("a/b") << QByteArray("\u20ac") << QByteArray("\u20ac");
    }

    void C32_charsetsBecomeUtf8()
    {
        QFETCH(const QByteArray, type);
        QFETCH(const QByteArray, body);
        const auto converted = toUtf8(body, type);
        QVERIFY(converted);
        QTEST(*converted, "utf8");
    }

    void aCharsetThatNobodyKnowsIsNamed()
    {
        const auto converted = toUtf8("x", "a/b; charset=klingon");
        QVERIFY(!converted);
        QCOMPARE(converted.error().kind, ErrorKind::Body);
        QVERIFY(converted.error().title.contains(u"klingon"));
    }

    void placesHoldNoSecrets()
    {
        QCOMPARE(placeOf(QUrl(u"https://u:p@h:8443/a%2Fb?key=s#f"_s)), u"https://h:8443/a%2Fb"_s);
        QCOMPARE(hostAndPort(QUrl(u"https://h/x"_s)), u"h:443"_s);
        QCOMPARE(hostAndPort(QUrl(u"http://[::1]:8080/"_s)), u"[::1]:8080"_s);
    }
};

QTEST_GUILESS_MAIN(TestHttpHeaders)
#include "test_http_headers.moc"
