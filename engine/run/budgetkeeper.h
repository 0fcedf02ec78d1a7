// SPDX-License-Identifier: GPL-3.0-or-later
// Hands out shares of budgets: never more than a window allows, fairly, and never silently late.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include <QCoroTask>
#include <QObject>

#include "engine/budget/fairqueue.h"
#include "engine/definition/definition.h"
#include "engine/model/clock.h"
#include "engine/model/key.h"
#include "engine/store/statestore.h"

namespace watukuy {

/// A run that waits for a share.
struct BudgetWait {
    QString budget;
    Instant until; ///< at most
};

/// The budgets of a workspace (spec-engine 7, promise G6). A share is granted by this process's own
/// monotonic count, which no clock that is set can move, and by the store's count over all processes.
/// Who cannot have one in time is promised one for later, so that nobody who asks often starves others.
/// Engine thread only. Outlive it with every coroutine that waits here.
class BudgetKeeper {
public:
    /// `waitingChanged` hears when a key began or ceased to wait.
    BudgetKeeper(const std::map<QString, BudgetDefinition> &budgets, StateStore &store, Clock &clock,
                 std::function<void(const Key &)> waitingChanged);
    ~BudgetKeeper();
    Q_DISABLE_COPY_MOVE(BudgetKeeper)

    struct Wish {
        QString budget; ///< a name in the workspace; "" = none, granted at once
        Key key;
        Lane lane = Lane::Live;
        double weight = 1;
        int cost = 1;
        std::optional<Duration> patience; ///< instead of the budget's maxWait
        std::function<bool()> mayWait = [] { return true; };
    };
    struct Share {
        Wish wish;
        qint64 use = 0;        ///< in the store
        Duration grantedAt{0}; ///< monotonic
        bool isSpent = false;
    };

    /// One share, after at most the budget's maxWait. `BudgetTimeout` (with Error::notBefore) when it
    /// cannot be had by then, `BudgetWaitEnded` when `mayWait` says so, or the store's error.
    QCoro::Task<Result<Share>> take(Wish wish);

    /// To be asked each time a request that stands for `share` goes onto the wire. One that has queued counts
    /// from now on; one that has left its windows, or that an earlier try has spent, is taken anew.
    QCoro::Task<Result<void>> spend(std::shared_ptr<Share> share);

    /// The request that stands for `share` was answered: the API counts it between its leaving and now, so
    /// the window that it is in ends no earlier. An answer that takes longer than a second is no evidence
    /// of when it came there.
    void answered(const Share &share);

    /// How many wait now.
    [[nodiscard]] int waiting() const { return m_waiting; }

    [[nodiscard]] std::optional<BudgetWait> waitOf(const Key &key) const;

    /// Everybody who waits is told BudgetWaitEnded, now and from now on.
    void endWaits();

private:
    struct Waiter;
    struct Line;
    QCoro::Task<Result<Share>> takeInstead(Wish wish, qint64 replaces);
    QCoro::Task<void> serve(Line *line);
    void endHopeless(Line *line, Duration nextFree);
    static Duration move(Line *line, const Share &share, Duration later);
    void decide(Line *line, quint64 id, Result<Share> answer);
    [[nodiscard]] Error timeout(const Line &line, const Wish &wish, Duration tryAgainAt) const;

    StateStore &m_store;
    Clock &m_clock;
    std::function<void(const Key &)> m_waitingChanged;
    QObject m_context;
    std::map<QString, std::unique_ptr<Line>> m_lines;
    quint64 m_lastWaiter = 0;
    int m_waiting = 0;
    bool m_ending = false;
};

} // namespace watukuy
