// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/http/credentials.h"

#include <QRegularExpression>

#include "engine/http/accesstoken.h"
#include "engine/http/signature.h"

namespace watukuy::http {

using namespace Qt::StringLiterals;

namespace {

Error headerError(const QString &title, const QString &where, const QString &nextStep)
{
    return {.kind = ErrorKind::Workspace,
            .name = u"HeaderError"_s,
            .title = title,
            .detail = where,
            .nextStep = nextStep};
}

/// Applies one kind of credential; the name is for messages only.
class Applying {
public:
    Applying(Request &request, const QString &name, const Template::Lookup &lookup, Secrets &secrets)
        : m_request(request)
        , m_name(name)
        , m_lookup(withSecrets(lookup, secrets))
        , m_secrets(secrets)
    {
    }

    Result<void> operator()(const BearerCredential &bearer)
    {
        const auto token = text(bearer.token, u"token"_s);
        if (!token)
            return fail(token.error());
        return secretHeader(u"Authorization"_s, u"Bearer "_s + *token);
    }

    Result<void> operator()(const BasicCredential &basic)
    {
        const auto user = text(basic.username, u"username"_s);
        if (!user)
            return fail(user.error());
        // A key as the user name and an empty password is a common scheme.
        const auto password =
            basic.password.isEmpty() ? Result<QString>(QString()) : text(basic.password, u"password"_s);
        if (!password)
            return fail(password.error());
        const QString both = QString::fromLatin1((*user + u':' + *password).toUtf8().toBase64());
        // The encoded pair gives both away and is the encoding of neither: it is a secret of its own.
        m_secrets.provide(u"derived:basic:"_s + m_name, both);
        return secretHeader(u"Authorization"_s, u"Basic "_s + both);
    }

    Result<void> operator()(const ApiKeyCredential &key)
    {
        const auto value = text(key.value, u"value"_s);
        if (!value)
            return fail(value.error());
        switch (key.in) {
        case ApiKeyCredential::In::Header:
            return secretHeader(key.name, *value);
        case ApiKeyCredential::In::Query:
            addQuery(key.name, *value);
            return {};
        case ApiKeyCredential::In::Cookie:
            return addCookie(key.name, *value);
        }
        return {};
    }

    Result<void> operator()(const OAuth2Credential &oauth)
    {
        auto grant = std::make_shared<TokenGrant>();
        grant->credential = m_name;
        const auto url = text(oauth.tokenUrl, u"tokenUrl"_s);
        const auto client = text(oauth.clientId, u"clientId"_s);
        const auto secret = oauth.clientSecret.isEmpty() ? Result<QString>(QString())
                                                         : text(oauth.clientSecret, u"clientSecret"_s);
        for (const auto *part : {&url, &client, &secret}) {
            if (!*part)
                return fail(part->error());
        }
        grant->url = QUrl(*url);
        grant->clientId = *client;
        grant->clientSecret = *secret;
        if (oauth.refreshGrant)
            grant->refreshReference = oauth.refreshToken.placeholders().value(0);
        grant->scopes = oauth.scopes.join(u' ');
        grant->audience = oauth.audience;
        grant->basicClientAuth = oauth.basicClientAuth;
        grant->timeout = m_request.timeout;
        grant->tlsCa = m_request.tlsCa;
        grant->tlsCertificate = m_request.tlsCertificate;
        grant->tlsKey = m_request.tlsKey;
        grant->proxyUse = m_request.proxyUse;
        grant->proxy = m_request.proxy;
        m_request.grant = std::move(grant);
        m_request.secretHeaders += "authorization";
        return {};
    }

    Result<void> operator()(const HmacCredential &hmac)
    {
        const auto key = text(hmac.key, u"key"_s);
        if (!key)
            return fail(key.error());
        auto signature = std::make_shared<Signature>();
        signature->key = key->toUtf8();
        signature->definition = hmac;
        signature->place = place();
        static const QStringList ofTheRequest{u"method"_s, u"path"_s, u"timestamp"_s, u"body"_s};
        for (const QString &name : hmac.payload.placeholders()) {
            if (ofTheRequest.contains(name))
                continue;
            auto value = m_lookup(name);
            if (!value)
                return fail(value.error());
            if (*value)
                signature->values.insert(name, **value);
        }
        m_request.signature = std::move(signature);
        m_request.secretHeaders += hmac.header.toLatin1().toLower();
        m_request.secretHeaders += "x-timestamp";
        return {};
    }

private:
    [[nodiscard]] QString place() const { return u"credentials.%1"_s.arg(m_name); }

    Result<QString> text(const Template &pattern, const QString &member)
    {
        auto expanded = pattern.expand(m_lookup);
        if (!expanded)
            return fail(expanded.error());
        const QString value = expanded->value_or(QString()).trimmed();
        if (value.isEmpty())
            return fail(Error{.kind = ErrorKind::Secret,
                              .name = u"SecretEmpty"_s,
                              .title = u"The credential %1 is empty"_s.arg(m_name),
                              .detail = u"%1.%2: “%3” gives nothing"_s.arg(place(), member, pattern.text()),
                              .nextStep = u"Store a value where the reference points"_s});
        return value;
    }

    Result<void> secretHeader(const QString &name, const QString &value)
    {
        m_request.secretHeaders += name.toLatin1().toLower();
        return setHeader(m_request, name, value, place());
    }

    void addQuery(const QString &name, const QString &value)
    {
        m_request.secretQuery = true;
        const QByteArray key = QUrl::toPercentEncoding(name);
        QByteArray query = m_request.url.query(QUrl::FullyEncoded).toLatin1();
        // A next link of the API may repeat the key already.
        for (const QByteArray &pair : query.split('&')) {
            if (pair.startsWith(key + '='))
                return;
        }
        query += (query.isEmpty() ? "" : "&") + key + '=' + QUrl::toPercentEncoding(value);
        m_request.url.setQuery(QString::fromLatin1(query), QUrl::StrictMode);
    }

    Result<void> addCookie(const QString &name, const QString &value)
    {
        QString cookies;
        for (const auto &[header, content] : m_request.headers) {
            if (header.compare("cookie", Qt::CaseInsensitive) == 0)
                cookies = QString::fromUtf8(content) + u"; "_s;
        }
        return secretHeader(u"Cookie"_s, cookies + name + u'=' + value);
    }

    Request &m_request;
    const QString &m_name;
    Template::Lookup m_lookup;
    Secrets &m_secrets;
};

} // namespace

Template::Lookup withSecrets(const Template::Lookup &lookup, Secrets &secrets)
{
    return [lookup, &secrets](const QString &name) -> Result<std::optional<QString>> {
        if (!Secrets::isReference(name))
            return lookup(name);
        auto value = secrets.resolve(name);
        if (!value)
            return fail(value.error());
        return std::optional(*value);
    };
}

Result<void> setHeader(Request &request, const QString &name, const QString &value, const QString &where)
{
    static const QRegularExpression token(uR"(^[!#$%&'*+.^_`|~0-9A-Za-z-]+$)"_s);
    if (!token.match(name).hasMatch())
        return fail(headerError(u"“%1” cannot be a header name"_s.arg(name.simplified()), where,
                                u"Use letters, digits and dashes"_s));
    const QString lower = name.toLower();
    if (lower == u"content-length" || lower == u"transfer-encoding" || lower == u"connection" ||
        lower == u"host" || lower == u"accept-encoding")
        return fail(headerError(u"The header %1 is written by the program itself"_s.arg(name), where,
                                u"Remove it"_s));
    const bool breaks = std::ranges::any_of(
        value, [](QChar c) { return (c.unicode() < 0x20 && c != u'\t') || c.unicode() == 0x7f; });
    if (breaks)
        return fail(
            headerError(u"The value of header %1 holds a line break or another control character"_s.arg(name),
                        where, u"Check what its placeholders stand for"_s));
    const QByteArray key = name.toLatin1();
    std::erase_if(request.headers,
                  [&](const auto &header) { return header.first.compare(key, Qt::CaseInsensitive) == 0; });
    request.headers.emplace_back(key, value.trimmed().toUtf8());
    return {};
}

bool carriesCredentials(const Request &request)
{
    return request.secretQuery || !request.secretHeaders.isEmpty() || !request.tlsCertificate.isEmpty() ||
           std::ranges::any_of(request.headers, [](const auto &header) {
               return header.first.compare("authorization", Qt::CaseInsensitive) == 0 ||
                      header.first.compare("cookie", Qt::CaseInsensitive) == 0;
           });
}

Result<void> applyCredential(Request &request, const QString &name, const CredentialDefinition &credential,
                             const Template::Lookup &lookup, Secrets &secrets)
{
    return std::visit(Applying(request, name, lookup, secrets), credential);
}

} // namespace watukuy::http
