// SPDX-License-Identifier: GPL-3.0-or-later
// From a poller's request to an answer the runner can act on (spec-engine 6).
#pragma once

#include <map>
#include <optional>

#include <QByteArray>
#include <QCoroTask>
#include <QString>

#include "engine/definition/definition.h"
#include "engine/definition/secrets.h"
#include "engine/http/accesstoken.h"
#include "engine/http/transport.h"
#include "engine/model/clock.h"
#include "engine/model/state.h"

namespace watukuy::http {

/// Validators as the API sent them.
struct Validator {
    QByteArray etag;
    QByteArray lastModified;
    bool operator==(const Validator &) const = default;
};

/// What an answer means for the cycle.
struct Answer {
    enum class Outcome {
        Page,        ///< a body to take apart (may be empty)
        NotModified, ///< 304
        IgnorePage,  ///< `onStatus: ignore-page`
        Throttled    ///< 429, 503 or 403 with Retry-After, or `onStatus: throttle`
    };
    Outcome outcome = Outcome::Page;
    Response response;                  ///< headers, status, final URL
    QByteArray body;                    ///< UTF-8
    std::optional<RateLimit> rateLimit; ///< when the answer said something
    std::optional<Duration> retryAfter;
    std::optional<Validator> validator;
    QString linkNext;              ///< absolute target of Link rel=next; empty = none
    QString nextHeader;            ///< value of the header that `pagination.header` names
    std::optional<Error> throttle; ///< title and detail for the operator, when Throttled
};

/// Builds, signs, sends and judges requests. Engine thread only. Never retries by itself, but for one
/// that was refused with an access token that may have expired: that is sent once more with a new one.
class Client {
public:
    Client(Transport &transport, const Clock &clock, Secrets &secrets,
           const std::map<QString, CredentialDefinition> &credentials);

    /// `definition` with every placeholder expanded and its credential applied. `url` overrides the
    /// template (nextUrl and link paging). Pure but for reading secrets.
    [[nodiscard]] Result<Request> prepare(const RequestDefinition &definition, const Template::Lookup &lookup,
                                          const QString &url = {});

    /// Sends `request`, conditional when `validator` is given, and judges the answer by
    /// `response.onStatus` and the defaults. A failure status is an Error of kind Http with the
    /// problem's title and detail (RFC 9457) and, for HTML where JSON was declared, kind Body.
    QCoro::Task<Result<Answer>> fetch(Request request, ResponseDefinition response,
                                      std::optional<Validator> validator, QString nextHeaderName = {});

    /// `url`, a next address, without the query parameter that the credential of that name would add: what is
    /// kept of it holds no secret. prepare() adds it again.
    [[nodiscard]] QString withoutCredential(const QString &url, const QString &credential) const;

private:
    using Leave = std::function<QCoro::Task<Result<void>>(Request *)>;
    QCoro::Task<Result<Response>> send(Request request);
    QCoro::Task<Result<void>> dress(Request *request, Leave before, QString token);

    Transport &m_transport;
    const Clock &m_clock;
    Secrets &m_secrets;
    const std::map<QString, CredentialDefinition> &m_credentials;
    TokenKeeper m_tokens;
};

/// SHA-256 over method, URL, headers without secrets, and body: names a request among its key's
/// validators, and tells a repeated request in the progress guard.
[[nodiscard]] QByteArray requestHash(const Request &request);

} // namespace watukuy::http
