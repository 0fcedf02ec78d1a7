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

} // namespace

QString proxyIdentity(const Request &request)
{
    return QString::number(static_cast<int>(request.proxyUse)) + request.proxy.toString(QUrl::FullyEncoded);
}

void useProxy(QNetworkAccessManager &manager, const Request &request)
{
    switch (request.proxyUse) {
    case ProxyUse::System:
        manager.setProxyFactory(new SystemProxies);
        break;
    case ProxyUse::None:
        manager.setProxy(QNetworkProxy::NoProxy);
        break;
    case ProxyUse::Named:
        manager.setProxy(QNetworkProxy(
            request.proxy.scheme() == u"socks5" ? QNetworkProxy::Socks5Proxy : QNetworkProxy::HttpProxy,
            request.proxy.host(), static_cast<quint16>(request.proxy.port()),
            request.proxy.userName(QUrl::FullyDecoded), request.proxy.password(QUrl::FullyDecoded)));
        break;
    }
}

} // namespace watukuy::http
