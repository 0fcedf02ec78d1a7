// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/http/origin.h"

namespace watukuy::http {

using namespace Qt::StringLiterals;

namespace {

int portOf(const QUrl &url)
{
    return url.port(url.scheme() == u"https" ? 443 : 80);
}

} // namespace

bool isSameOrigin(const QUrl &one, const QUrl &other)
{
    return one.scheme() == other.scheme() && one.host() == other.host() && portOf(one) == portOf(other);
}

bool isDowngrade(const QUrl &from, const QUrl &to)
{
    return from.scheme() == u"https" && to.scheme() != u"https";
}

QString placeOf(const QUrl &url)
{
    return url.toString(QUrl::RemoveUserInfo | QUrl::RemoveQuery | QUrl::RemoveFragment | QUrl::FullyEncoded);
}

QString hostAndPort(const QUrl &url)
{
    const QString host = url.host();
    return (host.contains(u':') ? u'[' + host + u']' : host) + u':' + QString::number(portOf(url));
}

std::optional<Error> refuseNext(const QUrl &from, const QUrl &to, bool carriesCredentials)
{
    Error error{.kind = ErrorKind::Network, .name = u"NextPageRefused"_s};
    if (!to.isValid() || to.host().isEmpty() || (to.scheme() != u"http" && to.scheme() != u"https")) {
        error.title = u"The next page is no http or https address"_s;
        error.detail = u"%1 names “%2” as the next page"_s.arg(placeOf(from), placeOf(to));
        error.nextStep = u"Check response and pagination: the path or header must hold a URL"_s;
        return error;
    }
    if (isDowngrade(from, to)) {
        error.title = u"The next page leads from https to http"_s;
        error.detail =
            u"%1 names %2 as the next page, which is not encrypted"_s.arg(placeOf(from), placeOf(to));
        error.nextStep = u"Page by number, offset or token instead, or tell the API's owner"_s;
        return error;
    }
    if (carriesCredentials && !isSameOrigin(from, to)) {
        error.title = u"The next page leads to another origin"_s;
        error.detail =
            u"%1 names %2 as the next page; credentials are not sent there"_s.arg(placeOf(from), placeOf(to));
        error.nextStep = u"Set request.url to the address that the API uses in its links"_s;
        return error;
    }
    return std::nullopt;
}

} // namespace watukuy::http
