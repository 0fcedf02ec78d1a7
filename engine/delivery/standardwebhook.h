// SPDX-License-Identifier: GPL-3.0-or-later
// Signatures of the Standard Webhooks specification (standardwebhooks.com, "Verifying signatures").
#pragma once

#include <QByteArray>
#include <QByteArrayView>
#include <QString>

#include "engine/model/error.h"

namespace watukuy::standardwebhook {

/// The key that a secret stands for: base64 after `whsec_`, else the text's own UTF-8 bytes.
/// ErrorKind::Secret when it is empty or no base64; never says the secret.
[[nodiscard]] Result<QByteArray> keyOf(const QString &secret);

/// `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`; `timestamp` in Unix seconds.
[[nodiscard]] QByteArray signature(QByteArrayView key, QByteArrayView id, qint64 timestamp,
                                   QByteArrayView body);

} // namespace watukuy::standardwebhook
