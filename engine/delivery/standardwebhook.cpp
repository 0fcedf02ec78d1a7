// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/delivery/standardwebhook.h"

#include "engine/json/canonical.h"

namespace watukuy::standardwebhook {

using namespace Qt::StringLiterals;

namespace {

Error secretError(const QString &why)
{
    return {.kind = ErrorKind::Secret,
            .name = u"WebhookSecretError"_s,
            .title = u"The secret of a webhook cannot be used"_s,
            .detail = why,
            .nextStep = u"Store a secret as the receiver gave it: a text, or whsec_ and base64."_s};
}

} // namespace

Result<QByteArray> keyOf(const QString &secret)
{
    constexpr QLatin1StringView prefix("whsec_");
    if (!secret.startsWith(prefix))
        return secret.isEmpty() ? fail(secretError(u"It is empty."_s)) : Result<QByteArray>(secret.toUtf8());
    const auto decoded = QByteArray::fromBase64Encoding(secret.mid(prefix.size()).toLatin1(),
                                                        QByteArray::AbortOnBase64DecodingErrors);
    if (!decoded)
        return fail(secretError(u"What follows whsec_ is no base64."_s));
    if ((*decoded).isEmpty())
        return fail(secretError(u"Nothing follows whsec_."_s));
    return *decoded;
}

QByteArray signature(QByteArrayView key, QByteArrayView id, qint64 timestamp, QByteArrayView body)
{
    QByteArray signedText;
    signedText.reserve(id.size() + body.size() + 24);
    signedText.append(id).append('.').append(QByteArray::number(timestamp)).append('.').append(body);
    return "v1," + json::hmacSha256(key, signedText).toBase64();
}

} // namespace watukuy::standardwebhook
