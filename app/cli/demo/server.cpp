// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/demo/server.h"

#include <algorithm>

#include <QSslSocket>

#include "app/cli/demo/serverconnection.h"

namespace watukuy::demo {

using namespace Qt::StringLiterals;

QByteArray ServerRequest::header(QByteArrayView name) const
{
    for (const auto &[key, value] : headers) {
        if (key.compare(name, Qt::CaseInsensitive) == 0)
            return value;
    }
    return {};
}

std::optional<QString> ServerRequest::query(const QString &name) const
{
    const qsizetype mark = target.indexOf('?');
    if (mark < 0)
        return std::nullopt;
    const QByteArray all = target.mid(mark + 1);
    for (const QByteArray &pair : all.split('&')) {
        const qsizetype equals = pair.indexOf('=');
        const QByteArray key = equals < 0 ? pair : pair.left(equals);
        if (QString::fromUtf8(QByteArray::fromPercentEncoding(key)) == name)
            return QString::fromUtf8(
                QByteArray::fromPercentEncoding(equals < 0 ? QByteArray() : pair.mid(equals + 1)));
    }
    return std::nullopt;
}

qint64 ServerRequest::number(const QString &name, qint64 otherwise) const
{
    bool ok = false;
    const qint64 value = query(name).value_or(QString()).toLongLong(&ok);
    return ok ? value : otherwise;
}

ServerReply ServerReply::json(QByteArray body, int status)
{
    ServerReply reply;
    reply.status = status;
    reply.headers = {{"Content-Type", "application/json"}};
    reply.body = std::move(body);
    return reply;
}

ServerReply &ServerReply::with(QByteArray name, QByteArray value)
{
    headers.emplaceBack(std::move(name), std::move(value));
    return *this;
}

HttpServer::HttpServer(Handler handler, QObject *parent)
    : QTcpServer(parent)
    , m_handler(std::move(handler))
{
    setListenBacklogSize(256);
}

HttpServer::~HttpServer()
{
    // Connections tell the server when they end: they must go before it does.
    qDeleteAll(findChildren<ServerConnection *>(Qt::FindDirectChildrenOnly));
}

bool HttpServer::start(quint16 port)
{
    return listen(QHostAddress::LocalHost, port);
}

QUrl HttpServer::url() const
{
    QUrl url;
    url.setScheme(m_tls ? u"https"_s : u"http"_s);
    url.setHost(u"127.0.0.1"_s);
    url.setPort(serverPort());
    return url;
}

void HttpServer::incomingConnection(qintptr descriptor)
{
    ++m_connectionCount;
    QTcpSocket *socket = m_tls ? new QSslSocket : new QTcpSocket;
    if (!socket->setSocketDescriptor(descriptor)) {
        delete socket;
        return;
    }
    socket->setSocketOption(QAbstractSocket::LowDelayOption, 1);
    if (m_tls) {
        auto *secure = static_cast<QSslSocket *>(socket);
        secure->setSslConfiguration(*m_tls);
        secure->startServerEncryption();
    }
    new ServerConnection(this, socket);
}

ServerReply HttpServer::answer(const ServerRequest &request)
{
    ++m_requestCount;
    m_mostUnderWay = std::max(m_mostUnderWay, ++m_underWay);
    Q_EMIT received(request);
    return m_handler(request);
}

} // namespace watukuy::demo
