// SPDX-License-Identifier: GPL-3.0-or-later
// From a declared request to one that is ready to send.
#include "engine/http/client.h"
#include "engine/http/credentials.h"
#include "engine/http/jsonbody.h"
#include "engine/http/origin.h"
#include "engine/http/proxy.h"
#include "engine/json/canonical.h"

namespace watukuy::http {

using namespace Qt::StringLiterals;

namespace {

Error urlError(const QString &title, const QString &detail)
{
    return {.kind = ErrorKind::Workspace,
            .name = u"UrlError"_s,
            .title = title,
            .detail = detail,
            .nextStep = u"Check request.url and what its placeholders stand for"_s};
}

/// Secrets belong into credentials and headers: anywhere else they would stand in logs and links.
Template::Lookup withoutSecrets(const Template::Lookup &lookup, const QString &where)
{
    return [lookup, where](const QString &name) -> Result<std::optional<QString>> {
        if (!Secrets::isReference(name))
            return lookup(name);
        return fail(Error{.kind = ErrorKind::Workspace,
                          .name = u"SecretMisplaced"_s,
                          .title = u"A secret cannot be used in %1"_s.arg(where),
                          .detail = u"${%1}"_s.arg(name),
                          .nextStep = u"Use request.credential or request.headers"_s});
    };
}

/// Values of the URL template: what it begins with and `${var.…}` are parts of an address as they
/// are; anything else is data and must stay inside its path segment or query value.
Template::Lookup encodingForUrl(const Template &url, const Template::Lookup &lookup)
{
    return [lookup, isFirst = url.text().startsWith(u"${")](
               const QString &name) mutable -> Result<std::optional<QString>> {
        const bool asItIs = std::exchange(isFirst, false) || name.startsWith(u"var.");
        auto value = lookup(name);
        if (!value || !*value || asItIs)
            return value;
        if (**value == u"." || **value == u"..")
            return fail(
                urlError(u"“%1” cannot be part of a URL's path"_s.arg(**value), u"${%1}"_s.arg(name)));
        return std::optional(QString::fromLatin1(QUrl::toPercentEncoding(**value)));
    };
}

/// Makes one request; each step may end it.
class Preparing {
public:
    Preparing(const RequestDefinition &definition, const Template::Lookup &lookup, Secrets &secrets)
        : m_definition(definition)
        , m_lookup(lookup)
        , m_secrets(secrets)
    {
        request.method = definition.method;
        request.timeout = definition.timeout;
        request.maxBytes = definition.maxBytes;
        request.redirects = definition.redirects;
        request.tlsCa = definition.tlsCa;
        request.tlsCertificate = definition.tlsCertificate;
        request.tlsKey = definition.tlsKey;
        request.proxyUse = definition.proxyUse;
        request.http2 = definition.http2;
    }

    Result<void> url();
    Result<void> query();
    Result<void> headers();
    Result<void> body();
    Result<void> proxy();
    void defaults();

    Request request;

private:
    Result<void> bodyText(const Template::Lookup &lookup);
    Result<QByteArray> pairs(const std::vector<std::pair<QString, Template>> &members,
                             const Template::Lookup &lookup);
    void defaultHeader(const char *name, const QByteArray &value);

    const RequestDefinition &m_definition;
    const Template::Lookup &m_lookup;
    Secrets &m_secrets;
};

Result<void> Preparing::url()
{
    const auto lookup = encodingForUrl(m_definition.url, withoutSecrets(m_lookup, u"request.url"_s));
    const auto text = m_definition.url.expand(lookup);
    if (!text)
        return fail(text.error());
    if (!*text || (*text)->isEmpty())
        return fail(urlError(u"request.url is empty"_s, m_definition.url.text()));
    const QUrl url((**text).trimmed(), QUrl::TolerantMode);
    if (!url.isValid() || url.host().isEmpty() || (url.scheme() != u"http" && url.scheme() != u"https"))
        return fail(urlError(u"request.url is no http or https address"_s, m_definition.url.text()));
    if (!url.userInfo().isEmpty())
        return fail(urlError(u"request.url holds a user name or a password"_s, placeOf(url)));
    request.url = url.adjusted(QUrl::RemoveFragment);
    return {};
}

/// `name=value&…`, null members left out. Everything but unreserved characters is escaped: servers
/// take `+` for a space.
Result<QByteArray> Preparing::pairs(const std::vector<std::pair<QString, Template>> &members,
                                    const Template::Lookup &lookup)
{
    QByteArray all;
    for (const auto &[name, pattern] : members) {
        const auto value = pattern.expand(lookup);
        if (!value)
            return fail(value.error());
        if (!*value)
            continue;
        if (!all.isEmpty())
            all += '&';
        all += QUrl::toPercentEncoding(name) + '=' + QUrl::toPercentEncoding(**value);
    }
    return all;
}

Result<void> Preparing::query()
{
    const auto added = pairs(m_definition.query, withoutSecrets(m_lookup, u"request.query"_s));
    if (!added)
        return fail(added.error());
    if (added->isEmpty())
        return {};
    const QByteArray own = request.url.query(QUrl::FullyEncoded).toLatin1();
    request.url.setQuery(QString::fromLatin1(own.isEmpty() ? *added : own + '&' + *added), QUrl::StrictMode);
    return {};
}

Result<void> Preparing::headers()
{
    const auto lookup = withSecrets(m_lookup, m_secrets);
    for (const auto &[name, pattern] : m_definition.headers) {
        const auto value = pattern.expand(lookup);
        if (!value)
            return fail(value.error());
        if (!*value)
            continue;
        if (const auto set = setHeader(request, name, **value, u"request.headers"_s); !set)
            return set;
        if (pattern.usesSecret())
            request.secretHeaders += name.toLatin1().toLower();
    }
    return {};
}

Result<void> Preparing::bodyText(const Template::Lookup &lookup)
{
    if (m_definition.bodyKind == BodyKind::Text) {
        const auto text = m_definition.body.expand(lookup);
        if (!text)
            return fail(text.error());
        request.body = text->value_or(QString()).toUtf8();
        return {};
    }
    auto filled = m_definition.bodyKind == BodyKind::Form
                      ? pairs(m_definition.form, lookup)
                      : expandJson(m_definition.body.text().toUtf8(), lookup);
    if (!filled)
        return fail(filled.error());
    request.body = std::move(*filled);
    return {};
}

Result<void> Preparing::body()
{
    if (m_definition.bodyKind == BodyKind::None)
        return {};
    if (const auto made = bodyText(withoutSecrets(m_lookup, u"request.body"_s)); !made)
        return made;
    switch (m_definition.bodyKind) {
    case BodyKind::Form:
        defaultHeader("Content-Type", "application/x-www-form-urlencoded");
        break;
    case BodyKind::Text:
        defaultHeader("Content-Type", "text/plain; charset=utf-8");
        break;
    case BodyKind::GraphQl:
        if (request.method == "GET")
            request.method = "POST";
        [[fallthrough]];
    default:
        defaultHeader("Content-Type", "application/json");
        break;
    }
    return {};
}

Result<void> Preparing::proxy()
{
    if (m_definition.proxyUse != ProxyUse::Named)
        return {};
    // A secret is one part of the address, whatever it is made of.
    const auto lookup = [this](const QString &name) -> Result<std::optional<QString>> {
        auto value = withSecrets(m_lookup, m_secrets)(name);
        if (!value || !*value || !Secrets::isReference(name))
            return value;
        return std::optional(QString::fromLatin1(QUrl::toPercentEncoding(**value)));
    };
    const auto text = m_definition.proxy.expand(lookup);
    if (!text)
        return fail(text.error());
    request.proxy = QUrl(text->value_or(QString()).trimmed(), QUrl::StrictMode);
    if (request.proxy.isValid() && !request.proxy.host().isEmpty()) {
        const QByteArray pair = proxyAuthorization(request);
        m_secrets.replace(u"derived:proxy:"_s + request.proxy.host(), QString::fromLatin1(pair.mid(6)));
        return {};
    }
    return fail(Error{.kind = ErrorKind::Workspace,
                      .name = u"ProxyAddressError"_s,
                      .title = u"request.proxy is no address of a proxy"_s,
                      .detail = m_definition.proxy.text(),
                      .nextStep = u"Check what its placeholders stand for"_s});
}

void Preparing::defaultHeader(const char *name, const QByteArray &value)
{
    const bool given = std::ranges::any_of(request.headers, [&](const auto &header) {
        return header.first.compare(name, Qt::CaseInsensitive) == 0;
    });
    if (!given)
        request.headers.emplace_back(name, value);
}

void Preparing::defaults()
{
    defaultHeader("Accept", "application/json");
    defaultHeader("User-Agent", "Watukuy/" WATUKUY_VERSION);
}

} // namespace

Client::Client(Transport &transport, const Clock &clock, Secrets &secrets,
               const std::map<QString, CredentialDefinition> &credentials)
    : m_transport(transport)
    , m_clock(clock)
    , m_secrets(secrets)
    , m_credentials(credentials)
    , m_tokens(transport, clock, secrets)
{
}

Result<Request> Client::prepare(const RequestDefinition &definition, const Template::Lookup &lookup,
                                const QString &url)
{
    Preparing preparing(definition, lookup, m_secrets);
    for (const auto step :
         {&Preparing::url, &Preparing::query, &Preparing::headers, &Preparing::body, &Preparing::proxy}) {
        if (const auto done = (preparing.*step)(); !done)
            return fail(done.error());
    }
    preparing.defaults();
    Request request = std::move(preparing.request);
    const QUrl own = request.url;
    if (!url.isEmpty())
        request.url = own.resolved(QUrl(url, QUrl::TolerantMode)).adjusted(QUrl::RemoveFragment);
    if (!definition.credential.isEmpty()) {
        const auto credential = m_credentials.find(definition.credential);
        if (credential == m_credentials.end())
            return fail(Error{.kind = ErrorKind::Workspace,
                              .name = u"CredentialUnknown"_s,
                              .title = u"There is no credential “%1”"_s.arg(definition.credential),
                              .detail = u"request.credential names it"_s,
                              .nextStep = u"Add it to credentials, or correct the name"_s});
        if (const auto applied =
                applyCredential(request, definition.credential, credential->second, lookup, m_secrets);
            !applied)
            return fail(applied.error());
    }
    if (!url.isEmpty()) {
        if (auto refused = refuseNext(own, request.url, carriesCredentials(request)))
            return fail(*refused);
    }
    return request;
}

QString Client::withoutCredential(const QString &url, const QString &credential) const
{
    const auto found = m_credentials.find(credential);
    const auto *key = found == m_credentials.end() ? nullptr : std::get_if<ApiKeyCredential>(&found->second);
    QUrl kept(url, QUrl::TolerantMode);
    if (!key || key->in != ApiKeyCredential::In::Query || !kept.hasQuery())
        return url;
    QByteArrayList pairs = kept.query(QUrl::FullyEncoded).toLatin1().split('&');
    const QByteArray own = QUrl::toPercentEncoding(key->name) + '=';
    if (pairs.removeIf([&](const QByteArray &pair) { return pair.startsWith(own); }) == 0)
        return url;
    const QByteArray rest = pairs.join('&');
    kept.setQuery(rest.isEmpty() ? QString() : QString::fromLatin1(rest), QUrl::StrictMode);
    return QString::fromLatin1(kept.toEncoded());
}

QByteArray requestHash(const Request &request)
{
    QByteArray text = request.method + '\n' + request.url.toEncoded() + '\n';
    for (const auto &[name, value] : request.headers) {
        if (!request.secretHeaders.contains(name.toLower()))
            text += name.toLower() + ':' + value + '\n';
    }
    return json::sha256(text + '\n' + request.body);
}

} // namespace watukuy::http
