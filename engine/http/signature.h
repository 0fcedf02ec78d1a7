// SPDX-License-Identifier: GPL-3.0-or-later
// Requests signed with a shared key (HMAC, RFC 2104).
#pragma once

#include "engine/definition/definition.h"
#include "engine/http/transport.h"

namespace watukuy::http {

/// How to sign a request when it is about to leave.
struct Signature {
    QByteArray key;
    HmacCredential definition;
    QHash<QString, QString> values; ///< of the payload's placeholders that are no part of the request itself
    QString place;                  ///< of the credential in the workspace, for messages
};

/// Adds the signature over `request` as it is now, and `X-Timestamp` (epoch seconds) when the payload
/// has `${timestamp}`. `${path}` is path and query as they are sent.
[[nodiscard]] Result<void> sign(Request &request, const Signature &signature, Instant now);

} // namespace watukuy::http
