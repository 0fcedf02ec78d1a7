// SPDX-License-Identifier: GPL-3.0-or-later
// The `webhook` sink: one signed POST per event (spec-engine 8, Standard Webhooks).
#pragma once

#include <deque>
#include <map>

#include "engine/delivery/sink.h"
#include "engine/http/transport.h"

namespace watukuy {

/// Sends each event's exact bytes, signed afresh with every try. What the receiver answers decides:
/// a success status accepts it; no answer, a redirect (none is followed), 408, 429 and 5xx mean that
/// it is down, with the Retry-After it names; everything else spends an attempt (spec-engine 11).
class WebhookSink final : public Sink {
public:
    WebhookSink(WebhookSinkDefinition definition, const SinkPorts &ports);

    QCoro::Task<SinkAnswer> deliver(Delivery delivery) override;
    QCoro::Task<Result<void>> flush() override;

private:
    [[nodiscard]] Result<http::Request> requestFor(const Delivery &delivery) const;
    [[nodiscard]] Result<QUrl> addressFor(const Event &event) const;
    [[nodiscard]] SinkAnswer judge(const http::Response &response) const;
    /// The wait that the endpoint's rate limit still asks for; nothing = it may be asked now.
    [[nodiscard]] std::optional<Duration> takeTurn();

    WebhookSinkDefinition m_definition;
    SinkPorts m_ports;
    std::deque<Duration> m_sent; ///< the sends of the last `ratePer`, on the monotonic clock
};

} // namespace watukuy
