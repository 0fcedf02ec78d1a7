// SPDX-License-Identifier: GPL-3.0-or-later
// What one run of one key knows, handed from step to step.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/cursor/strategy.h"
#include "engine/definition/definition.h"
#include "engine/http/client.h"
#include "engine/model/clock.h"
#include "engine/model/logline.h"
#include "engine/model/random.h"
#include "engine/model/state.h"
#include "engine/run/budgetkeeper.h"
#include "engine/run/leasekeeper.h"
#include "engine/store/statestore.h"

namespace watukuy {

/// What the engine is wired to; outlives every run.
struct Ports {
    const WorkspaceDefinition &workspace;
    StateStore &store;
    Clock &clock;
    Random &random;
    http::Client &client;
    BudgetKeeper &budgets;
    QString instance;
    std::optional<Duration> listingPatience =
        {}; ///< for a listing of partitions, instead of a budget's maxWait
};

/// One run: made after the lease was taken, dropped when it is released or lost.
struct Cycle {
    Ports &ports;
    Key key;
    PartitionDefinition partition;
    std::shared_ptr<const PollerDefinition> poller;
    std::unique_ptr<cursor::CursorStrategy> strategy;
    KeyState state; ///< as read under the lease; schedules change in place, the store hears at the end
    LeaseKeeper &keeper;
    std::function<bool()> mayGoOn;
    std::function<QCoro::Task<void>()> deliverCommitted; ///< dispatches what a page has committed
    Instant startedAt;
    bool liveRuns = false;          ///< the live lane has its turn
    bool triggerIsAnswered = false; ///< it heard something of the API: no stop and no budget came first
    std::vector<TimelineEntry> timeline;

    std::vector<PollSummary> lanes;
    QList<Warning> warnings;
    qint64 delivered = 0;
    std::optional<Error> error;
    std::optional<Instant> deliverAgainAt;
    std::optional<Error> sinkError;
    bool poisonHalt = false;
    bool abandoned = false; ///< the lease was lost: nothing more may be written
};

} // namespace watukuy
