// SPDX-License-Identifier: GPL-3.0-or-later
// The HTTP port: one request out, one whole answer or a reason in.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <QByteArray>
#include <QCoroTask>
#include <QString>
#include <QUrl>

#include "engine/definition/definition.h"
#include "engine/model/error.h"
#include "engine/model/instant.h"

namespace watukuy::http {

using Headers = std::vector<std::pair<QByteArray, QByteArray>>;

struct TokenGrant;
struct Signature;
struct Response;

/// A request that is ready to send: every placeholder expanded.
struct Request {
    QByteArray method = "GET";
    QUrl url;
    Headers headers;
    QList<QByteArray> secretHeaders; ///< lower-case names that must not cross an origin
    bool secretQuery = false;        ///< the query carries a credential
    QByteArray body;
    Duration timeout{30'000};             ///< total deadline, queueing excluded
    qint64 maxBytes = 64LL * 1024 * 1024; ///< after decompression
    Redirects redirects = Redirects::SameOrigin;
    QString tlsCa, tlsCertificate, tlsKey;
    ProxyUse proxyUse = ProxyUse::System;
    QUrl proxy; ///< for ProxyUse::Named: http or socks5, with user name and password when it wants them
    bool http2 = false;
    std::shared_ptr<const TokenGrant> grant;    ///< Client::fetch() adds an access token by it
    std::shared_ptr<const Signature> signature; ///< Client::fetch() signs with it
    /// Asked each time it is about to go onto the wire, redirects included, with its place at the host in
    /// hand; it may still change the request, and an error ends it unsent. Empty = nobody is asked.
    std::function<QCoro::Task<Result<void>>(Request *)> mayLeave;
    /// Told of every answer as it came, those that redirect included. Empty = nobody is told.
    std::function<void(const Response &)> answered;
};

/// An answer with its whole body. Any status is an answer.
struct Response {
    int status = 0;
    Headers headers;
    QByteArray body; ///< content encodings undone, charset as sent
    QUrl finalUrl;
    Duration took{0};
    bool credentialsDropped = false; ///< a redirect left the origin

    /// The first header of that name (any case), empty when absent.
    [[nodiscard]] QByteArray header(QByteArrayView name) const;
    [[nodiscard]] bool hasHeader(QByteArrayView name) const;
};

/// Sends requests. Never retries. Engine thread only.
class Transport {
public:
    Transport() = default;
    virtual ~Transport() = default;
    Q_DISABLE_COPY_MOVE(Transport)

    /// ErrorKind::Network for everything that gave no whole answer: DNS, connect, TLS, deadline, a
    /// body that was cut or is larger than maxBytes, a refused redirect.
    virtual QCoro::Task<Result<Response>> send(Request request) = 0;

    /// Ends every request under way with ErrorKind::Cancelled.
    virtual void abortAll() = 0;
};

} // namespace watukuy::http
