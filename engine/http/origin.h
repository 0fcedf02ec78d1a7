// SPDX-License-Identifier: GPL-3.0-or-later
// Where a request may go on to: origins (RFC 6454), and names of places that hold no secret.
#pragma once

#include <optional>

#include <QString>
#include <QUrl>

#include "engine/http/transport.h"
#include "engine/model/error.h"

namespace watukuy::http {

/// Scheme, host and port are the same, default ports filled in.
[[nodiscard]] bool isSameOrigin(const QUrl &one, const QUrl &other);

/// True when `to` gives up the encryption that `from` has.
[[nodiscard]] bool isDowngrade(const QUrl &from, const QUrl &to);

/// `https://host:8443/path`, for messages: without user, query and fragment, where secrets stand.
[[nodiscard]] QString placeOf(const QUrl &url);

/// `host:port`, for messages about connections.
[[nodiscard]] QString hostAndPort(const QUrl &url);

/// Why the next page at `to` must not be asked for, nothing when it may: never from https to http,
/// never to another origin with credentials, only http and https.
[[nodiscard]] std::optional<Error> refuseNext(const QUrl &from, const QUrl &to, bool carriesCredentials);

} // namespace watukuy::http
