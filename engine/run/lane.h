// SPDX-License-Identifier: GPL-3.0-or-later
// One lane of a cycle: fetch a page, decide what changed, commit, deliver, go on (seed, steps 4 to 6).
#pragma once

#include <optional>

#include <QCoroTask>

#include "engine/model/logline.h"
#include "engine/run/cycle.h"
#include "engine/run/pagefetch.h"

namespace watukuy {

/// What a lane lists, from where, and how far.
struct LanePlan {
    Lane lane = Lane::Live;
    Listing listing;
    bool fullScan = false;           ///< what is not listed was deleted
    LaneCursor cursor;               ///< the lane's durable cursor
    std::optional<LaneCursor> until; ///< backfill: stop when the cursor reaches it
    std::optional<ScanState> scan;   ///< goes on from here
    bool reemitKnown = false;        ///< forced backfill
    int maxPages = 0;                ///< of this cycle
};

/// How a lane ended. One of throttle, deferral, error, or none of them (success).
struct LaneOutcome {
    PollSummary summary;
    LaneCursor cursor;
    int scanPages = 0;             ///< of the whole scan, those of earlier runs among them
    std::optional<ScanState> scan; ///< still open: it goes on next time
    std::optional<RateLimit> rateLimit;
    std::optional<Error> throttle;
    std::optional<Duration> retryAfter;
    std::optional<Error> deferral; ///< its budget has nothing left until Error::notBefore
    std::optional<Error> error;
    QList<Warning> warnings;
    bool listAgain = false;     ///< what is missing has to be confirmed: `scan` begins the listing anew
    bool reachedTarget = false; ///< backfill: done
};

/// Runs one lane. `cycle` belongs to the awaiting caller and outlives the task.
QCoro::Task<LaneOutcome> runLane(Cycle *cycle, LanePlan plan);

} // namespace watukuy
