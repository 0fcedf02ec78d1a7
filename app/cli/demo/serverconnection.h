// SPDX-License-Identifier: GPL-3.0-or-later
// One connection of the demo server: reads requests, writes answers with their faults.
#pragma once

#include <QByteArray>
#include <QElapsedTimer>
#include <QObject>
#include <QTcpSocket>
#include <QTimer>

#include "app/cli/demo/server.h"

namespace watukuy::demo {

class ServerConnection : public QObject {
    Q_OBJECT

public:
    ServerConnection(HttpServer *server, QTcpSocket *socket);
    ~ServerConnection() override;

private:
    enum class Ending { KeepAlive, Close, Reset };

    void read();
    /// The request at the front of the buffer, nothing while it is incomplete.
    [[nodiscard]] std::optional<ServerRequest> takeRequest();
    void refuse(int status, const QByteArray &reason);
    void begin(const ServerReply &reply);
    void send();
    void end();

    HttpServer *m_server;
    QTcpSocket *m_socket;
    QTimer m_pace;
    QByteArray m_in;
    QByteArray m_out;
    qsizetype m_sent = 0;
    qsizetype m_atOnce = 0; ///< bytes at the front of m_out that no drip delays
    int m_bytesPerSecond = 0;
    QElapsedTimer m_dripping;
    Ending m_ending = Ending::KeepAlive;
    bool m_busy = false;
    bool m_clientCloses = false;
};

} // namespace watukuy::demo
