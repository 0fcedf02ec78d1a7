// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/definition/endpointreader.h"

#include <QDir>

#include "engine/definition/requestreader.h"
#include "engine/definition/secrets.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

OAuth2Credential readOAuth2(ObjectReader &reader, const PlaceholderRules &rules)
{
    OAuth2Credential oauth;
    reader.word(u"grant"_s, oauth.refreshGrant,
                {{"client_credentials"_L1, false}, {"refresh_token"_L1, true}});
    reader.require(u"tokenUrl"_s, u"The address that gives tokens."_s);
    reader.url(u"tokenUrl"_s, oauth.tokenUrl, rules);
    reader.require(u"clientId"_s, u"The name by which the server knows this client."_s);
    reader.pattern(u"clientId"_s, oauth.clientId, rules);
    readSecret(reader, u"clientSecret"_s, oauth.clientSecret, rules, !oauth.refreshGrant);
    readSecret(reader, u"refreshToken"_s, oauth.refreshToken, rules, oauth.refreshGrant);
    const QStringList references = oauth.refreshToken.placeholders();
    if (!oauth.refreshToken.isEmpty() && oauth.refreshToken.text() != u"${"_s + references.value(0) + u'}')
        reader.problem(u"refreshToken"_s, u"\"refreshToken\" is one reference and nothing else"_s,
                       u"A server may replace it; then the new one is written to where it points."_s);
    reader.texts(u"scopes"_s, oauth.scopes);
    reader.text(u"audience"_s, oauth.audience);
    reader.word(u"clientAuth"_s, oauth.basicClientAuth, {{"post"_L1, false}, {"basic"_L1, true}});
    return oauth;
}

HmacCredential readHmac(ObjectReader &reader, const PlaceholderRules &rules)
{
    HmacCredential hmac{.algorithm = u"sha256"_s, .header = u"X-Signature"_s, .encoding = u"hex"_s};
    hmac.payload = Template::parse(u"${method}\n${path}\n${timestamp}\n${body}"_s).value_or(Template{});
    readSecret(reader, u"key"_s, hmac.key, rules, true);
    reader.wordText(u"algorithm"_s, hmac.algorithm, {u"sha256"_s, u"sha512"_s});
    reader.text(u"header"_s, hmac.header);
    if (!isHeaderName(hmac.header))
        reader.problem(u"header"_s, u"\"%1\" cannot be the name of a header"_s.arg(hmac.header),
                       u"Use letters, digits and dashes."_s);
    PlaceholderRules payload = rules.at(u"the payload of a signature"_s);
    payload.secrets = false;
    payload.names << u"method"_s << u"path"_s << u"timestamp"_s << u"body"_s;
    reader.pattern(u"payload"_s, hmac.payload, payload);
    reader.wordText(u"encoding"_s, hmac.encoding, {u"hex"_s, u"base64"_s});
    return hmac;
}

BasicCredential readBasic(ObjectReader &reader, const PlaceholderRules &rules)
{
    BasicCredential basic;
    reader.require(u"username"_s, u"A name, or a reference such as ${keychain:NAME}."_s);
    reader.pattern(u"username"_s, basic.username, rules);
    // Many APIs take a key as the user name and nothing as the password.
    const LocatedValue *password = reader.find(u"password"_s);
    if (password && password->raw == "\"\"")
        (void)reader.take(u"password"_s);
    else
        readSecret(reader, u"password"_s, basic.password, rules, !basic.username.usesSecret());
    return basic;
}

ApiKeyCredential readApiKey(ObjectReader &reader, const PlaceholderRules &rules)
{
    ApiKeyCredential apiKey;
    reader.word(u"in"_s, apiKey.in,
                {{"header"_L1, ApiKeyCredential::In::Header},
                 {"query"_L1, ApiKeyCredential::In::Query},
                 {"cookie"_L1, ApiKeyCredential::In::Cookie}});
    reader.requiredText(u"name"_s, apiKey.name,
                        u"The header, query parameter or cookie that carries the key."_s);
    if (apiKey.in == ApiKeyCredential::In::Header && !apiKey.name.isEmpty() && !isHeaderName(apiKey.name))
        reader.problem(u"name"_s, u"\"%1\" cannot be the name of a header"_s.arg(apiKey.name),
                       u"Use letters, digits and dashes."_s);
    readSecret(reader, u"value"_s, apiKey.value, rules, true);
    return apiKey;
}

PostgresStoreDefinition readPostgresStore(ObjectReader &reader, const PlaceholderRules &rules)
{
    PostgresStoreDefinition postgres;
    reader.requiredText(u"host"_s, postgres.host, u"The name or address of the server."_s);
    reader.integer(u"port"_s, postgres.port, 1, 65535);
    reader.requiredText(u"database"_s, postgres.database, u"The database that holds the store."_s);
    reader.text(u"user"_s, postgres.user);
    readSecret(reader, u"password"_s, postgres.password, rules, false);
    reader.text(u"schema"_s, postgres.schema);
    reader.wordText(u"tls"_s, postgres.tls,
                    {u"disable"_s, u"allow"_s, u"prefer"_s, u"require"_s, u"verify-ca"_s, u"verify-full"_s});
    return postgres;
}

RedisStoreDefinition readRedisStore(ObjectReader &reader, const PlaceholderRules &rules)
{
    RedisStoreDefinition redis;
    reader.requiredText(u"host"_s, redis.host, u"The name or address of the server."_s);
    reader.integer(u"port"_s, redis.port, 1, 65535);
    reader.integer(u"database"_s, redis.database, 0, 1'000'000);
    readSecret(reader, u"password"_s, redis.password, rules, false);
    reader.text(u"prefix"_s, redis.prefix);
    return redis;
}

} // namespace

void readSecret(ObjectReader &reader, const QString &name, Template &into, const PlaceholderRules &rules,
                bool isRequired)
{
    if (isRequired)
        reader.require(name, u"Give a reference such as ${keychain:NAME}."_s);
    const qsizetype before = reader.problems().count();
    reader.pattern(name, into, rules);
    if (reader.has(name) && reader.problems().count() == before && !into.usesSecret())
        reader.problem(
            name, u"\"%1\" is written into the workspace; a workspace never holds a secret"_s.arg(name),
            u"Put it into the keychain, an environment variable or a file, and write ${keychain:NAME}, "
            "${env:NAME} or ${file:PATH}."_s);
}

std::optional<qsizetype> readKind(ObjectReader &reader, const QStringList &kinds)
{
    reader.require(u"kind"_s, u"It is one of: %1."_s.arg(kinds.join(u", "_s)));
    QString kind;
    reader.wordText(u"kind"_s, kind, kinds);
    if (!kind.isEmpty())
        return kinds.indexOf(kind);
    reader.leaveRest();
    return {};
}

std::optional<CredentialDefinition> readCredential(const LocatedValue &value, const QString &pointer,
                                                   const Surroundings &around, Problems &problems)
{
    const PlaceholderRules rules = credentialRules(around);
    ObjectReader reader(&value, pointer, problems);
    const auto kind = readKind(reader, {u"bearer"_s, u"basic"_s, u"apiKey"_s, u"oauth2"_s, u"hmac"_s});
    switch (kind.value_or(-1)) {
    case 0: {
        BearerCredential bearer;
        readSecret(reader, u"token"_s, bearer.token, rules, true);
        return bearer;
    }
    case 1:
        return readBasic(reader, rules);
    case 2:
        return readApiKey(reader, rules);
    case 3:
        return readOAuth2(reader, rules);
    case 4:
        return readHmac(reader, rules);
    default:
        return {};
    }
}

std::optional<StoreDefinition> readStore(const LocatedValue &value, const QString &pointer,
                                         const Surroundings &around, Problems &problems)
{
    const PlaceholderRules rules = connectionRules(around, u"a store"_s);
    ObjectReader reader(&value, pointer, problems);
    const auto kind = readKind(reader, {u"memory"_s, u"sqlite"_s, u"postgres"_s, u"redis"_s});
    switch (kind.value_or(-1)) {
    case 0:
        return MemoryStoreDefinition{};
    case 1: {
        SqliteStoreDefinition sqlite;
        reader.requiredText(u"path"_s, sqlite.path, u"The database file, for example \"orders.db\"."_s);
        sqlite.path = QDir(around.folder).absoluteFilePath(sqlite.path);
        return sqlite;
    }
    case 2:
        return readPostgresStore(reader, rules);
    case 3:
        return readRedisStore(reader, rules);
    default:
        return {};
    }
}

} // namespace watukuy
