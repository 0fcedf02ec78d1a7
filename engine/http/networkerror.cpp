// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/http/networkerror.h"

#include "engine/http/origin.h"

namespace watukuy::http::networkerror {

using namespace Qt::StringLiterals;

namespace {

Error network(const QString &name, const QString &title, const QString &detail, const QString &nextStep,
              bool retryable = true)
{
    return {.kind = ErrorKind::Network,
            .name = name,
            .title = title,
            .detail = detail,
            .nextStep = nextStep,
            .retryable = retryable};
}

Error closedEarly(const QUrl &url, const QByteArray &method)
{
    const bool safe = method == "GET" || method == "HEAD";
    return network(u"ConnectionClosed"_s,
                   u"%1 closed the connection before the answer was whole"_s.arg(hostAndPort(url)),
                   placeOf(url),
                   safe ? u"If it goes on, look at the API's own log or a proxy between"_s
                        : u"The request may have taken effect; it was not sent a second time"_s);
}

Error tls(const QUrl &url, const QString &qtText, const QStringList &reasons)
{
    const QString why = reasons.isEmpty() ? qtText : reasons.join(u"; "_s);
    return network(u"TlsError"_s, u"No safe connection to %1"_s.arg(hostAndPort(url)), why,
                   u"Check the certificate of the API; for an own authority set request.tls.ca"_s);
}

QString whyOfProxy(QNetworkReply::NetworkError error)
{
    switch (error) {
    case QNetworkReply::ConnectionRefusedError:
    case QNetworkReply::ProxyConnectionRefusedError:
        return u"nobody listens at the proxy's address"_s;
    case QNetworkReply::HostNotFoundError:
    case QNetworkReply::ProxyNotFoundError:
        return u"the proxy's name was not found"_s;
    case QNetworkReply::TimeoutError:
    case QNetworkReply::ProxyTimeoutError:
        return u"the proxy did not answer in time"_s;
    case QNetworkReply::ProxyAuthenticationRequiredError:
        return u"the proxy wants a user name and a password"_s;
    default:
        return u"the proxy ended the connection"_s;
    }
}

Error proxyError(const QUrl &url, const QString &why, const QString &nextStep)
{
    return network(u"ProxyError"_s, u"The proxy does not lead to %1"_s.arg(hostAndPort(url)), why, nextStep);
}

} // namespace

bool isStatus(QNetworkReply::NetworkError error)
{
    switch (error) {
    case QNetworkReply::NoError:
    case QNetworkReply::ProtocolInvalidOperationError:    // 400
    case QNetworkReply::ProxyAuthenticationRequiredError: // 407
        return true;
    case QNetworkReply::ContentReSendError:
        return false;
    default:
        return (error > 200 && error < 300) || error > 400;
    }
}

Error of(QNetworkReply::NetworkError error, const QString &qtText, const QUrl &url, const QByteArray &method,
         const QStringList &tlsReasons)
{
    const QString host = hostAndPort(url);
    if (error > 100 && error < 200)
        return proxyError(url, whyOfProxy(error), u"Check the proxy settings of this machine"_s);
    switch (error) {
    case QNetworkReply::ConnectionRefusedError:
        return network(u"ConnectionRefused"_s, u"Nobody listens at %1"_s.arg(host), placeOf(url),
                       u"Check request.url, and that the API runs"_s);
    case QNetworkReply::HostNotFoundError:
        return network(u"HostNotFound"_s, u"Name not found: %1"_s.arg(url.host()), placeOf(url),
                       u"Check request.url, and that this machine is online"_s);
    case QNetworkReply::RemoteHostClosedError:
    case QNetworkReply::ContentReSendError:
        return closedEarly(url, method);
    case QNetworkReply::TimeoutError:
        return network(u"ConnectTimeout"_s, u"%1 cannot be reached"_s.arg(host), placeOf(url),
                       u"Check request.url and what is between: firewall, VPN"_s);
    case QNetworkReply::SslHandshakeFailedError:
        return tls(url, qtText, tlsReasons);
    case QNetworkReply::TemporaryNetworkFailureError:
    case QNetworkReply::NetworkSessionFailedError:
        return network(u"NetworkDown"_s, u"The network went away while asking %1"_s.arg(host), placeOf(url),
                       u"Nothing to do: it is tried again"_s);
    case QNetworkReply::ProtocolFailure:
        return network(u"ProtocolError"_s, u"%1 does not speak HTTP"_s.arg(host), placeOf(url),
                       u"Check the port and http or https in request.url"_s);
    default:
        break;
    }
    const QString why = qtText.contains(url.host() + u'/') || qtText.contains(u'?') ? QString() : qtText;
    return network(u"NetworkError"_s, u"No answer from %1"_s.arg(host),
                   why.isEmpty() ? placeOf(url) : u"%1: %2"_s.arg(placeOf(url), why),
                   u"Check request.url and the network"_s);
}

std::optional<Error> throughProxy(QNetworkReply::NetworkError error, const QUrl &url, const QUrl &proxy)
{
    const bool isConnecting =
        error == QNetworkReply::ConnectionRefusedError || error == QNetworkReply::HostNotFoundError ||
        error == QNetworkReply::TimeoutError || error == QNetworkReply::UnknownNetworkError ||
        error == QNetworkReply::UnknownProxyError || (error > 100 && error < 200);
    if (!isConnecting)
        return {};
    return proxyError(url, u"%1: %2"_s.arg(hostAndPort(proxy), whyOfProxy(error)),
                      u"Check request.proxy, and that the proxy runs"_s);
}

Error deadline(const QUrl &url, Duration timeout, qint64 received)
{
    const QString got = received > 0 ? u"%1 bytes had come"_s.arg(received) : u"nothing had come"_s;
    return network(u"TimeoutError"_s,
                   u"No whole answer from %1 in %2 ms"_s.arg(hostAndPort(url)).arg(timeout.count()),
                   u"%1: %2"_s.arg(placeOf(url), got), u"Ask for smaller pages or raise request.timeout"_s);
}

Error tooLarge(const QUrl &url, qint64 maxBytes)
{
    return network(u"BodyTooLarge"_s, u"The answer is larger than %1 bytes"_s.arg(maxBytes), placeOf(url),
                   u"Ask for smaller pages or raise request.maxBytes"_s, false);
}

Error cutBody(const QUrl &url, const QString &why)
{
    return network(u"BodyCut"_s, u"The answer of %1 was cut short"_s.arg(hostAndPort(url)),
                   u"%1: %2"_s.arg(placeOf(url), why),
                   u"If it goes on, look at the API's own log or a proxy between"_s);
}

Error encoding(const QUrl &url, const QByteArray &encoding, const QString &why)
{
    return network(
        u"ContentEncodingError"_s, u"The answer cannot be decompressed"_s,
        u"%1: Content-Encoding is %2, but %3"_s.arg(placeOf(url), QString::fromLatin1(encoding), why),
        u"Tell the API's owner; nothing of the answer was used"_s);
}

Error unknownScheme(const QUrl &url)
{
    return {.kind = ErrorKind::Workspace,
            .name = u"UrlError"_s,
            .title = u"The address is not http or https"_s,
            .detail = placeOf(url),
            .nextStep = u"Check request.url"_s};
}

Error redirectOrigin(const QUrl &from, const QUrl &to)
{
    return network(
        u"RedirectRefused"_s, u"A redirect to another origin was not followed"_s,
        u"%1 leads to %2"_s.arg(placeOf(from), placeOf(to)),
        u"Set request.url to the new address, or request.redirects to \"any\": credentials stay behind then"_s,
        false);
}

Error redirectDowngrade(const QUrl &from, const QUrl &to)
{
    return network(u"RedirectRefused"_s, u"A redirect from https to http was not followed"_s,
                   u"%1 leads to %2, which is not encrypted"_s.arg(placeOf(from), placeOf(to)),
                   u"Set request.url to an https address"_s, false);
}

Error redirectTarget(const QUrl &from)
{
    return network(u"RedirectRefused"_s, u"A redirect leads to no http or https address"_s, placeOf(from),
                   u"Check request.url"_s, false);
}

Error tooManyRedirects(const QUrl &first, int count)
{
    return network(u"TooManyRedirects"_s, u"More than %1 redirects, given up"_s.arg(count), placeOf(first),
                   u"Check request.url: a login page or a loop is the usual reason"_s, false);
}

Error cancelled(const QUrl &url)
{
    return {.kind = ErrorKind::Cancelled,
            .name = u"Cancelled"_s,
            .title = u"The request was stopped"_s,
            .detail = placeOf(url),
            .nextStep = {},
            .retryable = true};
}

} // namespace watukuy::http::networkerror
