// SPDX-License-Identifier: GPL-3.0-or-later
#include <functional>

#include <QtTest>

#include <valijson/adapters/qtjson_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "engine/definition/schema.h"
#include "engine/definition/workspace.h"

using namespace watukuy;
using namespace Qt::StringLiterals;

namespace {

QJsonObject objectOf(const QString &file)
{
    QFile opened(file);
    if (!opened.open(QIODevice::ReadOnly))
        qFatal("%s cannot be read", qPrintable(file));
    return QJsonDocument::fromJson(opened.readAll()).object();
}

QString data(const QString &name)
{
    return QStringLiteral(WATUKUY_SOURCE_DIR "/") + name;
}

/// `into` with `value` at `steps`; an undefined value takes the member out.
QJsonValue changed(const QJsonValue &into, const QStringList &steps, const QJsonValue &value)
{
    if (steps.isEmpty())
        return value;
    if (into.isArray()) {
        QJsonArray list = into.toArray();
        const qsizetype index = steps.first().toInt();
        const QJsonValue element = changed(list.at(index), steps.mid(1), value);
        if (index == list.size())
            list.append(element);
        else
            list[index] = element;
        return list;
    }
    QJsonObject object = into.toObject();
    const QJsonValue member = changed(object.value(steps.first()), steps.mid(1), value);
    if (member.isUndefined())
        object.remove(steps.first());
    else
        object.insert(steps.first(), member);
    return object;
}

QStringList stepsOf(const QString &pointer)
{
    QStringList steps = pointer.split(u'/').mid(1);
    for (QString &step : steps)
        step.replace(u"~1"_s, u"/"_s).replace(u"~0"_s, u"~"_s);
    return steps;
}

void namesIn(const QJsonValue &value, QSet<QString> &names)
{
    for (const QJsonValue &element : value.toArray())
        namesIn(element, names);
    const QJsonObject object = value.toObject();
    for (auto member = object.begin(); member != object.end(); ++member) {
        names.insert(member.key());
        namesIn(member.value(), names);
    }
}

/// Calls `visit` with every schema inside `schema`, itself included.
void eachSchema(const QJsonValue &schema, const QString &place,
                const std::function<void(const QJsonObject &, const QString &)> &visit)
{
    const QJsonObject object = schema.toObject();
    visit(object, place);
    for (auto member = object.begin(); member != object.end(); ++member) {
        const QString inside = place + u'/' + member.key();
        const bool namesSchemas =
            member.key() == u"properties" || member.key() == u"patternProperties" || member.key() == u"$defs";
        if (namesSchemas) {
            const QJsonObject named = member.value().toObject();
            for (auto one = named.begin(); one != named.end(); ++one)
                eachSchema(one.value(), inside + u'/' + one.key(), visit);
        } else if (member.value().isObject()) {
            eachSchema(member.value(), inside, visit);
        }
        for (const QJsonValue &element : member.value().toArray()) {
            if (element.isObject())
                eachSchema(element, inside + u"/-"_s, visit);
        }
    }
}

} // namespace

class TestWorkspaceSchema : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void goodWorkspacesPassBoth_data();
    void goodWorkspacesPassBoth();
    void aChangeThatIsFinePassesBoth_data();
    void aChangeThatIsFinePassesBoth();
    void aBrokenWorkspaceIsRefusedByBoth_data();
    void aBrokenWorkspaceIsRefusedByBoth();
    void theExampleUsesEveryKeyOfTheSchema();
    void noObjectLetsUnknownKeysThrough();
    void everyKeyIsDescribed();

private:
    /// What the schema says against `workspace`; empty when it accepts.
    [[nodiscard]] QString schemaSays(const QJsonValue &workspace) const;
    static WorkspaceErrors readerErrors(const QJsonValue &workspace);
    QJsonObject m_everything;
    QJsonObject m_schemaText;
    valijson::Schema m_schema;
};

void TestWorkspaceSchema::initTestCase()
{
    const QJsonDocument document = QJsonDocument::fromJson(workspaceSchema());
    QVERIFY(document.isObject());
    m_schemaText = document.object();
    const QJsonValue value(m_schemaText);
    valijson::SchemaParser parser;
    parser.populateSchema(valijson::adapters::QtJsonAdapter(value), m_schema);
    m_everything = objectOf(data(u"tests/unit/data/everything.watukuy.json"_s));
}

QString TestWorkspaceSchema::schemaSays(const QJsonValue &workspace) const
{
    valijson::Validator validator(valijson::Validator::kStrongTypes);
    valijson::ValidationResults results;
    if (validator.validate(m_schema, valijson::adapters::QtJsonAdapter(workspace), &results))
        return {};
    QStringList said;
    for (valijson::ValidationResults::Error error; results.popError(error);) {
        QString place;
        for (const std::string &step : error.context)
            place += QString::fromStdString(step);
        said.append(place + u": "_s + QString::fromStdString(error.description));
    }
    return u"refused\n"_s + said.join(u'\n');
}

WorkspaceErrors TestWorkspaceSchema::readerErrors(const QJsonValue &workspace)
{
    const auto read =
        parseWorkspace(QJsonDocument(workspace.toObject()).toJson(), u"/w/everything.watukuy.json"_s);
    return read ? WorkspaceErrors{} : read.error();
}

void TestWorkspaceSchema::goodWorkspacesPassBoth_data()
{
    QTest::addColumn<QString>("file");
    for (const char *file : {"tests/unit/data/orders.watukuy.json", "tests/unit/data/everything.watukuy.json",
                             "resources/demo.watukuy.json"})
        QTest::newRow(file) << QString::fromLatin1(file);
}

void TestWorkspaceSchema::goodWorkspacesPassBoth()
{
    QFETCH(QString, file);
    const QJsonValue workspace(objectOf(data(file)));
    QVERIFY(workspace.toObject().contains(u"version"_s));
    QVERIFY2(schemaSays(workspace).isEmpty(), qPrintable(schemaSays(workspace)));
    QCOMPARE(readerErrors(workspace), WorkspaceErrors{});
}

void TestWorkspaceSchema::aChangeThatIsFinePassesBoth_data()
{
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    const auto fine = [](const char *pointer, const char *value) {
        QTest::addRow("%s = %s", pointer, value) << QString::fromUtf8(pointer) << QString::fromUtf8(value);
    };
    fine("/store", R"({"kind":"memory"})");
    fine("/store", R"({"kind":"sqlite","path":"a.db"})");
    fine("/store",
         R"({"kind":"redis","host":"a","port":1,"database":2,"password":"${file:p}","prefix":"w:"})");
    fine("/store", "");
    fine("/budgets/erp/maxWait", R"("1d")");
    fine("/pollers/orders/request/maxBytes", R"("64MB")");
    fine("/pollers/orders/request/method", R"("QUERY")");
    fine("/pollers/orders/request/body", R"({"json":null})");
    fine("/pollers/orders/request/body", R"({"graphql":"{ a }"})");
    fine("/pollers/orders/identity", R"("${a}/${b.c}")");
    fine("/pollers/orders/identity", R"("a\\.b.0")");
    fine("/pollers/orders/fingerprint", R"(["a","/b~1c"])");
    fine("/pollers/orders/response/items", R"("")");
    fine("/pollers/orders/deleteGuard", R"("off")");
    fine("/pollers/orders/cursor/initial", "1767225600");
    fine("/pollers/orders/cursor/initial", "null");
    fine("/pollers/orders/cursor/lag", R"("0s")");
    fine("/pollers/orders/cursor/format", R"("yyyy")");
    fine("/pollers/orders/tags", R"("one")");
    fine("/credentials/basic", R"({"kind":"basic","username":"${env:KEY}"})");
    fine("/credentials/bearer/token", R"("a ${keychain:b} c")");
    fine("/sinks/hook/headers", R"({"Authorization":"Basic ${env:A}"})");
}

void TestWorkspaceSchema::aChangeThatIsFinePassesBoth()
{
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    const QJsonValue made = value.isEmpty()
                                ? QJsonValue(QJsonValue::Undefined)
                                : QJsonDocument::fromJson('[' + value.toUtf8() + ']').array().at(0);
    QVERIFY(value.isEmpty() || !made.isUndefined());
    const QJsonValue workspace = changed(m_everything, stepsOf(pointer), made);
    const WorkspaceErrors errors = readerErrors(workspace);
    QVERIFY2(errors.isEmpty(),
             errors.isEmpty() ? "" : qPrintable(errors.first().pointer + u": "_s + errors.first().message));
    QVERIFY2(schemaSays(workspace).isEmpty(), qPrintable(schemaSays(workspace)));
}

void TestWorkspaceSchema::aBrokenWorkspaceIsRefusedByBoth_data()
{
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    const auto broken = [](const char *pointer, const char *value) {
        QTest::addRow("%s = %s", pointer, *value ? value : "(taken out)")
            << QString::fromUtf8(pointer) << QString::fromUtf8(value);
    };
    // Required members, taken out.
    for (const char *pointer : {"/version",
                                "/budgets/erp/requests",
                                "/budgets/erp/per",
                                "/credentials/bearer/kind",
                                "/credentials/bearer/token",
                                "/credentials/basic/username",
                                "/credentials/basic/password",
                                "/credentials/apiKey/name",
                                "/credentials/apiKey/value",
                                "/credentials/client/tokenUrl",
                                "/credentials/client/clientId",
                                "/credentials/client/clientSecret",
                                "/credentials/refresh/refreshToken",
                                "/credentials/hmac/key",
                                "/sinks/log/kind",
                                "/sinks/log/path",
                                "/sinks/hook/url",
                                "/sinks/hook/rateLimit/per",
                                "/sinks/topic/brokers",
                                "/sinks/topic/topic",
                                "/sinks/stream/host",
                                "/sinks/stream/stream",
                                "/sinks/script/program",
                                "/sinks/desktop/atMost/count",
                                "/store/kind",
                                "/store/host",
                                "/store/database",
                                "/pollers/orders/request",
                                "/pollers/orders/request/url",
                                "/pollers/orders/identity",
                                "/pollers/orders/cursor",
                                "/pollers/orders/cursor/strategy",
                                "/pollers/orders/cursor/field",
                                "/pollers/orders/reconcile/every",
                                "/pollers/orders/fingerprint/exclude",
                                "/pollers/orders/partitions/list",
                                "/pollers/orders/partitions/list/0/key",
                                "/pollers/orders/log/retention",
                                "/pollers/orders/request/tls/key",
                                "/pollers/scripted/cursor/advance",
                                "/pollers/tokens/response/cursor",
                                "/pollers/pages/partitions/key",
                                "/pollers/scripted/request/body/graphql/query"})
        broken(pointer, "");
    // Unknown keys, everywhere.
    for (const char *place : {"",
                              "/lease",
                              "/store",
                              "/budgets/erp",
                              "/credentials/bearer",
                              "/credentials/basic",
                              "/credentials/apiKey",
                              "/credentials/client",
                              "/credentials/hmac",
                              "/sinks/log",
                              "/sinks/log/rotate",
                              "/sinks/hook",
                              "/sinks/hook/rateLimit",
                              "/sinks/topic",
                              "/sinks/stream",
                              "/sinks/script",
                              "/sinks/desktop",
                              "/sinks/desktop/atMost",
                              "/pollers/orders",
                              "/pollers/orders/request",
                              "/pollers/orders/request/tls",
                              "/pollers/orders/request/body",
                              "/pollers/orders/response",
                              "/pollers/orders/pagination",
                              "/pollers/orders/fingerprint",
                              "/pollers/orders/cursor",
                              "/pollers/tokens/cursor",
                              "/pollers/pages/cursor",
                              "/pollers/scripted/cursor",
                              "/pollers/everything/cursor",
                              "/pollers/orders/reconcile",
                              "/pollers/orders/reconcile/request",
                              "/pollers/orders/deleteGuard",
                              "/pollers/orders/partitions",
                              "/pollers/orders/partitions/list/0",
                              "/pollers/orders/schedule",
                              "/pollers/orders/schedule/backoff",
                              "/pollers/orders/circuit",
                              "/pollers/orders/deliver",
                              "/pollers/orders/deliver/retry",
                              "/pollers/orders/deliver/poison",
                              "/pollers/orders/log",
                              "/pollers/pages/partitions/request"})
        broken(qPrintable(QString::fromLatin1(place) + u"/surprise"_s), "1");
    // null is no value.
    for (const char *pointer :
         {"/store", "/readOnly", "/sinks/log/path", "/pollers/orders/request/url",
          "/pollers/orders/request/credential", "/pollers/orders/request/body", "/pollers/orders/schedule",
          "/pollers/orders/budget", "/variables/api", "/pollers/orders/cursor/lag"})
        broken(pointer, "null");
    // Wrong types.
    for (const char *pointer :
         {"/store", "/budgets", "/lease", "/credentials/bearer", "/pollers/orders",
          "/pollers/orders/request/query", "/pollers/orders/request/headers", "/pollers/orders/deliver",
          "/pollers/orders/schema", "/pollers/orders/partitions/list",
          "/pollers/orders/partitions/list/0/data", "/sinks/hook/successStatuses"})
        broken(pointer, R"("text")");
    for (const char *pointer :
         {"/environment", "/instance", "/$schema", "/sinks/log/path", "/pollers/orders/description",
          "/pollers/orders/identity", "/pollers/orders/version", "/pollers/orders/request/url",
          "/pollers/orders/response/items", "/pollers/orders/cursor/field", "/pollers/orders/deliver/to/0",
          "/pollers/orders/tags/0", "/pollers/orders/schedule/min", "/pollers/orders/budget",
          "/credentials/bearer/token"})
        broken(pointer, "7");
    for (const char *pointer : {"/readOnly", "/pollers/orders/enabled", "/pollers/orders/schedule/adaptive",
                                "/pollers/orders/deliver/poison/holdKey"})
        broken(pointer, R"("true")");
    broken("/variables/api", "[]");
    broken("/variables/api", R"("${env:X}")");
    broken("/pollers/orders/request/query/since", "[]");
    broken("/pollers/orders/request/body/json", "");
    // Words.
    for (const char *pointer : {"/store/kind",
                                "/store/tls",
                                "/budgets/erp/fairness",
                                "/credentials/bearer/kind",
                                "/credentials/apiKey/in",
                                "/credentials/client/grant",
                                "/credentials/client/clientAuth",
                                "/credentials/hmac/algorithm",
                                "/credentials/hmac/encoding",
                                "/sinks/log/kind",
                                "/sinks/log/fsync",
                                "/sinks/log/rotate/every",
                                "/sinks/topic/mode",
                                "/pollers/orders/request/method",
                                "/pollers/orders/request/validators",
                                "/pollers/orders/request/redirects",
                                "/pollers/orders/response/format",
                                "/pollers/orders/response/onStatus/404",
                                "/pollers/orders/pagination/kind",
                                "/pollers/orders/onSchemaChange",
                                "/pollers/orders/retain",
                                "/pollers/orders/onInvalid",
                                "/pollers/orders/cursor/strategy",
                                "/pollers/orders/cursor/unit",
                                "/pollers/orders/deleteGuard",
                                "/pollers/orders/deliver/poison/action",
                                "/pollers/orders/deliver/format"})
        broken(pointer, R"("surprise")");
    // Numbers out of bounds.
    for (const char *pointer : {"/version",
                                "/dispatchBatchSize",
                                "/budgets/erp/requests",
                                "/budgets/erp/burst",
                                "/store/port",
                                "/sinks/stream/port",
                                "/pollers/orders/request/cost",
                                "/pollers/orders/request/maxBytes",
                                "/pollers/orders/pagination/maxPages",
                                "/pollers/orders/schemaVersion",
                                "/pollers/orders/reconcile/pagination/size",
                                "/pollers/orders/reconcile/pagination/step",
                                "/pollers/orders/schedule/backoff/factor",
                                "/pollers/orders/circuit/failures",
                                "/pollers/orders/budgetWeight",
                                "/pollers/orders/deliver/concurrency",
                                "/pollers/orders/deliver/retry/attempts",
                                "/pollers/orders/maxPagesPerCycle",
                                "/sinks/desktop/atMost/count",
                                "/sinks/hook/successStatuses/0"})
        broken(pointer, "0");
    for (const char *pointer :
         {"/sinks/log/keep", "/sinks/stream/maxLength", "/pollers/orders/reconcile/pagination/start",
          "/pollers/orders/schedule/jitter", "/pollers/orders/deleteGuard/maxPercent",
          "/pollers/orders/deleteGuard/minItems", "/pollers/pages/cursor/initial"})
        broken(pointer, "-1");
    broken("/pollers/orders/deleteGuard/maxPercent", "100.5");
    broken("/pollers/orders/schedule/jitter", "1.1");
    broken("/dispatchBatchSize", "1.5");
    broken("/sinks/hook/successStatuses/0", "600");
    // Durations and sizes.
    for (const char *pointer :
         {"/lease/ttl", "/budgets/erp/per", "/budgets/erp/maxWait", "/sinks/hook/timeout",
          "/sinks/script/timeout", "/pollers/orders/request/timeout", "/pollers/orders/cursor/lag",
          "/pollers/orders/cursor/overlap", "/pollers/orders/cursor/maxAhead",
          "/pollers/orders/reconcile/every", "/pollers/orders/partitions/refresh",
          "/pollers/orders/schedule/min", "/pollers/orders/circuit/probeEvery",
          "/pollers/orders/log/retention", "/pollers/orders/maxCycleTime", "/pollers/orders/validatorMaxAge",
          "/pollers/orders/tombstoneRetention"})
        broken(pointer, R"("5 minutes")");
    for (const char *pointer : {"/lease/ttl", "/budgets/erp/per", "/pollers/orders/request/timeout",
                                "/pollers/orders/reconcile/every", "/pollers/orders/schedule/min",
                                "/pollers/orders/log/retention", "/pollers/orders/schedule/backoff/base"})
        broken(pointer, R"("0s")");
    for (const char *pointer : {"/pollers/orders/request/maxBytes", "/sinks/log/rotate/size"}) {
        broken(pointer, R"("big")");
        broken(pointer, R"("0MB")");
    }
    // Secrets and addresses.
    for (const char *pointer :
         {"/credentials/bearer/token", "/credentials/basic/password", "/credentials/apiKey/value",
          "/credentials/client/clientSecret", "/credentials/refresh/refreshToken", "/credentials/hmac/key",
          "/sinks/hook/secret", "/sinks/stream/password", "/store/password",
          "/sinks/topic/properties/sasl.password", "/sinks/hook/headers/Authorization",
          "/pollers/orders/request/headers/X-Api-Key"})
        broken(pointer, R"("hunter2")");
    for (const char *pointer : {"/pollers/orders/request/query/since", "/pollers/tokens/request/body/form/a",
                                "/pollers/pages/request/body/text"})
        broken(pointer, R"("x${env:KEY}")");
    for (const char *pointer :
         {"/pollers/orders/request/url", "/sinks/hook/url", "/credentials/client/tokenUrl"})
        broken(pointer, R"("ftp://x.example/")");
    broken("/pollers/orders/request/url", R"("https://me:pass@x.example/")");
    broken("/pollers/orders/request/url", R"("https://x.example/${keychain:KEY}")");
    // Names and paths.
    broken("/pollers/..~1escape",
           R"({"request":{"url":"https://x.example"},"identity":"id","cursor":{"strategy":"snapshotDiff"}})");
    broken("/sinks/", R"({"kind":"file","path":"a"})");
    broken("/budgets/a b", R"({"requests":1,"per":"1s"})");
    broken("/variables/-x", "1");
    broken("/pollers/orders/request/headers/X Y", R"("1")");
    broken("/pollers/orders/response/onStatus/4xx", R"("empty")");
    broken("/pollers/orders/response/items", R"("/a~2b")");
    broken("/pollers/orders/identity", "[]");
    broken("/pollers/orders/fingerprint", "[]");
    // What excludes what.
    broken("/pollers/orders/request/body/text", R"("x")");
    broken("/pollers/orders/partitions/file", R"("x")");
    broken("/pollers/everything/reconcile", R"({"every":"1h"})");
    broken("/pollers/everything/cursor/field", R"("t")");
    broken("/sinks/log/url", R"("https://x.example")");
}

void TestWorkspaceSchema::aBrokenWorkspaceIsRefusedByBoth()
{
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    const QJsonValue made = value.isEmpty()
                                ? QJsonValue(QJsonValue::Undefined)
                                : QJsonDocument::fromJson('[' + value.toUtf8() + ']').array().at(0);
    QVERIFY(value.isEmpty() || !made.isUndefined());
    const QJsonValue workspace = changed(m_everything, stepsOf(pointer), made);
    QVERIFY(workspace != QJsonValue(m_everything));
    const WorkspaceErrors errors = readerErrors(workspace);
    QVERIFY2(!errors.isEmpty(), "the reader takes it");
    QVERIFY2(!schemaSays(workspace).isEmpty(), "the schema takes it");
    for (const WorkspaceError &error : errors)
        QVERIFY(error.line > 0 && !error.message.isEmpty());
}

void TestWorkspaceSchema::theExampleUsesEveryKeyOfTheSchema()
{
    QSet<QString> known;
    eachSchema(m_schemaText, {}, [&](const QJsonObject &schema, const QString &) {
        for (const QString &name : schema.value(u"properties"_s).toObject().keys())
            known.insert(name);
    });
    QVERIFY(known.size() > 100);
    QSet<QString> used;
    namesIn(m_everything, used);
    const QStringList missing = QSet<QString>(known).subtract(used).values();
    QVERIFY2(missing == QStringList{u"prefix"_s},
             qPrintable(missing.join(u", "_s))); // only the redis store has it
}

void TestWorkspaceSchema::noObjectLetsUnknownKeysThrough()
{
    QStringList open;
    eachSchema(m_schemaText, {}, [&](const QJsonObject &schema, const QString &place) {
        // A condition only looks; where a kind is chosen, each branch closes its object.
        const bool looks = place.contains(u"/if") || place.endsWith(u"/then") || place.contains(u"/anyOf/");
        const bool chooses = schema.contains(u"then"_s);
        if (schema.contains(u"properties"_s) && !looks && !chooses &&
            schema.value(u"additionalProperties"_s) != QJsonValue(false))
            open.append(place);
    });
    QVERIFY2(open.isEmpty(), qPrintable(open.join(u'\n')));
}

void TestWorkspaceSchema::everyKeyIsDescribed()
{
    QStringList silent;
    eachSchema(m_schemaText, {}, [&](const QJsonObject &schema, const QString &place) {
        if (schema.value(u"additionalProperties"_s) != QJsonValue(false))
            return;
        const QJsonObject properties = schema.value(u"properties"_s).toObject();
        for (auto property = properties.begin(); property != properties.end(); ++property) {
            const QJsonObject inside = property.value().toObject();
            const bool isSaidElsewhere = inside.contains(u"$ref"_s) || property.key() == u"kind";
            if (!inside.contains(u"description"_s) && !isSaidElsewhere)
                silent.append(place + u'/' + property.key());
        }
    });
    QVERIFY2(silent.isEmpty(), qPrintable(silent.join(u'\n')));
}

QTEST_APPLESS_MAIN(TestWorkspaceSchema)
#include "test_workspace_schema.moc"
