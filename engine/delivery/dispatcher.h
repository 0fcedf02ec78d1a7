// SPDX-License-Identifier: GPL-3.0-or-later
// Delivers the outbox: ordered inside an ordering key, concurrent across them, never losing a row.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <QCoroTask>
#include <QString>

#include "engine/definition/definition.h"
#include "engine/delivery/sink.h"
#include "engine/model/clock.h"
#include "engine/model/random.h"
#include "engine/store/statestore.h"

namespace watukuy {

/// What a drain did and what it left.
struct DrainReport {
    qint64 delivered = 0;
    qint64 parked = 0;
    std::optional<Instant> tryAgainAt; ///< a sink is down until then
    std::optional<Error> sinkError;    ///< why it is down, when this drain asked it
    std::optional<Error> error;        ///< a store error, LeaseLost included, or PoisonHalt
};

/// How long a drain may go on. All are called on the engine thread.
struct DrainPermit {
    std::function<std::optional<Lease>()> lease;      ///< to write with; nothing = it was lost
    std::function<QCoro::Task<Result<void>>()> renew; ///< called between slices
    std::function<bool()> mayGoOn;                    ///< false = stop after the events under way
};

/// Delivers a key's outbox (seed steps 3 and 4, spec-engine 8). Holds no rows between drains.
/// Engine thread only.
class Dispatcher {
public:
    using Sinks = std::map<QString, std::unique_ptr<Sink>>;

    /// `delivered` hears of each event that all sinks took, after its ack is stored.
    Dispatcher(StateStore &store, const Clock &clock, Random &random, const Sinks &sinks, int batchSize,
               std::function<void(const Event &)> delivered);

    /// Delivers what is eligible until nothing is, a sink is down, or the permit ends.
    QCoro::Task<DrainReport> drain(std::shared_ptr<const PollerDefinition> poller, Key key,
                                   DrainPermit permit);

private:
    struct Slice;

    QCoro::Task<void> deliverInOrder(Slice *slice);
    QCoro::Task<SinkAnswer> offer(Slice *slice, OutboxRow *row);
    QCoro::Task<void> settle(Slice *slice);
    void markDown(Slice *slice, const QString &sink, const SinkAnswer &answer);
    void judge(Slice *slice, OutboxRow row, const SinkAnswer &answer, const QString &sink);
    [[nodiscard]] std::optional<Instant> downUntil(const QString &sink) const;
    /// The earliest end, when none of the sinks can be asked before.
    [[nodiscard]] std::optional<Instant> allDownUntil(const DeliverDefinition &deliver) const;

    struct SinkHealth {
        int failures = 0;
        std::optional<Duration> downUntil; ///< on the monotonic clock
    };

    StateStore &m_store;
    const Clock &m_clock;
    Random &m_random;
    const Sinks &m_sinks;
    int m_batchSize;
    std::function<void(const Event &)> m_delivered;
    std::map<QString, SinkHealth> m_health;
};

} // namespace watukuy
