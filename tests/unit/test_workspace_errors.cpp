// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "engine/definition/workspace.h"

using namespace watukuy;
using namespace Qt::StringLiterals;

namespace {

WorkspaceErrors errorsOf(const QByteArray &text)
{
    const auto workspace = parseWorkspace(text, u"/w/test.watukuy.json"_s);
    return workspace ? WorkspaceErrors{} : workspace.error();
}

QString listed(const WorkspaceErrors &errors)
{
    QStringList lines;
    for (const WorkspaceError &error : errors)
        lines.append(u"%1:%2: %3 | %4"_s.arg(error.line).arg(error.pointer, error.message, error.hint));
    return lines.join(u'\n');
}

/// Poller `a` on lines of its own: line 3 request, 4 identity, 5 cursor, 6 and on `more`.
QByteArray withPoller(const QByteArray &request, const QByteArray &cursor, const QByteArray &more = {})
{
    return "{\"version\": 1, \"variables\": {\"api\": \"x\"},\n\"pollers\": {\"a\": {\n\"request\": " +
           request + ",\n\"identity\": \"id\",\n\"cursor\": " + cursor +
           (more.isEmpty() ? "" : ",\n" + more) + "\n}}}";
}

constexpr const char *plain = R"({"url": "https://x.example/a"})";
constexpr const char *lists = R"({"strategy": "snapshotDiff"})";
constexpr const char *byTime = R"({"strategy": "timestamp", "field": "t"})";

void row(const char *name, const QByteArray &text, const QString &pointer, int line, const QString &says,
         const QString &hints = {})
{
    QTest::newRow(name) << text << pointer << line << says << hints;
}

} // namespace

class TestWorkspaceErrors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneMistakeIsOneErrorWithItsPlace_data();
    void oneMistakeIsOneErrorWithItsPlace();
    void everyErrorIsReportedInTheOrderOfTheText();
    void whatHangsOnAMistakeIsNotReportedTwice_data();
    void whatHangsOnAMistakeIsNotReportedTwice();
    void aFileThatCannotBeReadSaysWhy_data();
    void aFileThatCannotBeReadSaysWhy();
    void aFileOfAnotherEncodingIsRefusedWithItsLine();
    void aFileBeyondSixteenMegabytesIsRefused();

private:
    void topLevelRows();
    void requestRows();
    void placeholderRows();
    void cursorAndPagingRows();
    void pollerRows();
    void endpointRows();
    QTemporaryDir m_folder;
};

void TestWorkspaceErrors::topLevelRows()
{
    row("unknown key", "{\"version\": 1,\n\"sorce\": 1}", u"/sorce"_s, 2, u"not a key"_s, u"\"store\""_s);
    row("unknown key, nothing near", "{\"version\": 1,\n\"zzzzzzzz\": 1}", u"/zzzzzzzz"_s, 2, u"not a key"_s,
        u"Known keys: version"_s);
    row("a key with a slash", "{\"version\": 1,\n\"a/b~\": 1}", u"/a~1b~0"_s, 2, u"not a key"_s);
    row("no version", "\n{}", QString(), 2, u"\"version\" is missing"_s, u"\"version\": 1"_s);
    row("version 2", "{\n\"version\": 2}", u"/version"_s, 2, u"version 1, not 2"_s);
    row("version as a text", "{\n\"version\": \"1\"}", u"/version"_s, 2, u"not \"1\""_s);
    row("a list", "\n[]", QString(), 2, u"An object is expected here, not a list"_s);
    row("null", "{\"version\": 1,\n\"store\": null}", u"/store"_s, 2, u"cannot be null"_s,
        u"take the key out"_s);
    row("wrong type", "{\"version\": 1,\n\"readOnly\": \"yes\"}", u"/readOnly"_s, 2,
        u"true or false, not a text: \"yes\""_s);
    row("number out of range", "{\"version\": 1,\n\"dispatchBatchSize\": 0}", u"/dispatchBatchSize"_s, 2,
        u"between 1 and 100000, not 0"_s);
    row("no whole number", "{\"version\": 1,\n\"dispatchBatchSize\": 1.5}", u"/dispatchBatchSize"_s, 2,
        u"whole number"_s);
    row("section of the wrong type", "{\"version\": 1,\n\"pollers\": []}", u"/pollers"_s, 2,
        u"should be an object, not a list"_s);
    row("lease renewed too late",
        "{\"version\": 1,\n\"lease\": {\"ttl\": \"10s\",\n\"renewEvery\": \"10s\"}}", u"/lease/renewEvery"_s,
        3, u"shorter than \"ttl\""_s);
    row("variable of the wrong type", "{\"version\": 1,\n\"variables\": {\"a\": [1]}}", u"/variables/a"_s, 2,
        u"not a list"_s);
    row("placeholder in a variable", "{\"version\": 1,\n\"variables\": {\"a\": \"${env:X}\"}}",
        u"/variables/a"_s, 2, u"cannot hold a placeholder"_s);
    row("bad poller name",
        "{\"version\": 1,\n\"pollers\": {\"../x\": {\"request\": {\"url\": \"https://x.example\"}, "
        "\"identity\": \"id\", \"cursor\": {\"strategy\": \"snapshotDiff\"}}}}",
        u"/pollers/..~1x"_s, 2, u"name of a poller"_s);
    row("budget without its time", "{\"version\": 1,\n\"budgets\": {\"b\":\n{\"requests\": 5}}}",
        u"/budgets/b"_s, 3, u"\"per\" is missing"_s);
    row("burst beyond the budget",
        "{\"version\": 1,\n\"budgets\": {\"b\": {\"requests\": 5, \"per\": \"1s\",\n\"burst\": 6}}}",
        u"/budgets/b/burst"_s, 3, u"more than"_s);
    row("names twice",
        "{\"version\": 1,\n\"budgets\": {\"b\": {\"requests\": 5, \"per\": \"1s\"},\n\"b\": {\"requests\": "
        "6, \"per\": \"1s\"}}}",
        u"/budgets/b"_s, 3, u"named twice"_s);
    row("names twice deep inside",
        withPoller(R"({"url": "https://x.example", "body": {"json": {"x": {"y": 1,
"y": 2}}}})",
                   lists),
        u"/pollers/a/request/body/json/x/y"_s, 4, u"named twice"_s);
}

void TestWorkspaceErrors::requestRows()
{
    row("no request url", withPoller("{}", lists), u"/pollers/a/request"_s, 3, u"\"url\" is missing"_s);
    row("no web address", withPoller(R"({"url": "ftp://x.example"})", lists), u"/pollers/a/request/url"_s, 3,
        u"no http or https address"_s);
    row("half an address", withPoller(R"({"url": "x.example/a"})", lists), u"/pollers/a/request/url"_s, 3,
        u"no http or https address"_s, u"in full"_s);
    row("an empty address", withPoller(R"({"url": ""})", lists), u"/pollers/a/request/url"_s, 3,
        u"no http or https address"_s);
    row("a password in the address", withPoller(R"({"url": "https://me:pass@x.example"})", lists),
        u"/pollers/a/request/url"_s, 3, u"user name or a password"_s);
    row("unknown method", withPoller(R"({"url": "https://x.example", "method": "get"})", lists),
        u"/pollers/a/request/method"_s, 3, u"cannot be \"get\""_s, u"GET"_s);
    row("bad duration", withPoller(R"({"url": "https://x.example", "timeout": "5 parsecs"})", lists),
        u"/pollers/a/request/timeout"_s, 3, u"no duration: \"5 parsecs\""_s, u"250ms"_s);
    row("duration as a number", withPoller(R"({"url": "https://x.example", "timeout": 5})", lists),
        u"/pollers/a/request/timeout"_s, 3, u"no duration: 5"_s);
    row("no duration at all", withPoller(R"({"url": "https://x.example", "timeout": "0s"})", lists),
        u"/pollers/a/request/timeout"_s, 3, u"longer than nothing"_s);
    row("bad size", withPoller(R"({"url": "https://x.example", "maxBytes": "lots"})", lists),
        u"/pollers/a/request/maxBytes"_s, 3, u"no size: \"lots\""_s, u"64MB"_s);
    row("no size at all", withPoller(R"({"url": "https://x.example", "maxBytes": 0})", lists),
        u"/pollers/a/request/maxBytes"_s, 3, u"no size: 0"_s);
    row("query of lists", withPoller(R"({"url": "https://x.example", "query": {"a": [1]}})", lists),
        u"/pollers/a/request/query/a"_s, 3, u"not a list"_s);
    row("two bodies",
        withPoller(R"({"url": "https://x.example", "body": {"text": "a",
"form": {}}})",
                   lists),
        u"/pollers/a/request/body/form"_s, 4, u"A body has one of"_s, u"Take the others out"_s);
    row("no body in a body", withPoller(R"({"url": "https://x.example", "body": {}})", lists),
        u"/pollers/a/request/body"_s, 3, u"A body has one of"_s);
    row("half a client certificate",
        withPoller(R"({"url": "https://x.example", "tls": {"cert": "a.pem"}})", lists),
        u"/pollers/a/request/tls/cert"_s, 3, u"\"cert\" and \"key\""_s);
    row("bad header name", withPoller(R"({"url": "https://x.example", "headers": {"X A": "1"}})", lists),
        u"/pollers/a/request/headers/X A"_s, 3, u"name of a header"_s);
    row("unknown credential", withPoller(R"({"url": "https://x.example", "credential": "erp"})", lists),
        u"/pollers/a/request/credential"_s, 3, u"There is no credential \"erp\""_s, u"has none"_s);
    row("bad status", withPoller(plain, lists, R"("response": {"onStatus": {"40x": "empty"}})"),
        u"/pollers/a/response/onStatus/40x"_s, 6, u"no HTTP status"_s);
    row("bad answer to a status", withPoller(plain, lists, R"("response": {"onStatus": {"404": "emty"}})"),
        u"/pollers/a/response/onStatus/404"_s, 6, u"\"emty\""_s, u"\"empty\""_s);
    row("bad path", withPoller(plain, lists, R"("response": {"items": "/a~2b"})"),
        u"/pollers/a/response/items"_s, 6, u"no JSON Pointer"_s);
}

void TestWorkspaceErrors::placeholderRows()
{
    row("unclosed", withPoller(R"({"url": "https://x.example/${page"})", lists), u"/pollers/a/request/url"_s,
        3, u"never closed"_s);
    row("unknown", withPoller(R"({"url": "https://x.example", "query": {"p": "${pge}"}})", lists),
        u"/pollers/a/request/query/p"_s, 3, u"${pge} means nothing in the query"_s, u"${page}"_s);
    row("unknown variable", withPoller(R"({"url": "${var.api}", "query": {"p": "${var.nosuch}"}})", lists),
        u"/pollers/a/request/query/p"_s, 3, u"${var.nosuch} means nothing"_s);
    row("near variable", withPoller(R"({"url": "${var.apo}"})", lists), u"/pollers/a/request/url"_s, 3,
        u"means nothing"_s, u"${var.api}"_s);
    row("in a body",
        withPoller(R"({"url": "https://x.example", "body": {"json": {"a": [0,
"${lan}"]}}})",
                   lists),
        u"/pollers/a/request/body/json/a/1"_s, 4, u"${lan} means nothing in the body"_s, u"${lane}"_s);
    row("name of a body's member",
        withPoller(R"({"url": "https://x.example", "body": {"json": {"${page}": 1}}})", lists),
        u"/pollers/a/request/body/json/${page}"_s, 3, u"cannot be a placeholder"_s);
    row("cursor of snapshotDiff",
        withPoller(R"({"url": "https://x.example", "query": {"s": "${cursor.value}"}})", lists),
        u"/pollers/a/request/query/s"_s, 3, u"snapshotDiff poller: it lists everything"_s, u"${page}"_s);
    row("tie-break that is not declared",
        withPoller(R"({"url": "https://x.example", "query": {"s": "${cursor.tieBreak}"}})", byTime),
        u"/pollers/a/request/query/s"_s, 3, u"no \"tieBreak\""_s);
    row("cursor of another strategy",
        withPoller(R"({"url": "https://x.example", "query": {"s": "${cursor.page}"}})", byTime),
        u"/pollers/a/request/query/s"_s, 3, u"${cursor.page} means nothing"_s, u"${cursor.value}"_s);
    row("next without paging",
        withPoller(R"({"url": "https://x.example", "query": {"s": "${next}"}})", lists),
        u"/pollers/a/request/query/s"_s, 3, u"token, nextUrl and link"_s);
    row("secret in a url", withPoller(R"({"url": "https://x.example/${env:KEY}"})", lists),
        u"/pollers/a/request/url"_s, 3, u"A secret cannot stand in the url"_s, u"credential"_s);
    row("secret in a query",
        withPoller(R"({"url": "https://x.example", "query": {"k": "${keychain:KEY}"}})", lists),
        u"/pollers/a/request/query/k"_s, 3, u"A secret cannot stand in the query"_s);
    row("secret in a body",
        withPoller(R"({"url": "https://x.example", "body": {"form": {"k": "${file:KEY}"}}})", lists),
        u"/pollers/a/request/body/form/k"_s, 3, u"A secret cannot stand in the body"_s);
    row("literal secret in a header",
        withPoller(R"({"url": "https://x.example", "headers": {"authorization": "Bearer abc"}})", lists),
        u"/pollers/a/request/headers/authorization"_s, 3, u"never holds a secret"_s, u"${keychain:NAME}"_s);
    row("secret without a name",
        withPoller(R"({"url": "https://x.example", "headers": {"X": "${env:}"}})", lists),
        u"/pollers/a/request/headers/X"_s, 3, u"names no secret"_s);
    row("misspelt kind of secret",
        withPoller(R"({"url": "https://x.example", "headers": {"X": "${keychian:A}"}})", lists),
        u"/pollers/a/request/headers/X"_s, 3, u"means nothing"_s, u"${keychain:A}"_s);
    row("cursor in reconcile",
        withPoller(plain, byTime,
                   R"("reconcile": {"every": "1h", "request": {"query": {"s": "${cursor.value}"}}})"),
        u"/pollers/a/reconcile/request/query/s"_s, 6, u"means nothing in reconcile"_s);
    row("cursor in the inherited url",
        withPoller(R"({"url": "https://x.example/?s=${cursor.value}"})", byTime,
                   R"("reconcile": {"every": "1h"})"),
        u"/pollers/a/reconcile"_s, 6, u"url of the poller asks from the cursor"_s,
        u"reconcile.request.url"_s);
    row("cursor in the inherited body",
        withPoller(R"({"url": "https://x.example", "body": {"text": "${cursor.value}"}})", byTime,
                   R"("reconcile": {"every": "1h", "request": {}})"),
        u"/pollers/a/reconcile/request"_s, 6, u"body of the poller's request"_s);
    row("partition in the listing of partitions",
        withPoller(
            plain, lists,
            R"("partitions": {"key": "id", "request": {"url": "https://x.example/${partition.key}"}})"),
        u"/pollers/a/partitions/request/url"_s, 6, u"means nothing in the url"_s);
}

void TestWorkspaceErrors::cursorAndPagingRows()
{
    row("unknown strategy", withPoller(plain, R"({"strategy": "timestmp", "field": "t"})"),
        u"/pollers/a/cursor/strategy"_s, 5, u"cannot be \"timestmp\""_s, u"\"timestamp\""_s);
    row("no strategy", withPoller(plain, R"({"field": "t"})"), u"/pollers/a/cursor"_s, 5,
        u"\"strategy\" is missing"_s);
    row("no field", withPoller(plain, R"({"strategy": "timestamp"})"), u"/pollers/a/cursor"_s, 5,
        u"\"field\" is missing"_s);
    row("key of another strategy", withPoller(plain, R"({"strategy": "snapshotDiff", "lag": "1s"})"),
        u"/pollers/a/cursor/lag"_s, 5, u"not a key"_s);
    row("unknown time zone",
        withPoller(plain, R"({"strategy": "timestamp", "field": "t", "timeZone": "Mars/Olympus"})"),
        u"/pollers/a/cursor/timeZone"_s, 5, u"no time zone"_s);
    row("page that is no number", withPoller(plain, R"({"strategy": "page", "initial": "x"})"),
        u"/pollers/a/cursor/initial"_s, 5, u"number of a page"_s);
    row("no script", withPoller(plain, R"({"strategy": "custom"})"), u"/pollers/a/cursor"_s, 5,
        u"\"advance\" is missing"_s);
    row("token from nowhere", withPoller(plain, R"({"strategy": "token"})"), u"/pollers/a"_s, 2,
        u"where the next token stands"_s, u"response.cursor"_s);
    row("reconcile of snapshotDiff", withPoller(plain, lists, R"("reconcile": {"every": "1h"})"),
        u"/pollers/a/reconcile"_s, 6, u"nothing to reconcile"_s, u"Take \"reconcile\" out"_s);
    row("reconcile without its time", withPoller(plain, byTime, R"("reconcile": {})"),
        u"/pollers/a/reconcile"_s, 6, u"\"every\" is missing"_s);
    row("keyset of snapshotDiff", withPoller(plain, lists, R"("pagination": {"kind": "keyset"})"),
        u"/pollers/a/pagination"_s, 6, u"goes by the cursor"_s);
    row("page that is never sent", withPoller(plain, lists, R"("pagination": {"kind": "page"})"),
        u"/pollers/a/pagination"_s, 6, u"never sends the number"_s, u"${page}"_s);
    row("offset that is never sent", withPoller(plain, lists, R"("pagination": {"kind": "offset"})"),
        u"/pollers/a/pagination"_s, 6, u"never sends the offset"_s, u"${offset}"_s);
    row("token that is never sent",
        withPoller(plain, lists, R"("pagination": {"kind": "token", "path": "n"})"),
        u"/pollers/a/pagination"_s, 6, u"never sends the token"_s, u"${next}"_s);
    row("token from no place", withPoller(plain, lists, R"("pagination": {"kind": "token", "param": "n"})"),
        u"/pollers/a/pagination"_s, 6, u"where the next token stands"_s);
    row("address from no place", withPoller(plain, lists, R"("pagination": {"kind": "nextUrl"})"),
        u"/pollers/a/pagination"_s, 6, u"where the next address stands"_s);
}

void TestWorkspaceErrors::pollerRows()
{
    row("no identity",
        "{\"version\": 1,\n\"pollers\": {\"a\":\n{\"request\": {\"url\": \"https://x.example\"}, \"cursor\": "
        "{\"strategy\": \"snapshotDiff\"}}}}",
        u"/pollers/a"_s, 3, u"\"identity\" is missing"_s);
    row("unknown key of a poller", withPoller(plain, lists, R"("scheduel": {})"), u"/pollers/a/scheduel"_s, 6,
        u"not a key"_s, u"\"schedule\""_s);
    row("unknown sink", withPoller(plain, lists, R"("deliver": {"to": [
"lgo"]})"),
        u"/pollers/a/deliver/to/0"_s, 7, u"There is no sink \"lgo\""_s);
    row("unknown budget", withPoller(plain, lists, R"("budget": "erp")"), u"/pollers/a/budget"_s, 6,
        u"There is no budget \"erp\""_s);
    row("unknown poller", withPoller(plain, lists, R"("partitions": {"poller": "b"})"),
        u"/pollers/a/partitions/poller"_s, 6, u"There is no poller \"b\""_s);
    row("partitioned by itself", withPoller(plain, lists, R"("partitions": {"poller": "a"})"),
        u"/pollers/a/partitions/poller"_s, 6, u"by itself"_s);
    row("a partition twice", withPoller(plain, lists, R"("partitions": {"list": [{"key": "n"},
{"key": "n"}]})"),
        u"/pollers/a/partitions/list/1/key"_s, 7, u"Two partitions have the key \"n\""_s);
    row("partitions from two places", withPoller(plain, lists, R"("partitions": {"list": [],
"file": "x"})"),
        u"/pollers/a/partitions/file"_s, 7, u"one of \"list\""_s);
    row("partitions from nowhere", withPoller(plain, lists, R"("partitions": {})"),
        u"/pollers/a/partitions"_s, 6, u"one of \"list\""_s, u"Give one"_s);
    row("longest before shortest", withPoller(plain, lists, R"("schedule": {"min": "1m",
"max": "30s"})"),
        u"/pollers/a/schedule/max"_s, 7, u"shorter than \"min\""_s);
    row("jitter", withPoller(plain, lists, R"("schedule": {"jitter": 1.5})"), u"/pollers/a/schedule/jitter"_s,
        6, u"between 0 and 1, not 1.5"_s);
    row("guard word", withPoller(plain, lists, R"("deleteGuard": "on")"), u"/pollers/a/deleteGuard"_s, 6,
        u"cannot be \"on\""_s, u"\"off\""_s);
    row("empty fingerprint", withPoller(plain, lists, R"("fingerprint": [])"), u"/pollers/a/fingerprint"_s, 6,
        u"empty list"_s);
    row("schema of the wrong type", withPoller(plain, lists, R"("schema": "x")"), u"/pollers/a/schema"_s, 6,
        u"an object, not a text"_s);
    row("log without retention", withPoller(plain, lists, R"("log": {})"), u"/pollers/a/log"_s, 6,
        u"\"retention\" is missing"_s);
    row("one source for two", R"({"version": 1, "pollers": {
"a": {"request": {"url": "https://x.example"}, "identity": "id", "cursor": {"strategy": "snapshotDiff"}, "source": "s"},
"b": {"request": {"url": "https://x.example"}, "identity": "id", "cursor": {"strategy": "snapshotDiff"},
"source": "s"}}})",
        u"/pollers/b/source"_s, 4, u"same source"_s);
    row("a sink into the workspace", R"({"version": 1, "sinks": {
"s": {"kind": "file", "path": "./sub/../test.watukuy.json"}}})",
        u"/sinks/s/path"_s, 2, u"into the workspace"_s);
    row("a sink into the store", R"({"version": 1, "store": {"kind": "sqlite", "path": "s.db"}, "sinks": {
"s": {"kind": "file", "path": "s.db-wal"}}})",
        u"/sinks/s/path"_s, 2, u"into the store"_s);
    row("a sink into the partitions", R"({"version": 1, "sinks": {
"s": {"kind": "file", "path": "p.json"}}, "pollers": {
"a": {"request": {"url": "https://x.example"}, "identity": "id", "cursor": {"strategy": "snapshotDiff"},
"partitions": {"file": "p.json"}}}})",
        u"/sinks/s/path"_s, 2, u"the partitions of a"_s);
    row("cost beyond the budget",
        R"({"version": 1, "budgets": {"b": {"requests": 2, "per": "1s"}}, "pollers": {
"a": {"request": {"url": "https://x.example",
"cost": 3}, "identity": "id", "cursor": {"strategy": "snapshotDiff"}, "budget": "b"}}})",
        u"/pollers/a/request/cost"_s, 3, u"never has more than 2"_s);
}

void TestWorkspaceErrors::endpointRows()
{
    const auto credential = [](const QByteArray &text) {
        return "{\"version\": 1, \"credentials\": {\"c\":\n" + text + "}}";
    };
    const auto sink = [](const QByteArray &text) {
        return "{\"version\": 1, \"sinks\": {\"s\":\n" + text + "}}";
    };
    const QString c = u"/credentials/c"_s;
    const QString s = u"/sinks/s"_s;
    row("literal token", credential(R"({"kind": "bearer", "token": "abc"})"), c + u"/token"_s, 2,
        u"a workspace never holds a secret"_s, u"${keychain:NAME}"_s);
    row("literal password", credential(R"({"kind": "basic", "username": "a", "password": "b"})"),
        c + u"/password"_s, 2, u"never holds a secret"_s);
    row("literal key", credential(R"({"kind": "apiKey", "name": "k", "value": "b"})"), c + u"/value"_s, 2,
        u"never holds a secret"_s);
    row("escaped reference", credential(R"({"kind": "bearer", "token": "$${env:A}"})"), c + u"/token"_s, 2,
        u"never holds a secret"_s);
    row("variable instead of a secret",
        credential(R"({"kind": "bearer", "token": "${var.a}"})")
            .replace("1,", "1, \"variables\": {\"a\": 1},"),
        c + u"/token"_s, 2, u"never holds a secret"_s);
    row("no token", credential(R"({"kind": "bearer"})"), c, 2, u"\"token\" is missing"_s,
        u"${keychain:NAME}"_s);
    row("page in a credential", credential(R"({"kind": "bearer", "token": "${env:A}${page}"})"),
        c + u"/token"_s, 2, u"the same for every page"_s);
    row("unknown kind of credential", credential(R"({"kind": "barer", "token": "abc"})"), c + u"/kind"_s, 2,
        u"cannot be \"barer\""_s, u"\"bearer\""_s);
    row("no refresh token",
        credential(
            R"({"kind": "oauth2", "grant": "refresh_token", "tokenUrl": "https://x.example", "clientId": "a"})"),
        c, 2, u"\"refreshToken\" is missing"_s);
    row("no client secret",
        credential(R"({"kind": "oauth2", "tokenUrl": "https://x.example", "clientId": "a"})"), c, 2,
        u"\"clientSecret\" is missing"_s);
    row("header of a key", credential(R"({"kind": "apiKey", "name": "a b", "value": "${env:A}"})"),
        c + u"/name"_s, 2, u"name of a header"_s);
    row("payload of a signature", credential(R"({"kind": "hmac", "key": "${env:A}", "payload": "${boddy}"})"),
        c + u"/payload"_s, 2, u"payload of a signature"_s, u"${body}"_s);
    row("algorithm", credential(R"({"kind": "hmac", "key": "${env:A}", "algorithm": "md5"})"),
        c + u"/algorithm"_s, 2, u"cannot be \"md5\""_s);
    row("unknown kind of sink", sink(R"({"kind": "fil", "path": "a"})"), s + u"/kind"_s, 2,
        u"cannot be \"fil\""_s, u"\"file\""_s);
    row("unknown key of a sink", sink(R"({"kind": "file", "pth": "a", "path": "b"})"), s + u"/pth"_s, 2,
        u"not a key"_s, u"\"path\""_s);
    row("placeholder in a file name", sink(R"({"kind": "file", "path": "${lane}"})"), s + u"/path"_s, 2,
        u"the path of a file sink"_s, u"date"_s);
    row("secret in a file name", sink(R"({"kind": "file", "path": "${env:A}"})"), s + u"/path"_s, 2,
        u"A secret cannot stand"_s);
    row("literal secret of a webhook",
        sink(R"({"kind": "webhook", "url": "https://x.example", "secret": "whsec_x"})"), s + u"/secret"_s, 2,
        u"never holds a secret"_s);
    row("status of a webhook",
        sink(R"({"kind": "webhook", "url": "https://x.example", "successStatuses": [200, 42]})"),
        s + u"/successStatuses/1"_s, 2, u"from 100 to 599"_s);
    row("rate without its time",
        sink(R"({"kind": "webhook", "url": "https://x.example", "rateLimit": {"requests": 5}})"),
        s + u"/rateLimit"_s, 2, u"\"per\" is missing"_s);
    row("literal password of kafka",
        sink(R"({"kind": "kafka", "brokers": "a", "topic": "b", "properties": {"sasl.password": "x"}})"),
        s + u"/properties/sasl.password"_s, 2, u"never holds a secret"_s);
    row("empty host", sink(R"({"kind": "redis", "host": "", "stream": "b"})"), s + u"/host"_s, 2,
        u"\"host\" is empty"_s);
    row("placeholder of a notification", sink(R"({"kind": "notification", "title": "${titel}"})"),
        s + u"/title"_s, 2, u"in a notification"_s);
    row("port", "{\"version\": 1,\n\"store\": {\"kind\": \"redis\", \"host\": \"a\", \"port\": 70000}}",
        u"/store/port"_s, 2, u"between 1 and 65535, not 70000"_s);
    row("literal password of a store",
        "{\"version\": 1,\n\"store\": {\"kind\": \"redis\", \"host\": \"a\", \"password\": \"x\"}}",
        u"/store/password"_s, 2, u"never holds a secret"_s);
    row("store without a path", "{\"version\": 1,\n\"store\": {\"kind\": \"sqlite\"}}", u"/store"_s, 2,
        u"\"path\" is missing"_s);
    row("tls of a store",
        "{\"version\": 1,\n\"store\": {\"kind\": \"postgres\", \"host\": \"a\", \"database\": \"b\", "
        "\"tls\": \"yes\"}}",
        u"/store/tls"_s, 2, u"cannot be \"yes\""_s);
}

void TestWorkspaceErrors::oneMistakeIsOneErrorWithItsPlace_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("says");
    QTest::addColumn<QString>("hints");
    topLevelRows();
    requestRows();
    placeholderRows();
    cursorAndPagingRows();
    pollerRows();
    endpointRows();
}

void TestWorkspaceErrors::oneMistakeIsOneErrorWithItsPlace()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, pointer);
    QFETCH(int, line);
    QFETCH(QString, says);
    QFETCH(QString, hints);
    const WorkspaceErrors errors = errorsOf(text);
    QVERIFY2(errors.size() == 1, qPrintable(listed(errors)));
    QCOMPARE(errors.first().pointer, pointer);
    QCOMPARE(errors.first().line, line);
    QVERIFY2(errors.first().message.contains(says), qPrintable(listed(errors)));
    QVERIFY2(errors.first().hint.contains(hints), qPrintable(listed(errors)));
}

void TestWorkspaceErrors::everyErrorIsReportedInTheOrderOfTheText()
{
    const WorkspaceErrors errors =
        errorsOf("{\"polers\": {},\n\"readOnly\": 1,\n\"store\": {\"kind\": \"sqlte\"},\n"
                 "\"budgets\": {\"b\": {\"requests\": 0, \"per\": \"x\"}},\n\"version\": 3}");
    QStringList pointers;
    for (const WorkspaceError &error : errors)
        pointers.append(error.pointer);
    QCOMPARE(pointers, (QStringList{u"/polers"_s, u"/readOnly"_s, u"/store/kind"_s, u"/budgets/b/requests"_s,
                                    u"/budgets/b/per"_s, u"/version"_s}));
}

void TestWorkspaceErrors::whatHangsOnAMistakeIsNotReportedTwice_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("a poller whose strategy is unknown") << withPoller(
        R"({"url": "https://x.example", "query": {"s": "${cursor.value}", "t": "${cursor.tieBreak}"}})",
        R"({"strategy": "tme", "field": "x", "tieBreak": "y"})", R"("reconcile": {"every": "1h"})");
    QTest::newRow("a credential that is broken but there")
        << QByteArray(R"({"version": 1, "credentials": {"c": {"kind": "x", "token": "y"}}, "pollers": {"a":
{"request": {"url": "https://x.example", "credential": "c"}, "identity": "id", "cursor": {"strategy": "snapshotDiff"}}}})");
    QTest::newRow("a sink that is broken but there")
        << QByteArray(R"({"version": 1, "sinks": {"s": {"kind": "file"}}, "pollers": {"a":
{"request": {"url": "https://x.example"}, "identity": "id", "cursor": {"strategy": "snapshotDiff"}, "deliver": {"to": ["s"]}}}})");
    QTest::newRow("a url that does not parse") << withPoller(R"({"url": "${}"})", lists);
    QTest::newRow("a body that is null")
        << withPoller(R"({"url": "https://x.example", "body": null})", lists);
}

void TestWorkspaceErrors::whatHangsOnAMistakeIsNotReportedTwice()
{
    QFETCH(QByteArray, text);
    const WorkspaceErrors errors = errorsOf(text);
    QVERIFY2(errors.size() == 1, qPrintable(listed(errors)));
}

void TestWorkspaceErrors::aFileThatCannotBeReadSaysWhy_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("says");
    QTest::addColumn<int>("line");
    QTest::newRow("missing") << u"none.watukuy.json"_s << u"There is no file"_s << 0;
    QTest::newRow("a folder") << u"folder.watukuy.json"_s << u"is a folder"_s << 0;
    QTest::newRow("empty") << u"empty.watukuy.json"_s << u"is empty"_s << 1;
    QTest::newRow("spaces only") << u"blank.watukuy.json"_s << u"is empty"_s << 1;
    QTest::newRow("unreadable") << u"closed.watukuy.json"_s << u"cannot be read"_s << 0;
    QTest::newRow("no ordinary file") << u"/dev/null"_s << u"no ordinary file"_s << 0;
    const QDir folder(m_folder.path());
    QVERIFY(folder.mkpath(u"folder.watukuy.json"_s));
    for (const auto &[name, content] :
         {std::pair{u"empty"_s, ""}, {u"blank"_s, " \n\t"}, {u"closed"_s, "{}"}}) {
        QFile file(folder.filePath(name + u".watukuy.json"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
        if (name == u"closed")
            file.setPermissions({});
    }
}

void TestWorkspaceErrors::aFileThatCannotBeReadSaysWhy()
{
    QFETCH(QString, name);
    QFETCH(QString, says);
    QFETCH(int, line);
    const QString path = QDir(m_folder.path()).absoluteFilePath(name);
    if (says == u"cannot be read" && QFile(path).open(QIODevice::ReadOnly))
        QSKIP("this user may read everything");
    const auto workspace = loadWorkspace(path);
    QVERIFY(!workspace);
    QCOMPARE(workspace.error().size(), 1);
    QVERIFY2(workspace.error().first().message.contains(says), qPrintable(listed(workspace.error())));
    QCOMPARE(workspace.error().first().line, line);
    QVERIFY(!workspace.error().first().hint.isEmpty());
}

void TestWorkspaceErrors::aFileOfAnotherEncodingIsRefusedWithItsLine()
{
    const WorkspaceErrors errors = errorsOf("{\"version\": 1,\n\"environment\": \"gr\xFCn\"}");
    QCOMPARE(errors.size(), 1);
    QVERIFY(errors.first().message.contains(u"not UTF-8"));
    QCOMPARE(errors.first().line, 2);
}

void TestWorkspaceErrors::aFileBeyondSixteenMegabytesIsRefused()
{
    QFile file(m_folder.filePath(u"large.watukuy.json"_s));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{\"version\": 1}");
    QVERIFY(file.resize(16 * 1024 * 1024 + 1));
    file.close();
    const auto workspace = loadWorkspace(file.fileName());
    QVERIFY(!workspace);
    QVERIFY2(workspace.error().first().message.contains(u"larger than 16 MB"),
             qPrintable(listed(workspace.error())));
}

QTEST_APPLESS_MAIN(TestWorkspaceErrors)
#include "test_workspace_errors.moc"
