// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/http/signature.h"

#include <QMessageAuthenticationCode>

#include "engine/http/credentials.h"

namespace watukuy::http {

using namespace Qt::StringLiterals;

Result<void> sign(Request &request, const Signature &signature, Instant now)
{
    const HmacCredential &definition = signature.definition;
    const QString timestamp = QString::number(toEpochMs(now) / 1000);
    const auto lookup = [&](const QString &name) -> Result<std::optional<QString>> {
        if (name == u"method")
            return QString::fromLatin1(request.method);
        if (name == u"path")
            return QString::fromLatin1(
                request.url.toEncoded(QUrl::RemoveScheme | QUrl::RemoveAuthority | QUrl::RemoveFragment));
        if (name == u"timestamp")
            return timestamp;
        if (name == u"body")
            return QString::fromUtf8(request.body);
        const auto known = signature.values.constFind(name);
        return known == signature.values.constEnd() ? std::nullopt : std::optional(*known);
    };
    const auto payload = definition.payload.expand(lookup);
    if (!payload)
        return fail(payload.error());
    if (definition.payload.placeholders().contains(u"timestamp")) {
        if (auto set = setHeader(request, u"X-Timestamp"_s, timestamp, signature.place); !set)
            return set;
    }
    const QByteArray code = QMessageAuthenticationCode::hash(
        payload->value_or(QString()).toUtf8(), signature.key,
        definition.algorithm == u"sha512" ? QCryptographicHash::Sha512 : QCryptographicHash::Sha256);
    return setHeader(request, definition.header,
                     QString::fromLatin1(definition.encoding == u"base64" ? code.toBase64() : code.toHex()),
                     signature.place);
}

} // namespace watukuy::http
