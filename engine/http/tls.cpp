// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/http/tls.h"

#include <QFile>
#include <QFileInfo>
#include <QSslCertificate>
#include <QSslKey>

namespace watukuy::http {

using namespace Qt::StringLiterals;

namespace {

Error unusable(const QString &key, const QString &file, const QString &why)
{
    return {.kind = ErrorKind::Workspace,
            .name = u"TlsFileError"_s,
            .title = u"request.tls.%1 cannot be used"_s.arg(key),
            .detail = u"%1: %2"_s.arg(file, why),
            .nextStep = u"Name a PEM file that this program may read"_s};
}

Result<QByteArray> contentOf(const QString &key, const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return fail(unusable(key, path, file.errorString()));
    return file.readAll();
}

Result<QSslKey> privateKey(const QString &path)
{
    const auto pem = contentOf(u"key"_s, path);
    if (!pem)
        return fail(pem.error());
    for (const QSsl::KeyAlgorithm algorithm : {QSsl::Rsa, QSsl::Ec, QSsl::Dsa}) {
        if (const QSslKey key(*pem, algorithm); !key.isNull())
            return key;
    }
    return fail(unusable(u"key"_s, path, u"no unencrypted RSA, EC or DSA key in it"_s));
}

QString fileIdentity(const QString &path)
{
    if (path.isEmpty())
        return {};
    return path + u'@' + QString::number(QFileInfo(path).lastModified().toMSecsSinceEpoch());
}

} // namespace

Result<QSslConfiguration> tlsConfiguration(const Request &request)
{
    QSslConfiguration configuration = QSslConfiguration::defaultConfiguration();
    configuration.setPeerVerifyMode(QSslSocket::VerifyPeer);
    configuration.setProtocol(QSsl::TlsV1_2OrLater);
    if (!request.tlsCa.isEmpty()) {
        const auto pem = contentOf(u"ca"_s, request.tlsCa);
        if (!pem)
            return fail(pem.error());
        const auto authorities = QSslCertificate::fromData(*pem, QSsl::Pem);
        if (authorities.isEmpty())
            return fail(unusable(u"ca"_s, request.tlsCa, u"no certificate in it"_s));
        configuration.setCaCertificates(authorities);
    }
    if (request.tlsCertificate.isEmpty())
        return configuration;
    const auto pem = contentOf(u"cert"_s, request.tlsCertificate);
    if (!pem)
        return fail(pem.error());
    const auto chain = QSslCertificate::fromData(*pem, QSsl::Pem);
    if (chain.isEmpty())
        return fail(unusable(u"cert"_s, request.tlsCertificate, u"no certificate in it"_s));
    const auto key = privateKey(request.tlsKey.isEmpty() ? request.tlsCertificate : request.tlsKey);
    if (!key)
        return fail(key.error());
    configuration.setLocalCertificateChain(chain);
    configuration.setPrivateKey(*key);
    return configuration;
}

QString tlsIdentity(const Request &request)
{
    return fileIdentity(request.tlsCa) + u'|' + fileIdentity(request.tlsCertificate) + u'|' +
           fileIdentity(request.tlsKey);
}

} // namespace watukuy::http
