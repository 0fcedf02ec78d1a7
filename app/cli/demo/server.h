// SPDX-License-Identifier: GPL-3.0-or-later
// A small HTTP/1.1 server on loopback whose every answer can be made to go wrong on purpose.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include <QByteArray>
#include <QList>
#include <QSslConfiguration>
#include <QString>
#include <QTcpServer>
#include <QUrl>
#include <QUrlQuery>

namespace watukuy::demo {

/// A request as it came over the wire.
struct ServerRequest {
    QByteArray method;
    QByteArray target; ///< path and query, exactly the bytes of the request line
    QString path;      ///< decoded
    QList<std::pair<QByteArray, QByteArray>> headers;
    QByteArray body;
    QUrl serverUrl; ///< `http://127.0.0.1:PORT`, to build absolute links

    /// The first header of that name in any case, empty when absent.
    [[nodiscard]] QByteArray header(QByteArrayView name) const;
    /// A query value with percent escapes undone (`+` stays a plus), nothing when absent.
    [[nodiscard]] std::optional<QString> query(const QString &name) const;
    [[nodiscard]] qint64 number(const QString &name, qint64 otherwise) const;
};

/// An answer, and what goes wrong with it. Content-Length is written unless `chunked`.
struct ServerReply {
    int status = 200;
    QList<std::pair<QByteArray, QByteArray>> headers;
    QByteArray body;

    std::chrono::milliseconds delay{0};  ///< before the first byte
    int dripBytesPerSecond = 0;          ///< 0 = as fast as the socket takes it; headers go at once
    std::optional<qint64> truncateAfter; ///< close politely after so many body bytes
    std::optional<qint64> resetAfter; ///< reset the connection after so many body bytes; -1 = before any byte
    std::optional<qint64> declaredLength; ///< a Content-Length that is not the body's
    bool chunked = false;
    bool closeAfter = false; ///< `Connection: close`
    QByteArray raw;          ///< these bytes instead of everything above, then the connection is closed

    /// 200 with a JSON body.
    [[nodiscard]] static ServerReply json(QByteArray body, int status = 200);
    ServerReply &with(QByteArray name, QByteArray value);
};

/// Listens on 127.0.0.1 and answers from the thread it lives in: keep-alive, one request at a time
/// per connection, request bodies by Content-Length.
class HttpServer : public QTcpServer {
    Q_OBJECT

public:
    using Handler = std::function<ServerReply(const ServerRequest &)>;

    explicit HttpServer(Handler handler, QObject *parent = nullptr);
    ~HttpServer() override;

    /// Port 0 takes a free one. False with errorString() when the port is taken.
    [[nodiscard]] bool start(quint16 port = 0);

    /// Speaks TLS from now on; `url()` becomes https.
    void useTls(const QSslConfiguration &configuration) { m_tls = configuration; }

    [[nodiscard]] QUrl url() const;
    [[nodiscard]] int requestCount() const { return m_requestCount; }
    [[nodiscard]] int connectionCount() const { return m_connectionCount; }
    /// Requests that have come and are not answered to the end, now and at most.
    [[nodiscard]] int underWay() const { return m_underWay; }
    [[nodiscard]] int mostUnderWay() const { return m_mostUnderWay; }

Q_SIGNALS:
    void received(const watukuy::demo::ServerRequest &request);

protected:
    void incomingConnection(qintptr descriptor) override;

private:
    friend class ServerConnection;
    [[nodiscard]] ServerReply answer(const ServerRequest &request);
    void requestEnded() { --m_underWay; }

    Handler m_handler;
    std::optional<QSslConfiguration> m_tls;
    int m_requestCount = 0;
    int m_connectionCount = 0;
    int m_underWay = 0;
    int m_mostUnderWay = 0;
};

} // namespace watukuy::demo
