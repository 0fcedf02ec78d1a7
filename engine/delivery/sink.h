// SPDX-License-Identifier: GPL-3.0-or-later
// The sink port: where events go. One file per kind of sink.
#pragma once

#include <memory>
#include <optional>

#include <QByteArray>
#include <QCoroTask>
#include <QString>

#include "engine/definition/definition.h"
#include "engine/definition/secrets.h"
#include "engine/model/clock.h"
#include "engine/model/event.h"

namespace watukuy {

/// One event on its way out.
struct Delivery {
    Event event;
    int attempt = 1;
    QByteArray envelope; ///< the exact bytes, native or CloudEvents, without a line end
};

/// What a sink made of an event.
struct SinkAnswer {
    enum class Outcome {
        Accepted,
        Refused, ///< it judged the event: an attempt is spent
        Down     ///< it could not be reached or is overloaded: no attempt is spent
    };
    Outcome outcome = Outcome::Accepted;
    Error error;                        ///< unless Accepted
    std::optional<Duration> retryAfter; ///< the sink's own wish, when Down
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

/// Makes the sink a workspace names. ErrorKind::Workspace for a kind that this build lacks.
[[nodiscard]] Result<std::unique_ptr<Sink>> makeSink(const SinkDefinition &definition, const Clock &clock,
                                                     Secrets &secrets);

} // namespace watukuy
