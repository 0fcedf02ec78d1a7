// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps a lease alive while a run works: a heartbeat, and a renewal after every page (spec-engine 7).
#pragma once

#include <memory>
#include <optional>

#include <QCoroTask>

#include "engine/model/clock.h"
#include "engine/model/state.h"
#include "engine/store/statestore.h"

namespace watukuy {

/// Holds the lease of one run. Engine thread only. Outlive it with every coroutine that uses it.
class LeaseKeeper {
public:
    LeaseKeeper(StateStore &store, Clock &clock, Key key, Lease lease, Duration ttl, Duration renewEvery);
    ~LeaseKeeper();
    Q_DISABLE_COPY_MOVE(LeaseKeeper)

    /// The lease, nothing once it was lost.
    [[nodiscard]] const std::optional<Lease> &lease() const { return m_beat->lease; }
    [[nodiscard]] bool isLost() const { return !m_beat->lease.has_value(); }
    /// An operator paused the key while the run went on, as the last renewal said.
    [[nodiscard]] bool isPaused() const { return m_beat->pause != Pause::None; }

    /// Renews now. LeaseLost when another instance or an operator took the key, and no other error.
    QCoro::Task<Result<void>> renew();

    /// Gives the lease back; a lost one is nobody's to give.
    QCoro::Task<Result<void>> release();

private:
    /// Shared with a renewal under way, which may outlive the keeper.
    struct Beat {
        std::optional<Lease> lease;
        Pause pause = Pause::None;
        std::unique_ptr<PendingWake> wake;
        bool ended = false;
    };
    void scheduleBeat();
    static QCoro::Task<Result<void>> renewWith(StateStore *store, Clock *clock, Key key, Duration ttl,
                                               std::shared_ptr<Beat> beat);

    StateStore &m_store;
    Clock &m_clock;
    Key m_key;
    Duration m_ttl;
    Duration m_renewEvery;
    std::shared_ptr<Beat> m_beat;
};

} // namespace watukuy
