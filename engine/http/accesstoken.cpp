// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/http/accesstoken.h"

#include <algorithm>

#include "engine/definition/storedsecrets.h"
#include "engine/http/headers.h"
#include "engine/http/origin.h"
#include "engine/json/path.h"
#include "engine/json/rawvalue.h"
#include "engine/model/bell.h"

namespace watukuy::http {

using namespace Qt::StringLiterals;

namespace {

constexpr Duration longestMargin = std::chrono::minutes{1};
constexpr qint64 mostTokenBytes = 1024 * 1024;
/// A lifetime beyond this is a mistake, not a promise.
constexpr qint64 longestLifetime = 10LL * 365 * 86'400;

/// Names a grant among others: whoever asks with the same words shares the token.
QString nameOf(const TokenGrant &grant)
{
    return QStringList{grant.credential, grant.url.toString(), grant.clientId, grant.scopes, grant.audience}
        .join(u'\n');
}

void addPair(QByteArray &form, const QByteArray &name, const QString &value)
{
    if (value.isEmpty())
        return;
    form += (form.isEmpty() ? "" : "&") + name + '=' + QUrl::toPercentEncoding(value);
}

Request tokenRequest(const TokenGrant &grant, const QString &refreshToken)
{
    Request request{.method = "POST", .url = grant.url};
    addPair(request.body, "grant_type",
            refreshToken.isEmpty() ? u"client_credentials"_s : u"refresh_token"_s);
    addPair(request.body, "refresh_token", refreshToken);
    addPair(request.body, "scope", grant.scopes);
    addPair(request.body, "audience", grant.audience);
    request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}, {"Accept", "application/json"}};
    if (grant.basicClientAuth) {
        // Each part is encoded as in a form first (RFC 6749 2.3.1).
        const QByteArray both =
            QUrl::toPercentEncoding(grant.clientId) + ':' + QUrl::toPercentEncoding(grant.clientSecret);
        request.headers.emplace_back("Authorization", "Basic " + both.toBase64());
        request.secretHeaders.append("authorization");
    } else {
        addPair(request.body, "client_id", grant.clientId);
        addPair(request.body, "client_secret", grant.clientSecret);
    }
    request.timeout = grant.timeout;
    request.maxBytes = mostTokenBytes;
    request.redirects = Redirects::None;
    request.tlsCa = grant.tlsCa;
    request.tlsCertificate = grant.tlsCertificate;
    request.tlsKey = grant.tlsKey;
    request.proxyUse = grant.proxyUse;
    request.proxy = grant.proxy;
    return request;
}

Error tokenError(const TokenGrant &grant, const QString &detail, const QString &nextStep)
{
    return {.kind = ErrorKind::Http,
            .name = u"TokenError"_s,
            .title = u"No access token for the credential %1"_s.arg(grant.credential),
            .detail = u"POST %1: %2"_s.arg(placeOf(grant.url), detail),
            .nextStep = nextStep};
}

std::optional<json::RawValue> member(const QByteArray &body, const QString &name)
{
    const auto path = json::Path::parse(name);
    if (!path)
        return {};
    const auto value = json::find(body, *path);
    return value ? *value : std::nullopt;
}

QString text(const QByteArray &body, const QString &name)
{
    const auto value = member(body, name);
    return value && value->kind == json::Kind::String ? value->scalarText() : QString();
}

Error refusal(const TokenGrant &grant, const Response &response, Instant now)
{
    const Problem problem = readProblem(response.header("Content-Type"), response.body);
    QStringList said{QString::number(response.status)};
    for (const QString &part : {text(response.body, u"error"_s), problem.title, problem.detail}) {
        if (!part.isEmpty() && !said.contains(part))
            said.append(part);
    }
    const bool isTheirs = response.status >= 500 || response.status == 429;
    const QString nextStep = isTheirs ? u"Nothing to do: it is tried again."_s
                             : grant.refreshReference.isEmpty()
                                 ? u"Check tokenUrl, clientId, clientSecret and scopes of the credential."_s
                                 : u"Check tokenUrl and clientId of the credential; if the refresh token has "
                                   "expired, put a new one where ${%1} points."_s.arg(grant.refreshReference);
    Error error = tokenError(grant, said.join(u": "_s), nextStep);
    error.httpStatus = response.status;
    error.retryable = isTheirs;
    if (const auto wait = readRetryAfter(response.header("Retry-After"), now); wait && isTheirs)
        error.notBefore = later(now, *wait);
    return error;
}

/// `expires_in`; some servers write the number as a text.
std::optional<Duration> lifetime(const QByteArray &body)
{
    const auto value = member(body, u"expires_in"_s);
    bool isNumber = false;
    const double seconds = value ? value->scalarText().toDouble(&isNumber) : 0;
    if (!isNumber || !(seconds >= 0))
        return {};
    return std::chrono::seconds{static_cast<qint64>(std::min(seconds, double(longestLifetime)))};
}

} // namespace

struct TokenKeeper::Known {
    QString token;
    std::optional<Duration> until;      ///< monotonic; nothing = the server did not say
    std::optional<Instant> serverUntil; ///< by the server's clock
    Duration serverAhead{0};            ///< of ours
    QString rotated;                    ///< a new refresh token that is not written back yet
    bool isAsking = false;
    quint64 rounds = 0;
    std::optional<Error> failure; ///< of the last round
    Bell ended;

    explicit Known(QObject *context)
        : ended(context)
    {
    }
};

TokenKeeper::TokenKeeper(Transport &transport, const Clock &clock, Secrets &secrets)
    : m_transport(transport)
    , m_clock(clock)
    , m_secrets(secrets)
{
}

TokenKeeper::~TokenKeeper() = default;

TokenKeeper::Known &TokenKeeper::knownFor(const TokenGrant &grant)
{
    auto &known = m_known[nameOf(grant)];
    if (!known)
        known = std::make_unique<Known>(&m_context);
    return *known;
}

bool TokenKeeper::isGood(const Known &known) const
{
    // Monotonic time stands still while the machine sleeps, the wall clock may be set: both must agree.
    return !known.token.isEmpty() && known.rotated.isEmpty() &&
           (!known.until || m_clock.steady() < *known.until) &&
           (!known.serverUntil || m_clock.now() + known.serverAhead < *known.serverUntil);
}

QCoro::Task<Result<QString>> TokenKeeper::token(std::shared_ptr<const TokenGrant> grant)
{
    Known &known = knownFor(*grant);
    while (!isGood(known) && known.isAsking) {
        const quint64 round = known.rounds;
        co_await known.ended.ringing();
        if (known.rounds != round && known.failure)
            co_return fail(*known.failure);
    }
    if (isGood(known))
        co_return Result<QString>(known.token);
    if (known.failure && known.failure->notBefore > m_clock.now())
        co_return fail(*known.failure);
    known.isAsking = true;
    auto asked = co_await ask(&known, grant);
    known.isAsking = false;
    ++known.rounds;
    known.failure = asked ? std::nullopt : std::optional(asked.error());
    known.ended.ring();
    co_return asked;
}

bool TokenKeeper::isGood(const TokenGrant &grant, const QString &token)
{
    const Known &known = knownFor(grant);
    return isGood(known) && known.token == token;
}

void TokenKeeper::refuse(const TokenGrant &grant, const QString &token)
{
    Known &known = knownFor(grant);
    if (known.token == token)
        known.token.clear();
}

QCoro::Task<Result<QString>> TokenKeeper::ask(Known *known, std::shared_ptr<const TokenGrant> grant)
{
    if (auto kept = co_await keepRotated(known, grant); !kept)
        co_return fail(kept.error());
    if (isGood(*known))
        co_return Result<QString>(known->token);
    QString refreshToken;
    if (!grant->refreshReference.isEmpty()) {
        auto read = co_await readAnew(&m_secrets, grant->refreshReference);
        if (!read)
            co_return fail(read.error());
        refreshToken = *read;
    }
    Request request = tokenRequest(*grant, refreshToken);
    auto response = co_await m_transport.send(std::move(request));
    if (!response)
        co_return fail(response.error());
    if (auto taken = take(known, *grant, *response); !taken)
        co_return fail(taken.error());
    if (known->rotated == refreshToken)
        known->rotated.clear();
    if (auto kept = co_await keepRotated(known, grant); !kept)
        co_return fail(kept.error());
    co_return Result<QString>(known->token);
}

/// A write that failed is tried again before anything else is asked: what stands there is used up.
QCoro::Task<Result<void>> TokenKeeper::keepRotated(Known *known, std::shared_ptr<const TokenGrant> grant)
{
    if (known->rotated.isEmpty())
        co_return Result<void>{};
    auto kept = co_await writeBack(&m_secrets, grant->refreshReference, known->rotated);
    if (kept)
        known->rotated.clear();
    co_return kept;
}

Result<void> TokenKeeper::take(Known *known, const TokenGrant &grant, const Response &response)
{
    if (response.status < 200 || response.status > 299)
        return fail(refusal(grant, response, m_clock.now()));
    const QString access = text(response.body, u"access_token"_s);
    const QString type = text(response.body, u"token_type"_s);
    if (access.isEmpty())
        return fail(tokenError(grant, u"the answer holds no access_token"_s,
                               u"Check that tokenUrl is the address that gives tokens."_s));
    if (std::ranges::any_of(access, [](QChar c) { return c.unicode() <= 0x20 || c.unicode() >= 0x7f; }))
        return fail(tokenError(grant, u"its access_token holds characters that no header may carry"_s,
                               u"Check that tokenUrl is the address that gives tokens."_s));
    if (!type.isEmpty() && type.compare(u"bearer", Qt::CaseInsensitive) != 0)
        return fail(tokenError(grant, u"it gives tokens of type %1"_s.arg(type),
                               u"Only bearer tokens can be used."_s));
    known->token = access;
    m_secrets.replace(u"derived:token:"_s + nameOf(grant), access);
    if (!grant.refreshReference.isEmpty()) {
        known->rotated = text(response.body, u"refresh_token"_s);
        m_secrets.replace(u"derived:refresh:"_s + nameOf(grant), known->rotated);
    }
    known->until.reset();
    known->serverUntil.reset();
    if (const auto lasts = lifetime(response.body)) {
        const Duration good = *lasts - std::min(longestMargin, *lasts / 10);
        const Instant now = m_clock.now();
        const auto date = readHttpDate(QString::fromLatin1(response.header("Date")), now);
        known->until = m_clock.steady() + good;
        known->serverAhead = date ? *date - now : Duration{0};
        known->serverUntil = date.value_or(now) + good;
    }
    return {};
}

} // namespace watukuy::http
