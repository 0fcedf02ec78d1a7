// SPDX-License-Identifier: GPL-3.0-or-later
// The proxy that a request goes through.
#pragma once

#include <QNetworkAccessManager>
#include <QString>

#include "engine/http/transport.h"

namespace watukuy::http {

/// Requests with the same one may share connections.
[[nodiscard]] QString proxyIdentity(const Request &request);

/// `Proxy-Authorization` of the named HTTP proxy, sent unasked; empty when it has no user name.
[[nodiscard]] QByteArray proxyAuthorization(const Request &request);

/// Makes everything that `manager` sends go the way `request` asks for: as the system says, which never
/// sends loopback addresses through a proxy, directly, or through the one that is named.
void useProxy(QNetworkAccessManager &manager, const Request &request);

} // namespace watukuy::http
