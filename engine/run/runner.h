// SPDX-License-Identifier: GPL-3.0-or-later
// The poll cycle: one run of one key, in the seven steps of the seed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <QCoroTask>

#include "engine/definition/definition.h"
#include "engine/delivery/dispatcher.h"
#include "engine/http/client.h"
#include "engine/model/clock.h"
#include "engine/model/random.h"
#include "engine/run/cycle.h"
#include "engine/store/statestore.h"

namespace watukuy {

/// What a run did.
struct RunReport {
    QString skipped;                ///< "", `not-due`, `paused`, `leased`
    std::vector<PollSummary> lanes; ///< one per lane that ran, in order
    QList<Warning> warnings;
    qint64 delivered = 0;
    std::optional<Error> error;            ///< the first lane's or store's error
    std::optional<Instant> deliverAgainAt; ///< a sink is down until then
    std::optional<Error> sinkError;        ///< why it is down
};

/// Runs cycles. One instance serves all keys of an engine; everything one run knows is in its Cycle.
/// Engine thread only.
class Runner {
public:
    Runner(Ports ports, Dispatcher &dispatcher);

    /// Steps 1 to 7 of the seed for one key. `mayGoOn` is asked at page boundaries: false = stop there.
    QCoro::Task<RunReport> run(Key key, std::shared_ptr<const PollerDefinition> poller,
                               std::function<bool()> mayGoOn);

private:
    QCoro::Task<void> drainOutbox(Cycle *cycle);
    QCoro::Task<void> liveLane(Cycle *cycle);
    QCoro::Task<void> reconcileLane(Cycle *cycle);
    QCoro::Task<void> backfillLane(Cycle *cycle);
    QCoro::Task<void> persistSchedule(Cycle *cycle);

    Ports m_ports;
    Dispatcher &m_dispatcher;
};

} // namespace watukuy
