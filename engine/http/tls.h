// SPDX-License-Identifier: GPL-3.0-or-later
// TLS settings of a request: own authorities and client certificates from PEM files.
#pragma once

#include <QSslConfiguration>
#include <QString>

#include "engine/http/transport.h"
#include "engine/model/error.h"

namespace watukuy::http {

/// The certificates to trust and to show. An own CA file replaces the system's authorities.
/// ErrorKind::Workspace names the file that cannot be used. Reads the disk.
[[nodiscard]] Result<QSslConfiguration> tlsConfiguration(const Request &request);

/// Equal for requests that may share a connection: connections are kept per host, and one that was
/// opened with another client certificate must not be taken.
[[nodiscard]] QString tlsIdentity(const Request &request);

} // namespace watukuy::http
