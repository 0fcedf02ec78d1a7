// SPDX-License-Identifier: GPL-3.0-or-later
// Parsers of response headers that steer polling. Pure functions.
#pragma once

#include <optional>
#include <vector>

#include <QByteArray>
#include <QString>
#include <QUrl>

#include "engine/http/transport.h"
#include "engine/model/error.h"
#include "engine/model/state.h"

namespace watukuy::http {

/// The rate-limit headers of an answer, families in the order of spec-engine 6. Nothing when there
/// is none that can be read. Sources: draft-ietf-httpapi-ratelimit-headers, RFC 9651, GitHub,
/// Twitter and Reddit practice.
[[nodiscard]] std::optional<RateLimit> readRateLimit(const Headers &headers, Instant now);

/// Retry-After (RFC 9110 10.2.3): seconds, a fraction allowed, or an HTTP-date (past = 0). Negative
/// or nonsense = nothing.
[[nodiscard]] std::optional<Duration> readRetryAfter(QByteArrayView value, Instant now);

/// The three date forms of RFC 9110 5.6.7; nothing for any other text.
[[nodiscard]] std::optional<Instant> readHttpDate(const QString &text, Instant now);

/// One link of a Link header (RFC 8288).
struct Link {
    QString target; ///< as written
    QStringList relations;
};
[[nodiscard]] std::vector<Link> readLinks(QByteArrayView value);

/// Absolute target of the first `rel=next`, resolved against `base`, whatever it leads to; empty = none.
[[nodiscard]] QString nextTarget(const Headers &headers, const QUrl &base);

/// Title and detail of an RFC 9457 problem body, or of common error shapes; empty when there is none.
struct Problem {
    QString title;
    QString detail;
};
[[nodiscard]] Problem readProblem(QByteArrayView contentType, QByteArrayView body);

/// `body` as UTF-8, by the charset of Content-Type (ISO-8859-15 and windows-1252 included).
/// ErrorKind::Body for a charset that is not known.
[[nodiscard]] Result<QByteArray> toUtf8(const QByteArray &body, QByteArrayView contentType);

} // namespace watukuy::http
