// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/http/proxy.h"

#include <QHostAddress>
#include <QNetworkProxy>

namespace watukuy::http {

namespace {

bool isLoopback(const QString &host)
{
    return host == u"localhost" || host.endsWith(u".localhost") || QHostAddress(host).isLoopback();
}

/// What the system's settings or, on Unix, `http_proxy` and its kin say.
class SystemProxies final : public QNetworkProxyFactory {
public:
    QList<QNetworkProxy> queryProxy(const QNetworkProxyQuery &query) override
    {
        if (isLoopback(query.peerHostName()))
            return {QNetworkProxy::NoProxy};
        return systemProxyForQuery(query);
    }
};

/// On Unix the settings come from the environment and stay as they are; elsewhere they may change.
bool maySystemHaveProxies()
{
#if defined(Q_OS_UNIX) && !defined(Q_OS_MACOS)
    for (const char *address : {"http://example.com", "https://example.com"}) {
        const auto proxies =
            QNetworkProxyFactory::systemProxyForQuery(QNetworkProxyQuery(QUrl(QString::fromLatin1(address))));
        if (proxies.value(0).type() != QNetworkProxy::NoProxy)
            return true;
    }
    return false;
#else
    return true;
#endif
}

} // namespace

QString proxyIdentity(const Request &request)
{
    return QString::number(static_cast<int>(request.proxyUse)) + request.proxy.toString(QUrl::FullyEncoded);
}

QByteArray proxyAuthorization(const Request &request)
{
    const QString user = request.proxy.userName(QUrl::FullyDecoded);
    if (request.proxyUse != ProxyUse::Named || request.proxy.scheme() != u"http" || user.isEmpty())
        return {};
    return "Basic " + (user + u':' + request.proxy.password(QUrl::FullyDecoded)).toUtf8().toBase64();
}

void useProxy(QNetworkAccessManager &manager, const Request &request)
{
    switch (request.proxyUse) {
    case ProxyUse::System:
        if (maySystemHaveProxies())
            manager.setProxyFactory(new SystemProxies);
        break;
    case ProxyUse::None:
        manager.setProxy(QNetworkProxy::NoProxy);
        break;
    case ProxyUse::Named:
        QNetworkProxy proxy(
            request.proxy.scheme() == u"socks5" ? QNetworkProxy::Socks5Proxy : QNetworkProxy::HttpProxy,
            request.proxy.host(), static_cast<quint16>(request.proxy.port()),
            request.proxy.userName(QUrl::FullyDecoded), request.proxy.password(QUrl::FullyDecoded));
        if (const QByteArray authorization = proxyAuthorization(request); !authorization.isEmpty())
            proxy.setRawHeader("Proxy-Authorization", authorization);
        manager.setProxy(proxy);
        break;
    }
}

} // namespace watukuy::http
