// SPDX-License-Identifier: GPL-3.0-or-later
// The engine: wakes keys when they are due, runs their cycles, notices what others changed.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <QCoroTask>
#include <QObject>

#include "engine/definition/definition.h"
#include "engine/definition/secrets.h"
#include "engine/delivery/dispatcher.h"
#include "engine/http/client.h"
#include "engine/model/bell.h"
#include "engine/model/clock.h"
#include "engine/model/logline.h"
#include "engine/model/random.h"
#include "engine/run/budgetkeeper.h"
#include "engine/run/runner.h"
#include "engine/schedule/dueheap.h"
#include "engine/store/statestore.h"

namespace watukuy {

/// Who hears of what happens. Called on the engine thread; must return quickly.
struct EngineObserver {
    std::function<void(const LogLine &)> log = [](const LogLine &) {};
    std::function<void(const Event &)> delivered = [](const Event &) {};
    std::function<void(const Key &)> keyChanged = [](const Key &) {};
    std::function<void(const Key &)> keyRemoved = [](const Key &) {};
};

/// A key as the engine holds it between runs.
struct KeyEntry {
    KeyState state;
    std::shared_ptr<const PollerDefinition> poller;
    bool running = false;
    bool deliveryWaits = false;         ///< the poller has no sink, or halts on a poison event
    std::optional<Instant> sinkRetryAt; ///< a sink of the poller is down until then
    std::optional<Instant> notBefore;   ///< leased elsewhere, or the store failed: not asked again before
    std::deque<Instant> recentErrors;   ///< failed runs of the last five minutes
    QList<Warning> warnings;            ///< of the last run that listed something
};

/// Runs every key of a workspace. All of it happens on the thread that made it; everything it is
/// given outlives it. Await stop() before destroying it.
class Engine : public QObject {
    Q_OBJECT

public:
    Engine(const WorkspaceDefinition &workspace, StateStore &store, Clock &clock, Random &random,
           http::Transport &transport, Secrets &secrets, EngineObserver observer);
    ~Engine() override;

    /// Makes the sinks and the keys. ErrorKind::Workspace names what this build cannot run.
    QCoro::Task<Result<void>> prepare();

    /// Lists the partitions again that are due for it, of one poller or, with "", of all. What could not be
    /// listed is told by poller (isDeferral: there was no room for it); their old partitions stay.
    QCoro::Task<std::map<QString, Error>> refreshPartitions(QString only);

    /// Runs keys when they are due, until stop().
    void start();

    /// Ends cycles at their next page boundary, a tick with them. stop() does so, too, and waits for it.
    void endCycles();

    /// Ends cycles at their next page boundary; aborts what is on the wire after `limit` on the clock.
    /// Finished when no cycle is left.
    QCoro::Task<void> stop(Duration limit);

    /// A pass ends so long after this call: what is under way then ends at its next page boundary.
    void limitTo(Duration maxDuration);

    /// One pass: each key that `wanted` names, at most once.
    QCoro::Task<std::vector<std::pair<Key, RunReport>>> tick(std::function<bool(const Key &)> wanted);

    /// Reads the keys again now: this process has written to the store, past the engine.
    void noticeChanges();

    [[nodiscard]] const std::map<Key, KeyEntry> &keys() const { return m_keys; }
    /// How much is under way and does not wait for a budget.
    [[nodiscard]] int busy() const { return m_running - m_budgets.waiting(); }
    /// The budget that a running key waits for, and until when at most.
    [[nodiscard]] std::optional<BudgetWait> budgetWaitOf(const Key &key) const
    {
        return m_budgets.waitOf(key);
    }
    /// Why the partitions of a poller could not be listed the last time.
    [[nodiscard]] std::optional<Error> listingErrorOf(const QString &poller) const;
    [[nodiscard]] const QString &instance() const { return m_ports.instance; }

private:
    /// When the partitions of a poller are to be listed again.
    struct Listings {
        std::shared_ptr<const PollerDefinition> poller;
        std::optional<Instant> next; ///< nothing = never: the workspace says which there are
        std::optional<Error> error;
        std::optional<Error> putOff; ///< its budget or the time of the pass had no room for it
        bool isUnderWay = false;
        bool isOutdated = false; ///< what it reads has changed since it began
    };
    Result<void> makeSinks();
    Result<void> makePollers();
    QCoro::Task<Result<void>> writePartitions();
    QCoro::Task<void> relist(QString poller);
    void relistFrom(const Key &key, const RunReport &report);
    void takeState(KeyState state);
    void dropMissing(const std::vector<KeyState> &states);
    void forget(const Key &key);
    QCoro::Task<Result<void>> loadKeys();
    void heartbeat();
    void noticeClockJump();
    void noticeWaiting(const Key &key);
    [[nodiscard]] bool mayGoOn() const;
    void pump();
    [[nodiscard]] bool hasRoom() const;
    void reschedule(const Key &key, KeyEntry &entry);
    [[nodiscard]] std::optional<Instant> dueOf(const KeyEntry &entry) const;
    QCoro::Task<RunReport> runKey(Key key, std::function<bool()> mayGoOn);
    QCoro::Task<void> runDue(Key key);
    void digest(KeyEntry &entry, const RunReport &report);
    void tell(const Key &key, const RunReport &report);
    void say(LogLevel level, const Key &key, const QString &text);
    QCoro::Task<void> lookForChanges();
    QCoro::Task<void> housekeeping();

    const WorkspaceDefinition &m_workspace;
    StateStore &m_store;
    Clock &m_clock;
    Random &m_random;
    http::Transport &m_transport;
    Secrets &m_secrets;
    EngineObserver m_observer;
    http::Client m_client;
    BudgetKeeper m_budgets;
    Ports m_ports;
    Dispatcher::Sinks m_sinks;
    std::unique_ptr<Dispatcher> m_dispatcher;
    std::unique_ptr<Runner> m_runner;
    std::map<QString, Listings> m_pollers; ///< the enabled ones
    std::map<Key, KeyEntry> m_keys;
    schedule::DueHeap m_due;
    std::unique_ptr<PendingWake> m_dueWake;
    std::unique_ptr<PendingWake> m_beat;
    std::optional<Duration> m_passEnds; ///< monotonic
    std::unique_ptr<PendingWake> m_passEnd;
    qint64 m_changeStamp = -1;
    std::optional<Duration> m_lastHousekeeping;
    std::optional<Duration> m_wallMinusSteady; ///< changes only when somebody sets the clock
    Bell m_progress{this};                     ///< rings when less is under way, or more of it waits
    int m_running = 0;
    bool m_started = false;
    bool m_stopping = false;
    bool m_looking = false;
    bool m_mustLook = false; ///< this process wrote: the stamp tells of others only
};

/// host-pid-random, or what the workspace says.
[[nodiscard]] QString instanceName(const WorkspaceDefinition &workspace, Random &random);

} // namespace watukuy
