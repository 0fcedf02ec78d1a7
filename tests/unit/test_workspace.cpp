// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "engine/definition/workspace.h"

using namespace watukuy;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

const QString dataFolder = QStringLiteral(WATUKUY_SOURCE_DIR "/tests/unit/data");

WorkspaceDefinition loaded(const QString &name)
{
    auto workspace = loadWorkspace(dataFolder + u'/' + name);
    if (!workspace)
        qFatal("%s: %s", qPrintable(workspace.error().first().pointer),
               qPrintable(workspace.error().first().message));
    return std::move(*workspace);
}

WorkspaceDefinition parsed(const QByteArray &text)
{
    auto workspace = parseWorkspace(text, u"/work place/shop.watukuy.json"_s);
    if (!workspace)
        qFatal("%s: %s", qPrintable(workspace.error().first().pointer),
               qPrintable(workspace.error().first().message));
    return std::move(*workspace);
}

/// A poller `a` with `members` besides the required ones.
PollerDefinition poller(const QByteArray &members, const QByteArray &more = {})
{
    return parsed("{\"version\":1,\"pollers\":{\"a\":{" + members + "}}" + more + "}").pollers.at(u"a"_s);
}

QString textOf(const std::vector<std::pair<QString, Template>> &members, const QString &name)
{
    const auto found = std::ranges::find(members, name, &std::pair<QString, Template>::first);
    return found == members.end() ? u"(absent)"_s : found->second.text();
}

constexpr const char *snapshot =
    R"("request":{"url":"https://x.example/a","query":{"page":"${page}","limit":50}},"identity":"id","cursor":{"strategy":"snapshotDiff"})";
constexpr const char *timestamp =
    R"("request":{"url":"https://x.example/a","query":{"since":"${cursor.value}","limit":50},"headers":{"X-A":"1","X-B":"2"}},"identity":"id","cursor":{"strategy":"timestamp","field":"t"})";

} // namespace

class TestWorkspace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theExampleOfTheSpecificationIsRead();
    void everyDefaultIsFilledIn();
    void everyKeyIsRead();
    void everyCredentialIsRead();
    void everySinkIsRead();
    void pagingFollowsTheStrategy_data();
    void pagingFollowsTheStrategy();
    void reconcileIsLaidOverThePoller();
    void reconcilePagesByItsTemplate_data();
    void reconcilePagesByItsTemplate();
    void reconcileInheritsDeclaredPaging();
    void scalarsOfAQueryKeepTheirDigits();
    void probesFollowTheLongestInterval();
    void leasesAreRenewedThreeTimes();
    void withoutAStoreItIsSqliteBesideTheWorkspace();
    void aFolderThatLooksLikeAPlaceholderStaysItself();
    void absolutePathsStayAbsolute();
    void bodiesOfEveryKindAreRead();
    void aByteOrderMarkIsSkipped();
};

void TestWorkspace::theExampleOfTheSpecificationIsRead()
{
    const WorkspaceDefinition workspace = loaded(u"orders.watukuy.json"_s);
    QCOMPARE(workspace.folder, dataFolder);
    QCOMPARE(workspace.file, dataFolder + u"/orders.watukuy.json"_s);
    QCOMPARE(std::get<SqliteStoreDefinition>(workspace.store).path, dataFolder + u"/orders.db"_s);
    QCOMPARE(workspace.budgets.at(u"erp"_s).requests, 100);
    QCOMPARE(workspace.budgets.at(u"erp"_s).burst, 100);
    QCOMPARE(workspace.budgets.at(u"erp"_s).per, Duration(60s));
    QCOMPARE(std::get<FileSinkDefinition>(workspace.sinks.at(u"log"_s)).path.text(),
             dataFolder + u"/events/${poller}.jsonl"_s);
    const PollerDefinition &orders = workspace.pollers.at(u"orders"_s);
    QCOMPARE(orders.pagination.kind, PagingKind::Keyset);
    QCOMPARE(orders.pagination.size, std::optional<qint64>(500));
    QCOMPARE(orders.cursor.initial, QByteArray("\"2026-01-01T00:00:00Z\""));
    QCOMPARE(orders.cursor.tieBreak->text(), u"id"_s);
    QCOMPARE(orders.fingerprint.mode, FingerprintDefinition::Mode::Chosen);
    QCOMPARE(orders.deliver.to, (QStringList{u"log"_s, u"hook"_s}));
    QCOMPARE(orders.reconcile->pagination.kind, PagingKind::Page);
    QCOMPARE(orders.reconcile->pagination.size, std::optional<qint64>(1000));
    QCOMPARE(textOf(orders.reconcile->request.query, u"updated_since"_s), u"(absent)"_s);
    QCOMPARE(workspace.pollers.at(u"catalog"_s).pagination.kind, PagingKind::Page);
}

void TestWorkspace::everyDefaultIsFilledIn()
{
    const WorkspaceDefinition workspace =
        parsed(QByteArray("{\"version\":1,\"pollers\":{\"a\":{") + snapshot + "}}}");
    QCOMPARE(workspace.leaseTtl, Duration(30s));
    QCOMPARE(workspace.leaseRenewEvery, Duration(10s));
    QCOMPARE(workspace.dispatchBatchSize, 100);
    QVERIFY(!workspace.readOnly);
    const PollerDefinition &a = workspace.pollers.at(u"a"_s);
    QCOMPARE(a.source, u"urn:watukuy:a"_s);
    QVERIFY(a.enabled);
    QCOMPARE(a.request.method, QByteArray("GET"));
    QCOMPARE(a.request.timeout, Duration(30s));
    QCOMPARE(a.request.validators, Validators::Auto);
    QCOMPARE(a.request.validatorMaxAge, Duration(24h));
    QCOMPARE(a.request.cost, 1);
    QCOMPARE(a.request.maxBytes, qint64(64) << 20);
    QCOMPARE(a.request.redirects, Redirects::SameOrigin);
    QCOMPARE(a.pagination.maxPages, 10'000);
    QCOMPARE(a.schemaVersion, 1);
    QCOMPARE(a.onSchemaChange, OnSchemaChange::Rebaseline);
    QCOMPARE(a.retain, Retain::Hash);
    QCOMPARE(a.onInvalid, OnInvalid::Quarantine);
    QVERIFY(a.deleteGuard.enabled);
    QCOMPARE(a.deleteGuard.maxPercent, 50.0);
    QCOMPARE(a.deleteGuard.minItems, qint64(20));
    QCOMPARE(a.partitions.source, PartitionSource::Single);
    QCOMPARE(a.schedule.min, Duration(30s));
    QCOMPARE(a.schedule.max, Duration(5min));
    QCOMPARE(a.schedule.jitter, 0.1);
    QCOMPARE(a.schedule.backoff, (BackoffDefinition{Duration(1s), 2, Duration(10min)}));
    QCOMPARE(a.circuit.failures, 5);
    QCOMPARE(a.circuit.probeEvery, Duration(5min));
    QCOMPARE(a.deliver.orderingKey, u"subject"_s);
    QCOMPARE(a.deliver.concurrency, 1);
    QCOMPARE(a.deliver.retry.attempts, 5);
    QCOMPARE(a.deliver.retry.backoff, (BackoffDefinition{Duration(1s), 2, Duration(2min)}));
    QCOMPARE(a.deliver.poisonAction, PoisonAction::Park);
    QVERIFY(a.deliver.holdKey);
    QVERIFY(!a.logRetention && !a.maxCycleTime && !a.reconcile && !a.version);
    QCOMPARE(a.maxPagesPerCycle, 50);
    QCOMPARE(a.tombstoneRetention, Duration(std::chrono::days{90}));
    QCOMPARE(a.budgetWeight, 1.0);
}

void TestWorkspace::everyKeyIsRead()
{
    const WorkspaceDefinition workspace = loaded(u"everything.watukuy.json"_s);
    QVERIFY(workspace.readOnly);
    QCOMPARE(workspace.environment, u"production"_s);
    QCOMPARE(workspace.instance, u"north-1"_s);
    QCOMPARE(workspace.dispatchBatchSize, 50);
    QCOMPARE(workspace.leaseRenewEvery, Duration(15s));
    QCOMPARE(workspace.variables.at(u"limit"_s), u"500"_s);
    QCOMPARE(workspace.variables.at(u"debug"_s), u"false"_s);
    const auto &postgres = std::get<PostgresStoreDefinition>(workspace.store);
    QCOMPARE(postgres.port, 5433);
    QCOMPARE(postgres.tls, u"verify-full"_s);
    QCOMPARE(workspace.budgets.at(u"erp"_s).maxWait, Duration(0));
    QVERIFY(workspace.budgets.at(u"erp"_s).weighted);

    const PollerDefinition &orders = workspace.pollers.at(u"orders"_s);
    QVERIFY(!orders.enabled);
    QCOMPARE(orders.request.method, QByteArray("POST"));
    QCOMPARE(textOf(orders.request.query, u"archived"_s), u"false"_s);
    QCOMPARE(textOf(orders.request.query, u"page"_s), u"(absent)"_s);
    QCOMPARE(orders.request.maxBytes, qint64(1'048'576));
    QCOMPARE(orders.request.tlsKey, dataFolder + u"/tls/client.key"_s);
    QCOMPARE(orders.request.validatorMaxAge, Duration(1h));
    QCOMPARE(orders.response.onStatus.at(502), StatusRule::IgnorePage);
    QCOMPARE(orders.response.shape.hasMore->text(), u"/page/more"_s);
    QCOMPARE(orders.identity.paths.size(), size_t(2));
    QCOMPARE(orders.fingerprint.mode, FingerprintDefinition::Mode::Exclude);
    QCOMPARE(orders.cursor.timeZone, QByteArray("Europe/Berlin"));
    QCOMPARE(orders.cursor.unit, u"ms"_s);
    QCOMPARE(orders.cursor.maxAhead, Duration(48h));
    QCOMPARE(orders.partitions.list.at(0).data, QByteArray("{ \"slug\": \"n\" }"));
    QCOMPARE(orders.schedule.backoff, (BackoffDefinition{Duration(2s), 3, Duration(5min)}));
    QCOMPARE(orders.deliver.retry.backoff, (BackoffDefinition{Duration(3s), 1.5, Duration(1min)}));
    QCOMPARE(orders.deliver.poisonAction, PoisonAction::Halt);
    QCOMPARE(orders.deliver.format, EventFormat::CloudEvents);
    QCOMPARE(orders.logRetention, std::optional(Duration(std::chrono::days{30})));
    QCOMPARE(orders.maxCycleTime, std::optional(Duration(10min)));

    QVERIFY(!workspace.pollers.at(u"tokens"_s).deleteGuard.enabled);
    QCOMPARE(workspace.pollers.at(u"tokens"_s).identity.pattern->placeholders(),
             (QStringList{u"region"_s, u"id"_s}));
    QCOMPARE(workspace.pollers.at(u"tokens"_s).partitions.file, dataFolder + u"/tenants.json"_s);
    QCOMPARE(workspace.pollers.at(u"pages"_s).partitions.source, PartitionSource::Http);
    QCOMPARE(workspace.pollers.at(u"pages"_s).partitions.key.text(), u"id"_s);
    QCOMPARE(workspace.pollers.at(u"scripted"_s).partitions.poller, u"tokens"_s);
    QCOMPARE(workspace.pollers.at(u"everything"_s).deliver.to, QStringList{u"log"_s});
}

void TestWorkspace::everyCredentialIsRead()
{
    const WorkspaceDefinition workspace = loaded(u"everything.watukuy.json"_s);
    const auto &credentials = workspace.credentials;
    QCOMPARE(std::get<BearerCredential>(credentials.at(u"bearer"_s)).token.text(), u"${keychain:token}"_s);
    QCOMPARE(std::get<BasicCredential>(credentials.at(u"basic"_s)).username.text(), u"reader"_s);
    QVERIFY(std::get<BasicCredential>(credentials.at(u"keyAsUser"_s)).password.isEmpty());
    QCOMPARE(std::get<ApiKeyCredential>(credentials.at(u"apiKey"_s)).in, ApiKeyCredential::In::Query);
    const auto &client = std::get<OAuth2Credential>(credentials.at(u"client"_s));
    QVERIFY(!client.refreshGrant && client.basicClientAuth);
    QCOMPARE(client.scopes.size(), 2);
    const auto &refresh = std::get<OAuth2Credential>(credentials.at(u"refresh"_s));
    QVERIFY(refresh.refreshGrant && !refresh.basicClientAuth);
    QCOMPARE(std::get<HmacCredential>(credentials.at(u"hmac"_s)).algorithm, u"sha512"_s);
    const WorkspaceDefinition defaults =
        parsed(R"({"version":1,"credentials":{"h":{"kind":"hmac","key":"${env:K}"}}})");
    const auto &hmac = std::get<HmacCredential>(defaults.credentials.at(u"h"_s));
    QCOMPARE(hmac.payload.placeholders(), (QStringList{u"method"_s, u"path"_s, u"timestamp"_s, u"body"_s}));
    QCOMPARE(hmac.encoding, u"hex"_s);
}

void TestWorkspace::everySinkIsRead()
{
    const WorkspaceDefinition workspace = loaded(u"everything.watukuy.json"_s);
    const auto &sinks = workspace.sinks;
    const auto &file = std::get<FileSinkDefinition>(sinks.at(u"log"_s));
    QCOMPARE(file.rotateSize, std::optional<qint64>(qint64(64) << 20));
    QVERIFY(file.rotateDaily);
    QCOMPARE(file.keep, 30);
    QCOMPARE(file.fsync, FsyncPolicy::Always);
    const auto &hook = std::get<WebhookSinkDefinition>(sinks.at(u"hook"_s));
    QCOMPARE(hook.successStatuses, (QList<int>{200, 202}));
    QCOMPARE(hook.rateRequests, 10);
    const auto &topic = std::get<KafkaSinkDefinition>(sinks.at(u"topic"_s));
    QVERIFY(topic.structured);
    QCOMPARE(topic.properties.at(u"linger.ms"_s).text(), u"5"_s);
    QCOMPARE(std::get<RedisSinkDefinition>(sinks.at(u"stream"_s)).maxLength, qint64(100'000));
    const auto &script = std::get<CommandSinkDefinition>(sinks.at(u"script"_s));
    QCOMPARE(QDir::cleanPath(script.program), dataFolder + u"/notify.sh"_s);
    QCOMPARE(script.workingDirectory, dataFolder + u"/scripts"_s);
    QCOMPARE(std::get<NotificationSinkDefinition>(sinks.at(u"desktop"_s)).atMostCount, 5);
    const WorkspaceDefinition onPath =
        parsed(R"({"version":1,"sinks":{"c":{"kind":"command","program":"logger"}}})");
    QCOMPARE(std::get<CommandSinkDefinition>(onPath.sinks.at(u"c"_s)).program, u"logger"_s);
}

void TestWorkspace::pagingFollowsTheStrategy_data()
{
    QTest::addColumn<QByteArray>("query");
    QTest::addColumn<QByteArray>("rest");
    QTest::addColumn<PagingKind>("kind");
    QTest::addColumn<int>("start");
    const QByteArray none;
    const QByteArray token = R"("strategy":"token"},"response":{"cursor":"next")";
    QTest::newRow("timestamp") << none << QByteArray(R"("strategy":"timestamp","field":"t")")
                               << PagingKind::Keyset << 1;
    QTest::newRow("custom") << none << QByteArray(R"("strategy":"custom","advance":"x")")
                            << PagingKind::Keyset << 1;
    QTest::newRow("token") << none << token << PagingKind::Keyset << 1;
    QTest::newRow("page") << none << QByteArray(R"("strategy":"page")") << PagingKind::Keyset << 1;
    const QByteArray lists = R"("strategy":"snapshotDiff")";
    QTest::newRow("snapshotDiff") << none << lists << PagingKind::None << 1;
    QTest::newRow("snapshotDiff with a page")
        << QByteArray(R"("p":"${page}")") << lists << PagingKind::Page << 1;
    QTest::newRow("snapshotDiff with an offset")
        << QByteArray(R"("o":"${offset}")") << lists << PagingKind::Offset << 0;
    QTest::newRow("declared") << none << lists + R"(},"pagination":{"kind":"offset","param":"o")"
                              << PagingKind::Offset << 0;
    QTest::newRow("declared start") << none
                                    << lists + R"(},"pagination":{"kind":"page","param":"p","start":0)"
                                    << PagingKind::Page << 0;
    QTest::newRow("the template names the kind")
        << QByteArray(R"("p":"${page}")") << lists + R"(},"pagination":{"start":5)" << PagingKind::Page << 5;
}

void TestWorkspace::pagingFollowsTheStrategy()
{
    QFETCH(QByteArray, query);
    QFETCH(QByteArray, rest);
    QFETCH(PagingKind, kind);
    QFETCH(int, start);
    const PollerDefinition a = poller(R"("request":{"url":"https://x.example/a","query":{)" + query +
                                      R"(}},"identity":"id","cursor":{)" + rest + "}");
    QCOMPARE(a.pagination.kind, kind);
    QCOMPARE(a.pagination.start, qint64(start));
}

void TestWorkspace::reconcileIsLaidOverThePoller()
{
    const PollerDefinition orders = loaded(u"everything.watukuy.json"_s).pollers.at(u"orders"_s);
    const ReconcileDefinition &reconcile = *orders.reconcile;
    QCOMPARE(reconcile.every, Duration(6h));
    QCOMPARE(reconcile.request.method, QByteArray("GET"));
    QCOMPARE(reconcile.request.url, orders.request.url);
    QCOMPARE(textOf(reconcile.request.query, u"limit"_s), u"1000"_s);
    QCOMPARE(textOf(reconcile.request.query, u"page"_s), u"${page}"_s);
    QCOMPARE(textOf(reconcile.request.query, u"archived"_s), u"(absent)"_s);
    QCOMPARE(textOf(reconcile.request.query, u"since"_s), u"(absent)"_s);
    QCOMPARE(textOf(reconcile.request.headers, u"X-Tenant"_s), u"${partition.key}"_s);
    QCOMPARE(reconcile.request.bodyKind, BodyKind::None);
    QCOMPARE(reconcile.request.credential, QString());
    QCOMPARE(orders.request.credential, u"bearer"_s);
    QCOMPARE(reconcile.request.timeout, Duration(10s));
    QCOMPARE(reconcile.response.shape.items.text(), u"items"_s);
    QCOMPARE(reconcile.response.shape.total->text(), u"page.total"_s);
    QCOMPARE(reconcile.pagination.start, qint64(0));
    QCOMPARE(reconcile.pagination.step, qint64(2));
    QCOMPARE(reconcile.pagination.maxPages, 20);
    // A header is the same header in any case of letters.
    const PollerDefinition a =
        poller(QByteArray(timestamp) +
               R"(,"reconcile":{"every":"1h","request":{"headers":{"x-a":"3","X-B":null}}})");
    QCOMPARE(a.reconcile->request.headers.size(), size_t(1));
    QCOMPARE(textOf(a.reconcile->request.headers, u"x-a"_s), u"3"_s);
    QCOMPARE(textOf(a.request.headers, u"X-A"_s), u"1"_s);
}

void TestWorkspace::reconcilePagesByItsTemplate_data()
{
    QTest::addColumn<QByteArray>("reconcile");
    QTest::addColumn<PagingKind>("kind");
    QTest::addColumn<int>("size");
    QTest::newRow("nothing") << QByteArray() << PagingKind::None << 50;
    QTest::newRow("page") << QByteArray(R"(,"request":{"query":{"p":"${page}","limit":200}})")
                          << PagingKind::Page << 200;
    QTest::newRow("offset") << QByteArray(R"(,"request":{"query":{"o":"${offset}","limit":null}})")
                            << PagingKind::Offset << 0;
    QTest::newRow("token")
        << QByteArray(R"(,"request":{"query":{"t":"${next}"}},"pagination":{"kind":"token","path":"next"})")
        << PagingKind::Token << 50;
    QTest::newRow("nextUrl") << QByteArray(R"(,"pagination":{"kind":"nextUrl","path":"next"})")
                             << PagingKind::NextUrl << 50;
    QTest::newRow("link") << QByteArray(R"(,"pagination":{"kind":"link"})") << PagingKind::Link << 50;
}

void TestWorkspace::reconcilePagesByItsTemplate()
{
    QFETCH(QByteArray, reconcile);
    QFETCH(PagingKind, kind);
    QFETCH(int, size);
    const PollerDefinition a =
        poller(timestamp + QByteArray(R"(,"reconcile":{"every":"1h")") + reconcile + "}");
    QCOMPARE(a.pagination.kind, PagingKind::Keyset);
    QCOMPARE(a.reconcile->pagination.kind, kind);
    QCOMPARE(a.reconcile->pagination.start, qint64(kind == PagingKind::Offset ? 0 : 1));
    QCOMPARE(a.reconcile->pagination.size.value_or(0), qint64(size));
}

void TestWorkspace::reconcileInheritsDeclaredPaging()
{
    const PollerDefinition a = poller(
        R"("request":{"url":"https://x.example/a"},"identity":"id","cursor":{"strategy":"timestamp","field":"t"},)"
        R"("pagination":{"kind":"nextUrl","path":"links.next","maxPages":7},"reconcile":{"every":"1h"})");
    QCOMPARE(a.reconcile->pagination.kind, PagingKind::NextUrl);
    QCOMPARE(a.reconcile->response.shape.next->text(), u"links.next"_s);
    QCOMPARE(a.reconcile->pagination.maxPages, 7);
}

void TestWorkspace::scalarsOfAQueryKeepTheirDigits()
{
    const PollerDefinition a = poller(
        R"("request":{"url":"https://x.example/a","query":{"n":9007199254740993,"f":1.50,"b":true,"t":"x","z":null}},)"
        R"("identity":"id","cursor":{"strategy":"snapshotDiff"})");
    QCOMPARE(textOf(a.request.query, u"n"_s), u"9007199254740993"_s);
    QCOMPARE(textOf(a.request.query, u"f"_s), u"1.50"_s);
    QCOMPARE(textOf(a.request.query, u"b"_s), u"true"_s);
    QCOMPARE(textOf(a.request.query, u"z"_s), u"(absent)"_s);
    QCOMPARE(a.request.query.size(), size_t(4));
}

void TestWorkspace::probesFollowTheLongestInterval()
{
    QCOMPARE(poller(QByteArray(snapshot) + R"(,"schedule":{"max":"20m"})").circuit.probeEvery,
             Duration(20min));
    QCOMPARE(poller(QByteArray(snapshot) + R"(,"circuit":{"probeEvery":"7s"},"schedule":{"max":"20m"})")
                 .circuit.probeEvery,
             Duration(7s));
    QCOMPARE(poller(QByteArray(snapshot) + R"(,"schedule":{"min":"10m"})").schedule.max, Duration(10min));
}

void TestWorkspace::leasesAreRenewedThreeTimes()
{
    QCOMPARE(parsed(R"({"version":1,"lease":{"ttl":"90s"}})").leaseRenewEvery, Duration(30s));
}

void TestWorkspace::withoutAStoreItIsSqliteBesideTheWorkspace()
{
    QCOMPARE(std::get<SqliteStoreDefinition>(parsed(R"({"version":1})").store).path,
             u"/work place/shop.db"_s);
    QVERIFY(std::holds_alternative<MemoryStoreDefinition>(
        parsed(R"({"version":1,"store":{"kind":"memory"}})").store));
}

void TestWorkspace::aFolderThatLooksLikeAPlaceholderStaysItself()
{
    const auto workspace =
        parseWorkspace(R"({"version":1,"sinks":{"f":{"kind":"file","path":"${poller}.jsonl"}}})",
                       u"/a ${poller}/w.watukuy.json"_s);
    QVERIFY(workspace.has_value());
    const Template path = std::get<FileSinkDefinition>(workspace->sinks.at(u"f"_s)).path;
    const auto expanded = path.expand(
        [](const QString &) -> Result<std::optional<QString>> { return std::optional(u"orders"_s); });
    QCOMPARE(expanded.value(), std::optional(u"/a ${poller}/orders.jsonl"_s));
}

void TestWorkspace::absolutePathsStayAbsolute()
{
    const WorkspaceDefinition workspace = parsed(
        R"({"version":1,"store":{"kind":"sqlite","path":"/var/lib/x.db"},"sinks":{"f":{"kind":"file","path":"/var/log/${date}"}}})");
    QCOMPARE(std::get<SqliteStoreDefinition>(workspace.store).path, u"/var/lib/x.db"_s);
    QCOMPARE(std::get<FileSinkDefinition>(workspace.sinks.at(u"f"_s)).path.text(), u"/var/log/${date}"_s);
}

void TestWorkspace::bodiesOfEveryKindAreRead()
{
    const WorkspaceDefinition workspace = loaded(u"everything.watukuy.json"_s);
    const auto &pollers = workspace.pollers;
    QCOMPARE(pollers.at(u"orders"_s).request.bodyKind, BodyKind::Json);
    QVERIFY(pollers.at(u"orders"_s).request.body.uses(u"lane"));
    QCOMPARE(pollers.at(u"tokens"_s).request.bodyKind, BodyKind::Form);
    QCOMPARE(textOf(pollers.at(u"tokens"_s).request.form, u"a"_s), u"1"_s);
    QCOMPARE(pollers.at(u"pages"_s).request.bodyKind, BodyKind::Text);
    QCOMPARE(pollers.at(u"scripted"_s).request.bodyKind, BodyKind::GraphQl);
    QVERIFY(pollers.at(u"scripted"_s).request.uses(u"cursor."));
    const PollerDefinition a = poller(
        R"("request":{"url":"https://x.example/a","body":{"graphql":"{ a }"}},"identity":"id","cursor":{"strategy":"snapshotDiff"})");
    QCOMPARE(a.request.body.text(), u"{\"query\":\"{ a }\"}"_s);
}

void TestWorkspace::aByteOrderMarkIsSkipped()
{
    QVERIFY(parseWorkspace("\xEF\xBB\xBF{\"version\":1}", u"/w.watukuy.json"_s).has_value());
}

QTEST_APPLESS_MAIN(TestWorkspace)
#include "test_workspace.moc"
