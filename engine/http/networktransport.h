// SPDX-License-Identifier: GPL-3.0-or-later
// Transport over QNetworkAccessManager: own queue per host, total deadlines, manual redirects.
#pragma once

#include <memory>

#include "engine/http/transport.h"

namespace watukuy::http {

/// The real transport. Create and destroy it in the thread that uses it; what is under way when it
/// is destroyed ends as Cancelled from the event loop. At most six requests per
/// host at once; HTTP/1.1 with keep-alive; TLS errors are fatal; gzip, deflate, br and zstd.
/// Redirects are followed by hand so that credentials never leave their origin.
class NetworkTransport final : public Transport {
public:
    NetworkTransport();
    ~NetworkTransport() override;

    QCoro::Task<Result<Response>> send(Request request) override;
    void abortAll() override;

private:
    class Private;
    std::shared_ptr<Private> d; ///< shared with the requests under way
};

} // namespace watukuy::http
