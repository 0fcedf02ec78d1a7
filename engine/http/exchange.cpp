// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/http/exchange.h"

#include <QNetworkAccessManager>
#include <QSslError>

#include "engine/http/networkerror.h"
#include "engine/http/oncebody.h"

namespace watukuy::http {

using namespace Qt::StringLiterals;

namespace {

QNetworkReply *start(QNetworkAccessManager &manager, QNetworkRequest wire, const Request &request)
{
    // Also without a body: only an upload that cannot be rewound keeps Qt from asking a second time,
    // past every budget, when a connection drops before the answer.
    auto *body = new OnceBody(request.body);
    wire.setHeader(QNetworkRequest::ContentLengthHeader, request.body.size());
    QNetworkReply *reply = manager.sendCustomRequest(wire, request.method, body);
    body->setParent(reply);
    return reply;
}

} // namespace

Exchange::Exchange(QNetworkAccessManager &manager, const QNetworkRequest &wire, const Request &request)
    : m_url(request.url)
    , m_method(request.method)
    , m_maxBytes(request.maxBytes)
    , m_proxy(request.proxyUse == ProxyUse::Named ? request.proxy : QUrl())
    , m_reply(start(manager, wire, request))
    , m_done(this)
{
    connect(m_reply, &QNetworkReply::readyRead, this, &Exchange::collect);
    connect(m_reply, &QNetworkReply::finished, this, &Exchange::finish);
    connect(m_reply, &QNetworkReply::sslErrors, this, [this](const QList<QSslError> &errors) {
        for (const QSslError &error : errors) {
            if (const QString text = error.errorString(); !m_tlsReasons.contains(text))
                m_tlsReasons += text;
        }
    });
}

Exchange::~Exchange()
{
    m_reply->disconnect(this);
    m_reply->abort();
    m_reply->deleteLater();
}

void Exchange::end(Error reason)
{
    if (m_done.isOpen())
        return;
    if (!m_reason)
        m_reason = std::move(reason);
    m_reply->abort();
    m_done.open();
}

void Exchange::collect()
{
    if (m_reason)
        return;
    if (!m_inflater) {
        m_encoding = m_reply->rawHeader("Content-Encoding");
        if (!Inflater::knows(m_encoding)) {
            end(networkerror::encoding(
                m_url, m_encoding,
                u"only %1 were asked for"_s.arg(QString::fromLatin1(Inflater::accepted()))));
            return;
        }
        m_inflater = std::make_unique<Inflater>(m_encoding, m_maxBytes);
    }
    const QByteArray piece = m_reply->readAll();
    m_received += piece.size();
    switch (m_inflater->feed(piece)) {
    case Inflater::State::Going:
        return;
    case Inflater::State::Broken:
        end(networkerror::encoding(m_url, m_encoding, m_inflater->reason()));
        return;
    case Inflater::State::TooLarge:
        end(networkerror::tooLarge(m_url, m_maxBytes));
        return;
    }
}

void Exchange::finish()
{
    if (m_reply->bytesAvailable() > 0)
        collect();
    m_done.open();
}

std::optional<Error> Exchange::cutReason() const
{
    const int status = m_reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    const bool hasBody = m_method != "HEAD" && status != 204 && status != 304;
    bool declared = false;
    const qint64 length = m_reply->rawHeader("Content-Length").trimmed().toLongLong(&declared);
    if (hasBody && declared && !m_reply->hasRawHeader("Transfer-Encoding") && m_received != length)
        return networkerror::cutBody(m_url,
                                     u"Content-Length is %1, %2 bytes came"_s.arg(length).arg(m_received));
    if (m_inflater && !m_inflater->isWhole())
        return networkerror::encoding(m_url, m_encoding, u"the stream ends early"_s);
    return std::nullopt;
}

Result<Response> Exchange::take()
{
    if (m_reason)
        return fail(*m_reason);
    const int status = m_reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    // Qt rewinds the body when 307 or 308 comes, in case it is to follow: that the body cannot be
    // rewound is no fault of the answer.
    const bool isRedirect =
        (status == 307 || status == 308) && m_reply->error() == QNetworkReply::ContentReSendError;
    if (!m_proxy.isEmpty() && status == 0) {
        if (auto failed = networkerror::throughProxy(m_reply->error(), m_url, m_proxy))
            return fail(std::move(*failed));
    }
    if (!isRedirect && (status == 0 || !networkerror::isStatus(m_reply->error())))
        return fail(
            networkerror::of(m_reply->error(), m_reply->errorString(), m_url, m_method, m_tlsReasons));
    if (const auto cut = isRedirect ? std::nullopt : cutReason())
        return fail(*cut);
    Response response;
    response.status = status;
    response.finalUrl = m_url;
    for (const auto &pair : m_reply->rawHeaderPairs())
        response.headers.emplace_back(pair.first, pair.second);
    if (m_inflater)
        response.body = m_inflater->takeOutput();
    return response;
}

} // namespace watukuy::http
