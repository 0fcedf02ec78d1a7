// SPDX-License-Identifier: GPL-3.0-or-later
// The demo shop's listings, read to their ends, and the listing kinds that tests build on.
#include <set>

#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "app/cli/demo/demoshop.h"
#include "engine/definition/workspace.h"
#include "engine/http/headers.h"
#include "engine/http/origin.h"
#include "engine/http/networktransport.h"

using namespace Qt::StringLiterals;
using namespace watukuy;
using namespace watukuy::http;
using namespace watukuy::demo;

namespace {

std::set<qint64> idsOf(const ListingApi &listing)
{
    return {listing.ids().begin(), listing.ids().end()};
}

} // namespace

class TestDemoShop : public QObject {
    Q_OBJECT

    NetworkTransport m_transport;

    Result<Response> get(const QUrl &base, const QString &target, const Headers &headers = {})
    {
        Request request;
        request.url = base.resolved(QUrl(target));
        request.headers = headers;
        return QCoro::waitFor(m_transport.send(request));
    }

    /// Adds the ids of `items` to `seen`; false when one was there before.
    static bool collect(const QJsonArray &items, std::set<qint64> *seen)
    {
        bool fresh = true;
        for (const QJsonValue &item : items)
            fresh = seen->insert(item[u"id"].toInteger()).second && fresh;
        return fresh;
    }

private Q_SLOTS:
    void ordersPageByTimeAndId()
    {
        DemoShop shop;
        QVERIFY(shop.start(0));
        std::set<qint64> seen;
        QString query;
        for (int page = 0; page < 100; ++page) {
            const auto response = get(shop.url(), u"/orders?limit=7"_s + query);
            QVERIFY2(response, response ? "" : qPrintable(response.error().oneLine()));
            const QJsonObject body = QJsonDocument::fromJson(response->body).object();
            const QJsonArray rows = body[u"data"].toArray();
            QVERIFY(collect(rows, &seen));
            if (!body[u"has_more"].toBool())
                break;
            query = u"&updated_since=%1&after_id=%2"_s.arg(rows.last()[u"updatedAt"].toString())
                        .arg(rows.last()[u"id"].toInteger());
        }
        QCOMPARE(seen, idsOf(shop.orders()));
        QVERIFY(seen.size() >= 100);
    }

    void updatedSinceAloneIsInclusive()
    {
        ListingApi listing;
        listing.put(1, R"("a":1)", 1'000);
        listing.put(2, R"("a":1)", 1'000);
        listing.put(3, R"("a":1)", 2'000);
        HttpServer server(
            [&](const ServerRequest &asked) { return listing.list(asked, ListingKind::Keyset); });
        QVERIFY(server.start());
        QCOMPARE(get(server.url(), u"/?updated_since=1970-01-01T00:00:01Z"_s)->body.count("\"id\""), 3);
        QCOMPARE(get(server.url(), u"/?updated_since=1970-01-01T00%3A00%3A01.000%2B00%3A00&after_id=1"_s)
                     ->body.count("\"id\""),
                 2);
        QCOMPARE(get(server.url(), u"/?updated_since=1001"_s)->body.count("\"id\""), 1);
        QCOMPARE(get(server.url(), u"/?updated_since=nonsense"_s)->status, 400);
    }

    void productsPageByNumber_data()
    {
        QTest::addColumn<QString>("path");
        QTest::newRow("products") << u"/products"_s;
        QTest::newRow("all orders") << u"/orders"_s;
    }

    void productsPageByNumber()
    {
        QFETCH(const QString, path);
        DemoShop shop;
        QVERIFY(shop.start(0));
        std::set<qint64> seen;
        bool more = true;
        for (int page = 1; more; ++page) {
            const auto response = get(shop.url(), path + u"?limit=25&page=%1"_s.arg(page));
            QVERIFY(response);
            const QJsonObject body = QJsonDocument::fromJson(response->body).object();
            QVERIFY(collect(body[u"items"].toArray(), &seen));
            QCOMPARE(body[u"page"].toInt(), page);
            more = body[u"more"].toBool();
        }
        QCOMPARE(seen, idsOf(path == u"/orders" ? shop.orders() : shop.products()));
    }

    void customersPageByLinkAndHaveETags()
    {
        DemoShop shop;
        QVERIFY(shop.start(0));
        std::set<qint64> seen;
        QString target = u"/customers"_s;
        while (!target.isEmpty()) {
            const auto response = get(shop.url(), target);
            QVERIFY(response);
            QVERIFY(collect(QJsonDocument::fromJson(response->body).array(), &seen));
            const QByteArray etag = response->header("ETag");
            QCOMPARE(get(shop.url(), target, {{"If-None-Match", etag}})->status, 304);
            target = nextTarget(response->headers, response->finalUrl);
            QVERIFY(target.isEmpty() || !refuseNext(response->finalUrl, QUrl(target), true));
        }
        QCOMPARE(seen, idsOf(shop.customers()));
    }

    void otherListingKindsPageThrough()
    {
        ListingApi listing;
        for (qint64 id = 1; id <= 95; ++id)
            listing.put(id, R"("a":1)");
        listing.remove(50);
        HttpServer server([&](const ServerRequest &asked) {
            return listing.list(asked, asked.path == u"/token"    ? ListingKind::Token
                                       : asked.path == u"/offset" ? ListingKind::Offset
                                                                  : ListingKind::NextUrl);
        });
        QVERIFY(server.start());
        std::set<qint64> byToken, byOffset, byUrl;
        for (QString token = u""_s; !token.isNull();) {
            const auto body =
                QJsonDocument::fromJson(get(server.url(), u"/token?limit=10&token="_s + token)->body)
                    .object();
            QVERIFY(collect(body[u"items"].toArray(), &byToken));
            token = body[u"next_token"].toString();
        }
        for (int offset = 0; offset < 95; offset += 10)
            QVERIFY(collect(
                QJsonDocument::fromJson(get(server.url(), u"/offset?limit=10&offset=%1"_s.arg(offset))->body)
                    .object()[u"items"]
                    .toArray(),
                &byOffset));
        for (QString next = u"/next?limit=10"_s; !next.isEmpty();) {
            const auto body = QJsonDocument::fromJson(get(server.url(), next)->body).object();
            QVERIFY(collect(body[u"items"].toArray(), &byUrl));
            next = body[u"next"].toString();
        }
        QCOMPARE(byToken, idsOf(listing));
        QCOMPARE(byOffset, idsOf(listing));
        QCOMPARE(byUrl, idsOf(listing));
    }

    void theDemoWorkspaceIsValidAndAsksForWhatThereIs()
    {
        const auto workspace =
            loadWorkspace(QStringLiteral(WATUKUY_SOURCE_DIR "/resources/demo.watukuy.json"));
        if (!workspace) {
            for (const WorkspaceError &error : workspace.error())
                qWarning() << error.pointer << error.line << error.message << error.hint;
        }
        QVERIFY(workspace);
        DemoShop shop;
        QVERIFY(shop.start(0));
        for (const auto &[name, poller] : workspace->pollers) {
            const auto response = get(shop.url(), u"/"_s + name);
            QVERIFY(response);
            QCOMPARE(response->status, 200);
            const auto page = json::takeApart(response->body, poller.response.shape);
            QVERIFY2(page, page ? "" : qPrintable(page.error().oneLine()));
            QVERIFY(!page->items.empty());
        }
    }

    void theSameSeedMakesTheSameShop()
    {
        DemoShop one(7), other(7), different(8);
        for (int step = 0; step < 300; ++step) {
            one.step();
            other.step();
            different.step();
        }
        QCOMPARE(one.orders().ids(), other.orders().ids());
        QCOMPARE(one.products().ids(), other.products().ids());
        QVERIFY(one.orders().ids() != different.orders().ids());
        QVERIFY(one.orders().size() > 20 && one.products().size() > 20 && one.customers().size() >= 40);
    }

    void everyItemIsJson()
    {
        DemoShop shop(3);
        for (int step = 0; step < 500; ++step)
            shop.step();
        for (const ListingApi *listing : {&shop.orders(), &shop.products(), &shop.customers()}) {
            for (const qint64 id : listing->ids()) {
                const QJsonDocument item = QJsonDocument::fromJson(listing->item(id));
                QVERIFY2(item.isObject(), listing->item(id).constData());
                QCOMPARE(item[u"id"].toInteger(), id);
                QVERIFY(item[u"updatedAt"].isString());
            }
        }
    }

    void itChangesByItself()
    {
        DemoShop shop;
        QVERIFY(shop.start(0));
        const QByteArray before = get(shop.url(), u"/orders"_s)->body;
        shop.changeEvery(std::chrono::milliseconds{5});
        QTRY_VERIFY(get(shop.url(), u"/orders"_s)->body != before);
    }

    void faultsComeOnRequestAndEnd()
    {
        DemoShop shop;
        QVERIFY(shop.start(0));
        QCOMPARE(get(shop.url(), u"/fault?status=503&retry_after=5&count=2&path=/orders"_s)->status, 200);
        QCOMPARE(get(shop.url(), u"/products"_s)->status, 200);
        for (int count = 0; count < 2; ++count) {
            const auto response = get(shop.url(), u"/orders"_s);
            QCOMPARE(response->status, 503);
            QCOMPARE(response->header("Retry-After"), QByteArray("5"));
        }
        QCOMPARE(get(shop.url(), u"/orders"_s)->status, 200);
        QCOMPARE(get(shop.url(), u"/fault?delay=150"_s)->status, 200);
        QElapsedTimer took;
        took.start();
        QCOMPARE(get(shop.url(), u"/orders"_s)->status, 200);
        QVERIFY(took.elapsed() >= 145);
        QCOMPARE(get(shop.url(), u"/fault?drop&count=1"_s)->status, 200);
        QVERIFY(!get(shop.url(), u"/orders"_s));
        QCOMPARE(get(shop.url(), u"/fault?status=1000"_s)->status, 400);
        QCOMPARE(get(shop.url(), u"/nothing"_s)->status, 404);
        QVERIFY(QJsonDocument::fromJson(get(shop.url(), u"/"_s)->body).isObject());
    }

    void theLimitIsToldAndKept()
    {
        DemoShop shop;
        shop.requestsPerMinute = 3;
        QVERIFY(shop.start(0));
        for (int left = 2; left >= 0; --left)
            QCOMPARE(get(shop.url(), u"/orders"_s)->header("X-RateLimit-Remaining"),
                     QByteArray::number(left));
        const auto response = get(shop.url(), u"/orders"_s);
        QCOMPARE(response->status, 429);
        const int wait = response->header("Retry-After").toInt();
        QVERIFY(wait > 0 && wait <= 60);
        const auto limit = readRateLimit(response->headers, fromEpochMs(QDateTime::currentMSecsSinceEpoch()));
        QCOMPARE(limit->limit, 3);
        QCOMPARE(limit->remaining, 0);
    }

    void aTakenPortIsSaid()
    {
        DemoShop one, other;
        QVERIFY(one.start(0));
        QVERIFY(!other.start(quint16(one.url().port())));
        QVERIFY(!other.errorString().isEmpty());
    }

    void aHundredThousandItemsInPagesOfFiveThousandComeFast()
    {
        ListingApi listing;
        for (qint64 id = 1; id <= 100'000; ++id)
            listing.put(id, R"("status":"paid","total":12.50,"note":"a few bytes more, as items have")",
                        id / 7);
        HttpServer server([&](const ServerRequest &asked) { return listing.list(asked, ListingKind::Page); });
        QVERIFY(server.start());
        qint64 items = 0;
        QElapsedTimer took;
        took.start();
        for (int page = 1; page <= 20; ++page)
            items += get(server.url(), u"/?limit=5000&page=%1"_s.arg(page))->body.count("\"id\":");
        QCOMPARE(items, 100'000);
        QVERIFY2(took.elapsed() < 5'000, qPrintable(QString::number(took.elapsed())));
        qInfo() << took.elapsed() << "ms";
    }
};

QTEST_GUILESS_MAIN(TestDemoShop)
#include "test_demoshop.moc"
