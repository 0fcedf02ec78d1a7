// SPDX-License-Identifier: GPL-3.0-or-later
// A fresh self-signed certificate, so that tests of TLS hold no key and never expire.
#pragma once

#include <QByteArray>

struct SelfSigned {
    QByteArray certificate; ///< PEM
    QByteArray key;         ///< PEM, EC P-256
};

/// Valid for an hour, for the IP address 127.0.0.1 and the name `localhost`.
[[nodiscard]] SelfSigned makeSelfSigned(const char *commonName);
