// SPDX-License-Identifier: GPL-3.0-or-later
// One request on the wire and what comes back, without redirects.
#pragma once

#include <memory>
#include <optional>

#include <QNetworkReply>
#include <QObject>
#include <QStringList>

#include "engine/http/gate.h"
#include "engine/http/inflater.h"
#include "engine/http/transport.h"

namespace watukuy::http {

/// Sends at once, collects the body, counts it, and opens `done` when it is over for any reason.
class Exchange final : public QObject {
    Q_OBJECT

public:
    Exchange(QNetworkAccessManager &manager, const QNetworkRequest &wire, const Request &request);
    ~Exchange() override;

    /// Ends it with `reason` unless it is over.
    void end(Error reason);

    [[nodiscard]] Gate &done() { return m_done; }
    [[nodiscard]] const QUrl &url() const { return m_url; }
    [[nodiscard]] qint64 received() const { return m_received; }
    /// After `done`: the answer, or why there is none.
    [[nodiscard]] Result<Response> take();

private:
    void collect();
    void finish();
    [[nodiscard]] std::optional<Error> cutReason() const;

    QUrl m_url;
    QByteArray m_method;
    qint64 m_maxBytes;
    QUrl m_proxy; ///< empty unless the request names one
    QNetworkReply *m_reply;
    std::unique_ptr<Inflater> m_inflater;
    QByteArray m_encoding;
    qint64 m_received = 0;
    QStringList m_tlsReasons;
    std::optional<Error> m_reason; ///< why it was ended from this side
    Gate m_done;
};

} // namespace watukuy::http
