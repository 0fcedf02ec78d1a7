// SPDX-License-Identifier: GPL-3.0-or-later
// The sink port: where events go. One file per kind of sink.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include <QByteArray>
#include <QCoroTask>
#include <QString>

#include "engine/definition/definition.h"
#include "engine/definition/secrets.h"
#include "engine/http/transport.h"
#include "engine/model/clock.h"
#include "engine/model/event.h"

namespace watukuy {

/// One event on its way out.
struct Delivery {
    Event event;
    int attempt = 1;
    EventFormat format = EventFormat::Native;
    QByteArray envelope; ///< the exact bytes in that format, without a line end
};

/// What a sink made of an event.
struct SinkAnswer {
    enum class Outcome {
        Accepted,
        Refused, ///< it judged the event: an attempt is spent
        Down,    ///< it could not be reached or is overloaded: no attempt is spent
        Later    ///< it wants no more until `retryAfter`: nothing is wrong, no attempt is spent
    };
    Outcome outcome = Outcome::Accepted;
    Error error;                        ///< when Refused or Down
    std::optional<Duration> retryAfter; ///< the sink's own wish, when Down or Later
};

/// A place that takes events. deliver() is called with at most `deliver.concurrency` events at once
/// and never with two of one ordering key. Engine thread only.
class Sink {
public:
    Sink() = default;
    virtual ~Sink() = default;
    Q_DISABLE_COPY_MOVE(Sink)

    virtual QCoro::Task<SinkAnswer> deliver(Delivery delivery) = 0;

    /// Called before events are acked and before a stop: what was accepted must be as durable as
    /// the sink's settings promise.
    virtual QCoro::Task<Result<void>> flush() = 0;
};

/// What sinks are wired to; outlives them.
struct SinkPorts {
    const Clock &clock;
    Secrets &secrets;
    http::Transport &transport;
    const std::map<QString, QString> &variables; ///< of the workspace, for `${var.NAME}`
};

/// Makes the sink a workspace names. ErrorKind::Workspace for a kind that this build lacks.
[[nodiscard]] Result<std::unique_ptr<Sink>> makeSink(const SinkDefinition &definition,
                                                     const SinkPorts &ports);

} // namespace watukuy
