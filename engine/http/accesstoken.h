// SPDX-License-Identifier: GPL-3.0-or-later
// Access tokens of OAuth 2 (RFC 6749, client credentials 4.4 and refresh tokens 6).
#pragma once

#include <map>
#include <memory>

#include <QCoroTask>
#include <QObject>
#include <QString>

#include "engine/definition/definition.h"
#include "engine/definition/secrets.h"
#include "engine/http/transport.h"
#include "engine/model/clock.h"

namespace watukuy::http {

/// What a token is asked for with, every placeholder expanded.
struct TokenGrant {
    QString credential; ///< its name in the workspace
    QUrl url;
    QString clientId, clientSecret; ///< the secret may be empty
    QString refreshReference;       ///< `file:PATH` or the like; empty = client credentials
    QString scopes;                 ///< with spaces between
    QString audience;
    Duration timeout{30'000};     ///< of one request for a token
    bool basicClientAuth = false; ///< the client's name and secret go into a header, not into the body
    QString tlsCa, tlsCertificate, tlsKey;
    ProxyUse proxyUse = ProxyUse::System;
    QUrl proxy;
};

/// Keeps access tokens and asks for new ones: one request at a time per grant, however many wait for
/// it. Tokens live in memory only. Engine thread only; outlives everybody who waits.
class TokenKeeper {
public:
    TokenKeeper(Transport &transport, const Clock &clock, Secrets &secrets);
    ~TokenKeeper();
    Q_DISABLE_COPY_MOVE(TokenKeeper)

    /// A token that is good for a while yet, by the monotonic clock and by the server's own (`Date`). A
    /// refresh token that the server replaced is written back before the access token that came with it
    /// is given out. Errors say what the server answered; ErrorKind::Secret when it cannot be written.
    QCoro::Task<Result<QString>> token(std::shared_ptr<const TokenGrant> grant);

    /// Whether `token`, which was given out before, would be given out again.
    [[nodiscard]] bool isGood(const TokenGrant &grant, const QString &token);

    /// The API refused `token`: it is not given out again.
    void refuse(const TokenGrant &grant, const QString &token);

private:
    struct Known;
    Known &knownFor(const TokenGrant &grant);
    [[nodiscard]] bool isGood(const Known &known) const;
    QCoro::Task<Result<QString>> ask(Known *known, std::shared_ptr<const TokenGrant> grant);
    QCoro::Task<Result<void>> keepRotated(Known *known, std::shared_ptr<const TokenGrant> grant);
    Result<void> take(Known *known, const TokenGrant &grant, const Response &response);

    Transport &m_transport;
    const Clock &m_clock;
    Secrets &m_secrets;
    QObject m_context;
    std::map<QString, std::unique_ptr<Known>> m_known;
};

} // namespace watukuy::http
