// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/definition/requestreader.h"

#include <QDir>
#include <QRegularExpression>

#include "engine/definition/secrets.h"

namespace watukuy {

using namespace Qt::StringLiterals;
using json::Kind;

namespace {

/// Every text inside a JSON body is a template of its own.
void checkBodyTexts(const LocatedValue &value, const QString &pointer, const PlaceholderRules &rules,
                    Problems &problems)
{
    if (value.kind == Kind::String)
        (void)ObjectReader::readPattern(value, pointer, rules, problems);
    for (const LocatedMember &member : value.members) {
        if (member.name.contains(u"${"))
            problems.add(pointer + pointerStep(member.name), member.line,
                         u"A name of a body's member cannot be a placeholder"_s,
                         u"Only values are filled in."_s);
        checkBodyTexts(member.value, pointer + pointerStep(member.name), rules, problems);
    }
    for (qsizetype index = 0; const LocatedValue &element : value.elements)
        checkBodyTexts(element, pointer + u'/' + QString::number(index++), rules, problems);
}

/// `raw` is known to be fine text by text; what stands between texts holds no placeholder.
Template wholeBody(const QByteArray &raw)
{
    return Template::parse(QString::fromUtf8(raw)).value_or(Template{});
}

void readGraphQl(ObjectReader &body, const LocatedValue &value, RequestDefinition &definition)
{
    definition.bodyKind = BodyKind::GraphQl;
    if (value.kind == Kind::String) {
        definition.body = wholeBody("{\"query\":" + value.raw + "}");
        return;
    }
    body.object(u"graphql"_s, [&](ObjectReader &graphql) {
        QString query;
        graphql.requiredText(u"query"_s, query, u"The text of the GraphQL query."_s);
        QString operation;
        graphql.text(u"operationName"_s, operation);
        if (const LocatedValue *variables = graphql.take(u"variables"_s);
            variables && variables->kind != Kind::Object)
            graphql.problem(u"variables"_s,
                            u"\"variables\" should be an object, not %1"_s.arg(kindName(variables->kind)));
    });
    definition.body = wholeBody(value.raw);
}

void readBody(ObjectReader &request, RequestDefinition &definition, const PlaceholderRules &anywhere,
              Overlay overlay)
{
    const LocatedValue *given = request.takeNullable(u"body"_s);
    if (!given)
        return;
    definition.bodyKind = BodyKind::None;
    definition.body = {};
    definition.form.clear();
    if (overlay == Overlay::Yes && given->kind == Kind::Null)
        return;
    const PlaceholderRules rules = anywhere.at(u"the body of a request"_s);
    request.object(u"body"_s, [&](ObjectReader &body) {
        QStringList present;
        for (const QString &kind : {u"json"_s, u"text"_s, u"form"_s, u"graphql"_s}) {
            if (body.takeNullable(kind))
                present.append(kind);
        }
        if (present.size() != 1)
            body.problem(present.value(1),
                         u"A body has one of \"json\", \"text\", \"form\" and \"graphql\""_s,
                         present.isEmpty() ? u"Give one of them."_s : u"Take the others out."_s);
        if (const LocatedValue *json = body.takeNullable(u"json"_s)) {
            definition.bodyKind = BodyKind::Json;
            checkBodyTexts(*json, body.pointer(u"json"_s), rules, body.problems());
            definition.body = wholeBody(json->raw);
        } else if (body.has(u"text"_s)) {
            definition.bodyKind = BodyKind::Text;
            body.pattern(u"text"_s, definition.body, rules);
        } else if (body.has(u"form"_s)) {
            definition.bodyKind = BodyKind::Form;
            body.patterns(u"form"_s, definition.form, rules);
        } else if (const LocatedValue *graphql = body.take(u"graphql"_s)) {
            checkBodyTexts(*graphql, body.pointer(u"graphql"_s), rules, body.problems());
            readGraphQl(body, *graphql, definition);
        }
    });
}

void readTls(ObjectReader &request, RequestDefinition &definition, const QString &folder)
{
    request.object(u"tls"_s, [&](ObjectReader &tls) {
        const auto file = [&](const QString &name, QString &into) {
            tls.text(name, into);
            if (!into.isEmpty())
                into = QDir(folder).absoluteFilePath(into);
        };
        file(u"ca"_s, definition.tlsCa);
        file(u"cert"_s, definition.tlsCertificate);
        file(u"key"_s, definition.tlsKey);
        if (tls.has(u"cert"_s) != tls.has(u"key"_s))
            tls.problem(tls.has(u"key"_s) ? u"key"_s : u"cert"_s,
                        u"A client certificate needs \"cert\" and \"key\""_s,
                        u"Name both files in PEM form."_s);
    });
}

void readProxy(ObjectReader &reader, RequestDefinition &request, const PlaceholderRules &rules)
{
    const LocatedValue *given = reader.find(u"proxy"_s);
    const QString text = given ? given->text() : QString();
    if (!given || text == u"system" || text == u"none") {
        (void)reader.take(u"proxy"_s);
        if (given)
            request.proxyUse = text == u"none" ? ProxyUse::None : ProxyUse::System;
        return;
    }
    request.proxyUse = ProxyUse::Named;
    reader.pattern(u"proxy"_s, request.proxy, rules);
    static const QRegularExpression address(uR"(\A(?:http|socks5)://(?:([^@/]*)@)?[^@/:]+:[0-9]+/?\z)"_s);
    const auto match = address.match(text);
    if (!match.hasMatch())
        reader.problem(u"proxy"_s, u"\"%1\" is no proxy"_s.arg(text),
                       u"Write \"system\", \"none\", or an address such as http://proxy.example.com:3128 or "
                       "socks5://127.0.0.1:1080."_s);
    else if (match.captured(1).contains(u':') && !request.proxy.usesSecret())
        reader.problem(
            u"proxy"_s,
            u"The proxy's password is written into the workspace; a workspace never holds a secret"_s,
            u"For example http://user:${keychain:proxy}@proxy.example.com:3128."_s);
}

std::optional<StatusRule> statusRule(const QString &word)
{
    if (word == u"fail")
        return StatusRule::Fail;
    if (word == u"empty")
        return StatusRule::Empty;
    if (word == u"throttle")
        return StatusRule::Throttle;
    if (word == u"ignore-page")
        return StatusRule::IgnorePage;
    return {};
}

/// A scan that never sends its position would read the same page for ever.
void checkPosition(ObjectReader &owner, const PaginationDefinition &pagination,
                   const RequestDefinition &request, const ResponseDefinition &response, ScanCursor cursor)
{
    const auto needs = [&](const QString &message, const QString &hint) {
        owner.problem(u"pagination"_s, message, hint);
    };
    const bool namesNext = response.shape.next || !pagination.header.isEmpty();
    const bool sends = !pagination.param.isEmpty();
    switch (pagination.kind) {
    case PagingKind::Keyset:
        if (cursor == ScanCursor::Absent)
            needs(u"keyset paging goes by the cursor, and there is none here"_s,
                  u"Use page, offset, token, nextUrl, link or none."_s);
        break;
    case PagingKind::Page:
        if (!sends && !request.uses(u"page") && !request.uses(u"cursor.page"))
            needs(u"page paging never sends the number of the page"_s,
                  u"Put ${page} into the request, or name the query parameter in \"param\"."_s);
        break;
    case PagingKind::Offset:
        if (!sends && !request.uses(u"offset"))
            needs(u"offset paging never sends the offset"_s,
                  u"Put ${offset} into the request, or name the query parameter in \"param\"."_s);
        break;
    case PagingKind::Token:
        if (!namesNext)
            needs(u"token paging does not say where the next token stands"_s,
                  u"Give \"path\" or \"header\"."_s);
        if (!sends && !request.uses(u"next"))
            needs(u"token paging never sends the token"_s,
                  u"Put ${next} into the request, or name the query parameter in \"param\"."_s);
        break;
    case PagingKind::NextUrl:
        if (!namesNext)
            needs(u"nextUrl paging does not say where the next address stands"_s, u"Give \"path\"."_s);
        break;
    case PagingKind::Link:
    case PagingKind::None:
        break;
    }
}

} // namespace

bool isHeaderName(const QString &name)
{
    static const QRegularExpression token(uR"(\A[!#$%&'*+.^_`|~0-9A-Za-z-]+\z)"_s);
    return token.match(name).hasMatch();
}

void checkHeaders(ObjectReader &reader, const QString &name)
{
    static const QStringList secretHeaders{u"authorization"_s, u"proxy-authorization"_s, u"x-api-key"_s,
                                           u"x-auth-token"_s};
    static const QStringList ownHeaders{u"content-length"_s, u"transfer-encoding"_s, u"connection"_s,
                                        u"host"_s, u"accept-encoding"_s};
    const LocatedValue *headers = reader.find(name);
    if (!headers)
        return;
    for (const LocatedMember &header : headers->members) {
        const QString place = reader.pointer(name) + pointerStep(header.name);
        if (!isHeaderName(header.name))
            reader.problems().add(place, header.line,
                                  u"\"%1\" cannot be the name of a header"_s.arg(header.name),
                                  u"Use letters, digits and dashes."_s);
        if (ownHeaders.contains(header.name.toLower()))
            reader.problems().add(place, header.line,
                                  u"The header \"%1\" is written by the program itself"_s.arg(header.name),
                                  u"Take it out."_s);
        const auto value = Template::parse(header.value.text());
        if (secretHeaders.contains(header.name.toLower()) && header.value.kind == Kind::String && value &&
            !value->usesSecret())
            reader.problems().add(
                place, header.line,
                u"\"%1\" is written into the workspace; a workspace never holds a secret"_s.arg(header.name),
                u"Use a credential, or a reference such as ${keychain:NAME}."_s);
    }
}

void readRequest(ObjectReader &reader, RequestDefinition &request, const Surroundings &around,
                 const PlaceholderRules &rules, Overlay overlay)
{
    QString method = QString::fromLatin1(request.method);
    reader.wordText(u"method"_s, method,
                    {u"GET"_s, u"POST"_s, u"PUT"_s, u"PATCH"_s, u"QUERY"_s, u"SEARCH"_s, u"REPORT"_s});
    request.method = method.toLatin1();
    if (overlay == Overlay::No)
        reader.require(u"url"_s, u"The address of the listing."_s);
    reader.url(u"url"_s, request.url, rules.at(u"the url of a request"_s));
    reader.patterns(u"query"_s, request.query, rules.at(u"the query of a request"_s));
    reader.patterns(u"headers"_s, request.headers, rules.withSecrets(u"a header of a request"_s),
                    Qt::CaseInsensitive);
    checkHeaders(reader, u"headers"_s);
    readBody(reader, request, rules, overlay);
    if (const LocatedValue *credential = reader.takeNullable(u"credential"_s);
        overlay == Overlay::Yes && credential && credential->kind == Kind::Null)
        request.credential.clear();
    else
        reader.reference(u"credential"_s, request.credential, around.credentials, u"credential"_s);
    reader.duration(u"timeout"_s, request.timeout);
    reader.word(u"validators"_s, request.validators,
                {{"auto"_L1, Validators::Auto}, {"on"_L1, Validators::On}, {"off"_L1, Validators::Off}});
    reader.integer(u"cost"_s, request.cost, 1, 1'000'000);
    reader.size(u"maxBytes"_s, request.maxBytes);
    reader.word(u"redirects"_s, request.redirects,
                {{"same-origin"_L1, Redirects::SameOrigin},
                 {"any"_L1, Redirects::Any},
                 {"none"_L1, Redirects::None}});
    readTls(reader, request, around.folder);
    readProxy(reader, request, rules.withSecrets(u"the proxy of a request"_s));
    reader.flag(u"http2"_s, request.http2);
}

void readResponse(ObjectReader &reader, ResponseDefinition &response)
{
    json::BodyShape &shape = response.shape;
    reader.word(u"format"_s, shape.format,
                {{"json"_L1, json::BodyFormat::Json},
                 {"ndjson"_L1, json::BodyFormat::NdJson},
                 {"csv"_L1, json::BodyFormat::Csv}});
    reader.path(u"items"_s, shape.items);
    reader.text(u"keyField"_s, shape.keyField);
    reader.path(u"hasMore"_s, shape.hasMore);
    reader.path(u"cursor"_s, shape.cursor);
    reader.path(u"total"_s, shape.total);
    reader.each(u"onStatus"_s, [&](const QString &status, const LocatedValue &value, const QString &pointer) {
        static const QRegularExpression form(u"\\A[1-5][0-9][0-9]\\z"_s);
        const QString word = value.kind == Kind::String ? value.text() : QString();
        const auto rule = statusRule(word);
        if (!form.match(status).hasMatch())
            reader.problems().add(pointer, value.line, u"\"%1\" is no HTTP status"_s.arg(status),
                                  u"Write its three digits, for example \"404\"."_s);
        else if (!rule)
            reader.problems().add(
                pointer, value.line,
                u"A status cannot be answered with %1"_s.arg(QString::fromUtf8(value.raw)),
                nearestHint(word, {u"fail"_s, u"empty"_s, u"throttle"_s, u"ignore-page"_s}));
        else
            response.onStatus[status.toInt()] = *rule;
    });
}

PagingKind pagingOfTemplate(const RequestDefinition &request)
{
    if (request.uses(u"page"))
        return PagingKind::Page;
    return request.uses(u"offset") ? PagingKind::Offset : PagingKind::None;
}

bool fillsNext(const QString &kind)
{
    return kind == u"token" || kind == u"nextUrl" || kind == u"link";
}

void setKind(PaginationDefinition &pagination, PagingKind kind)
{
    pagination.kind = kind;
    pagination.start = kind == PagingKind::Offset ? 0 : 1;
    pagination.step = 1;
}

void readPagination(ObjectReader &owner, PaginationDefinition &pagination, const RequestDefinition &request,
                    ResponseDefinition &response, ScanCursor cursor)
{
    owner.object(u"pagination"_s, [&](ObjectReader &reader) {
        PagingKind kind = pagination.kind;
        reader.word(u"kind"_s, kind,
                    {{"keyset"_L1, PagingKind::Keyset},
                     {"page"_L1, PagingKind::Page},
                     {"offset"_L1, PagingKind::Offset},
                     {"token"_L1, PagingKind::Token},
                     {"nextUrl"_L1, PagingKind::NextUrl},
                     {"link"_L1, PagingKind::Link},
                     {"none"_L1, PagingKind::None}});
        if (kind != pagination.kind)
            setKind(pagination, kind);
        reader.integer(u"start"_s, pagination.start, 0, std::numeric_limits<int>::max());
        reader.integer(u"step"_s, pagination.step, 1, std::numeric_limits<int>::max());
        if (reader.has(u"size"_s)) {
            qint64 size = 0;
            reader.integer(u"size"_s, size, 1, std::numeric_limits<int>::max());
            if (size > 0)
                pagination.size = size;
        } else {
            (void)reader.take(u"size"_s);
        }
        reader.path(u"path"_s, response.shape.next);
        reader.text(u"header"_s, pagination.header);
        if (reader.has(u"header"_s) && !isHeaderName(pagination.header))
            reader.problem(u"header"_s, u"\"%1\" cannot be the name of a header"_s.arg(pagination.header),
                           u"Use letters, digits and dashes."_s);
        reader.text(u"param"_s, pagination.param);
        reader.integer(u"maxPages"_s, pagination.maxPages, 1, 100'000'000);
        checkPosition(owner, pagination, request, response, cursor);
    });
}

void takeSizeFromQuery(PaginationDefinition &pagination, const RequestDefinition &request)
{
    static const QStringList sizeNames{u"limit"_s, u"per_page"_s, u"page_size"_s, u"pageSize"_s, u"_limit"_s};
    for (const auto &[name, text] : request.query) {
        bool isNumber = false;
        const qint64 size = text.text().toLongLong(&isNumber);
        if (!pagination.size && isNumber && size > 0 && sizeNames.contains(name))
            pagination.size = size;
    }
}

} // namespace watukuy
