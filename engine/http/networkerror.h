// SPDX-License-Identifier: GPL-3.0-or-later
// Texts for requests that gave no whole answer: where, why, and what to do next.
#pragma once

#include <optional>

#include <QNetworkReply>
#include <QString>
#include <QUrl>

#include "engine/model/error.h"
#include "engine/model/instant.h"

namespace watukuy::http::networkerror {

/// True when `error` only repeats an HTTP status: then there is an answer.
[[nodiscard]] bool isStatus(QNetworkReply::NetworkError error);

/// `tlsReasons` are what the certificate check said, if it did. Qt's own text goes into the detail
/// only where it names no URL.
[[nodiscard]] Error of(QNetworkReply::NetworkError error, const QString &qtText, const QUrl &url,
                       const QByteArray &method, const QStringList &tlsReasons);

/// The same for a request that could not be connected through the proxy at `proxy`; nothing when the
/// error is of another kind.
[[nodiscard]] std::optional<Error> throughProxy(QNetworkReply::NetworkError error, const QUrl &url,
                                                const QUrl &proxy);

[[nodiscard]] Error deadline(const QUrl &url, Duration timeout, qint64 received);
[[nodiscard]] Error tooLarge(const QUrl &url, qint64 maxBytes);
[[nodiscard]] Error cutBody(const QUrl &url, const QString &why);
[[nodiscard]] Error encoding(const QUrl &url, const QByteArray &encoding, const QString &why);
[[nodiscard]] Error unknownScheme(const QUrl &url);
[[nodiscard]] Error redirectOrigin(const QUrl &from, const QUrl &to);
[[nodiscard]] Error redirectDowngrade(const QUrl &from, const QUrl &to);
[[nodiscard]] Error redirectTarget(const QUrl &from);
[[nodiscard]] Error tooManyRedirects(const QUrl &first, int count);
[[nodiscard]] Error cancelled(const QUrl &url);

} // namespace watukuy::http::networkerror
