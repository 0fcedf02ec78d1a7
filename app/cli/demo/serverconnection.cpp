// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/demo/serverconnection.h"

#include <algorithm>

#ifdef Q_OS_WIN
#include <winsock2.h>
#else
#include <sys/socket.h>
#endif

namespace watukuy::demo {

namespace {

constexpr qsizetype maxHeader = 64 * 1024;
constexpr qsizetype maxBody = 64 * 1024 * 1024;
constexpr qsizetype chunkSize = 8 * 1024;
constexpr qint64 socketFill = 1024 * 1024;
constexpr int paceMs = 20;

QByteArray reasonOf(int status)
{
    switch (status) {
    case 200:
        return "OK";
    case 201:
        return "Created";
    case 204:
        return "No Content";
    case 301:
        return "Moved Permanently";
    case 302:
        return "Found";
    case 303:
        return "See Other";
    case 304:
        return "Not Modified";
    case 307:
        return "Temporary Redirect";
    case 308:
        return "Permanent Redirect";
    case 400:
        return "Bad Request";
    case 401:
        return "Unauthorized";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 408:
        return "Request Timeout";
    case 422:
        return "Unprocessable Content";
    case 429:
        return "Too Many Requests";
    case 500:
        return "Internal Server Error";
    case 502:
        return "Bad Gateway";
    case 503:
        return "Service Unavailable";
    default:
        return "Status";
    }
}

bool hasBody(int status)
{
    return status >= 200 && status != 204 && status != 304;
}

QByteArray headOf(const ServerReply &reply, bool closes)
{
    QByteArray head = "HTTP/1.1 " + QByteArray::number(reply.status) + ' ' + reasonOf(reply.status) + "\r\n";
    for (const auto &[name, value] : reply.headers)
        head += name + ": " + value + "\r\n";
    if (hasBody(reply.status)) {
        if (reply.chunked)
            head += "Transfer-Encoding: chunked\r\n";
        else
            head +=
                "Content-Length: " + QByteArray::number(reply.declaredLength.value_or(reply.body.size())) +
                "\r\n";
    }
    if (closes)
        head += "Connection: close\r\n";
    return head + "\r\n";
}

/// The body as it goes over the wire. A cut chunked body lacks its last chunk.
QByteArray wireBody(const ServerReply &reply, qint64 cut)
{
    if (!hasBody(reply.status))
        return {};
    const bool whole = cut < 0 || cut >= reply.body.size();
    const QByteArray sent = whole ? reply.body : reply.body.left(cut);
    if (!reply.chunked)
        return sent;
    QByteArray text;
    text.reserve(sent.size() + sent.size() / chunkSize * 12 + 16);
    for (qsizetype at = 0; at < sent.size(); at += chunkSize) {
        const QByteArray chunk = sent.mid(at, chunkSize);
        text += QByteArray::number(chunk.size(), 16) + "\r\n" + chunk + "\r\n";
    }
    if (cut < 0)
        text += "0\r\n\r\n";
    return text;
}

/// Makes the next close() a reset: nothing Qt offers does.
void lingerNotAtAll(QTcpSocket &socket)
{
    const linger none{1, 0};
    ::setsockopt(socket.socketDescriptor(), SOL_SOCKET, SO_LINGER, reinterpret_cast<const char *>(&none),
                 sizeof none);
}

} // namespace

ServerConnection::ServerConnection(HttpServer *server, QTcpSocket *socket)
    : QObject(server)
    , m_server(server)
    , m_socket(socket)
{
    m_socket->setParent(this);
    m_pace.setSingleShot(true);
    m_pace.setTimerType(Qt::PreciseTimer);
    connect(&m_pace, &QTimer::timeout, this, &ServerConnection::send);
    connect(m_socket, &QTcpSocket::readyRead, this, &ServerConnection::read);
    connect(m_socket, &QTcpSocket::bytesWritten, this, [this] {
        if (m_busy && !m_pace.isActive() && m_socket->bytesToWrite() < socketFill / 2)
            send();
    });
    connect(m_socket, &QTcpSocket::disconnected, this, [this] {
        m_pace.stop();
        deleteLater();
    });
    if (m_socket->bytesAvailable() > 0)
        read();
}

ServerConnection::~ServerConnection()
{
    if (m_busy)
        m_server->requestEnded();
    m_socket->disconnect(this);
}

void ServerConnection::read()
{
    m_in += m_socket->readAll();
    while (!m_busy) {
        const auto request = takeRequest();
        if (!request)
            return;
        m_clientCloses = request->header("Connection").compare("close", Qt::CaseInsensitive) == 0;
        m_busy = true;
        begin(m_server->answer(*request));
    }
}

std::optional<ServerRequest> ServerConnection::takeRequest()
{
    const qsizetype headEnd = m_in.indexOf("\r\n\r\n");
    if (headEnd < 0) {
        if (m_in.size() > maxHeader)
            refuse(400, "header too large");
        return std::nullopt;
    }
    QList<QByteArray> lines = m_in.left(headEnd).split('\n');
    const QList<QByteArray> first = lines.takeFirst().trimmed().split(' ');
    if (first.size() != 3) {
        refuse(400, "no HTTP request line");
        return std::nullopt;
    }
    ServerRequest request;
    request.method = first[0];
    request.target = first[1];
    request.path = QString::fromUtf8(QByteArray::fromPercentEncoding(first[1].split('?').first()));
    request.serverUrl = m_server->url();
    for (const QByteArray &line : std::as_const(lines)) {
        const qsizetype colon = line.indexOf(':');
        if (colon > 0)
            request.headers.emplaceBack(line.left(colon), line.mid(colon + 1).trimmed());
    }
    const qint64 length = request.header("Content-Length").toLongLong();
    if (length < 0 || length > maxBody || !request.header("Transfer-Encoding").isEmpty()) {
        refuse(400, "a body needs a Content-Length of at most 64 MiB");
        return std::nullopt;
    }
    if (m_in.size() - headEnd - 4 < length)
        return std::nullopt;
    request.body = m_in.mid(headEnd + 4, length);
    m_in.remove(0, headEnd + 4 + length);
    return request;
}

void ServerConnection::refuse(int status, const QByteArray &reason)
{
    m_socket->write("HTTP/1.1 " + QByteArray::number(status) + ' ' + reason +
                    "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    m_in.clear();
    m_socket->disconnectFromHost();
}

void ServerConnection::begin(const ServerReply &reply)
{
    m_sent = 0;
    m_bytesPerSecond = reply.dripBytesPerSecond;
    if (!reply.raw.isEmpty()) {
        m_out = reply.raw;
        m_atOnce = 0;
        m_ending = Ending::Close;
    } else if (reply.resetAfter && *reply.resetAfter < 0) {
        m_out.clear();
        m_atOnce = 0;
        m_ending = Ending::Reset;
    } else {
        const bool cut = reply.truncateAfter || reply.resetAfter;
        const bool closes = reply.closeAfter || m_clientCloses;
        m_out = headOf(reply, closes);
        m_atOnce = m_out.size();
        m_out += wireBody(reply, cut ? (reply.resetAfter ? *reply.resetAfter : *reply.truncateAfter) : -1);
        const bool shortBody = reply.declaredLength.value_or(0) > reply.body.size();
        m_ending = reply.resetAfter             ? Ending::Reset
                   : cut || closes || shortBody ? Ending::Close
                                                : Ending::KeepAlive;
    }
    m_dripping.invalidate();
    // Always through the timer: the next request of this connection is read after this one's call returns.
    m_pace.start(reply.delay);
}

void ServerConnection::send()
{
    qsizetype allowed = m_out.size();
    if (m_bytesPerSecond > 0) {
        if (!m_dripping.isValid())
            m_dripping.start();
        allowed = std::min(allowed, m_atOnce + qsizetype(m_dripping.elapsed() * m_bytesPerSecond / 1000));
    }
    const qsizetype room = socketFill - m_socket->bytesToWrite();
    const qsizetype count = std::min(allowed - m_sent, room);
    if (count > 0)
        m_sent += std::max<qint64>(0, m_socket->write(m_out.constData() + m_sent, count));
    if (m_sent == m_out.size()) {
        end();
        return;
    }
    if (m_bytesPerSecond > 0)
        m_pace.start(paceMs);
}

void ServerConnection::end()
{
    m_busy = false;
    m_server->requestEnded();
    m_out.clear();
    switch (m_ending) {
    case Ending::KeepAlive:
        read();
        return;
    case Ending::Close:
        m_socket->disconnectFromHost();
        return;
    case Ending::Reset:
        m_socket->flush();
        lingerNotAtAll(*m_socket);
        m_socket->abort();
        return;
    }
}

} // namespace watukuy::demo
