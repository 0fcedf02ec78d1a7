// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/api/engineworker.h"

#include <map>

#include <QThread>

#include "engine/definition/keychain.h"
#include "engine/definition/secrets.h"
#include "engine/http/networktransport.h"
#include "engine/run/engine.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

constexpr Duration sendEvery{250};
constexpr Duration drainLimit = std::chrono::seconds{10};
constexpr qsizetype mostLogLinesHeld = 20'000;

QString placeOf(const StoreDefinition &store)
{
    if (const auto *sqlite = std::get_if<SqliteStoreDefinition>(&store))
        return u"SQLite, %1"_s.arg(sqlite->path);
    if (std::holds_alternative<MemoryStoreDefinition>(store))
        return u"memory"_s;
    return std::holds_alternative<PostgresStoreDefinition>(store) ? u"PostgreSQL"_s : u"Redis"_s;
}

QList<WorkspaceProblem> problemsOf(const WorkspaceErrors &errors)
{
    QList<WorkspaceProblem> problems;
    for (const WorkspaceError &error : errors)
        problems.append({error.pointer, error.line, error.message, error.hint});
    return problems;
}

QString whoIsAtTheDesk()
{
    const QString user = qEnvironmentVariable("USER", qEnvironmentVariable("USERNAME"));
    return user.isEmpty() ? u"desktop"_s : user;
}

} // namespace

/// Everything of one open workspace, in the order in which it may be taken down.
struct EngineWorker::Session {
    explicit Session(WorkspaceDefinition definition)
        : workspace(std::move(definition))
        , secrets(workspace.folder)
    {
    }

    const WorkspaceDefinition workspace;
    SystemClock clock;
    SystemRandom random;
    Secrets secrets;
    http::NetworkTransport transport;
    std::unique_ptr<StateStore> store;
    std::unique_ptr<StoreReader> reader;
    std::unique_ptr<Operations> operations;
    std::unique_ptr<Engine> engine;
    std::map<Key, KeyState> watched; ///< pure monitor: the keys as the store last said
    qint64 changeStamp = -1;
    QSet<Key> changed;
    QList<Key> removed;
    QList<LogLine> log;
    std::unique_ptr<PendingWake> wake;
    Duration lastSent{0};
    bool watching = false;
    bool unreadable = false; ///< pure monitor: the store could not be read the last time

    /// Keys that the store had and has no more.
    void dropMissing(const std::vector<KeyState> &states)
    {
        std::erase_if(watched, [&](const auto &known) {
            const bool isThere = std::ranges::find(states, known.first, &KeyState::key) != states.end();
            if (!isThere)
                removed.append(known.first);
            return !isThere;
        });
        for (const Key &key : removed)
            changed.remove(key);
    }

    [[nodiscard]] StoreReader &reading() const { return reader ? *reader : *store; }
};

class EngineWorker::Use {
public:
    explicit Use(EngineWorker &worker)
        : m_worker(worker)
    {
        ++m_worker.m_uses;
    }
    ~Use()
    {
        if (--m_worker.m_uses == 0)
            m_worker.m_unused.ring();
    }
    Q_DISABLE_COPY_MOVE(Use)

private:
    EngineWorker &m_worker;
};

EngineWorker::EngineWorker() = default;
EngineWorker::~EngineWorker() = default;

void EngineWorker::open(const QString &workspaceFile, bool runEngine)
{
    wish({Wish::What::Open, workspaceFile, runEngine});
}

void EngineWorker::close()
{
    wish({.what = Wish::What::Close});
}

void EngineWorker::shutDown()
{
    wish({.what = Wish::What::EndThread});
    if (m_session)
        m_session->transport.abortAll();
}

void EngineWorker::wish(Wish wish)
{
    if (m_wish && m_wish->what == Wish::What::EndThread)
        return;
    m_wish = std::move(wish);
    if (!m_busy)
        grantWishes();
}

QCoro::Task<void> EngineWorker::grantWishes()
{
    m_busy = true;
    while (m_wish) {
        const Wish wish = *std::exchange(m_wish, {});
        co_await closeNow();
        if (wish.what == Wish::What::Open)
            co_await openNow(wish.workspaceFile, wish.runEngine);
        else
            Q_EMIT statusChanged(EngineClient::Status::Closed);
        if (wish.what == Wish::What::EndThread)
            thread()->quit();
    }
    m_busy = false;
}

QCoro::Task<void> EngineWorker::openNow(QString workspaceFile, bool runEngine)
{
    Q_EMIT statusChanged(EngineClient::Status::Opening);
    auto workspace = loadWorkspace(workspaceFile);
    Result<void> result;
    if (!workspace) {
        result = fail({.kind = ErrorKind::Workspace,
                       .name = u"WorkspaceError"_s,
                       .title = u"The workspace has mistakes; nothing was started"_s,
                       .detail = workspaceFile});
    } else {
        result = co_await openSession(std::move(*workspace), runEngine);
    }
    if (!result) {
        m_session.reset();
        Q_EMIT openFailed(result.error(),
                          workspace ? QList<WorkspaceProblem>{} : problemsOf(workspace.error()));
        Q_EMIT statusChanged(EngineClient::Status::Failed);
        co_return;
    }
    Q_EMIT statusChanged(m_session->engine ? EngineClient::Status::Running
                                           : EngineClient::Status::Monitoring);
    if (m_session->engine)
        m_session->engine->start();
    beat();
}

QCoro::Task<Result<void>> EngineWorker::openSession(WorkspaceDefinition workspace, bool runEngine)
{
    m_session = std::make_unique<Session>(std::move(workspace));
    Session &session = *m_session;
    auto store = makeStore(session.workspace.store,
                           session.workspace.readOnly ? StoreAccess::Read : StoreAccess::Write);
    if (!store)
        co_return fail(store.error());
    session.store = std::move(*store);
    if (auto opened_ = co_await session.store->open(); !opened_)
        co_return opened_;
    auto reader = makeStoreReader(session.workspace.store);
    if (!reader)
        co_return fail(reader.error());
    session.reader = std::move(*reader);
    session.operations = std::make_unique<Operations>(session.workspace, *session.store, session.clock);

    WorkspaceInfo info{.file = session.workspace.file,
                       .environment = session.workspace.environment,
                       .readOnly = session.workspace.readOnly,
                       .store = placeOf(session.workspace.store)};
    for (const auto &[name, poller] : session.workspace.pollers)
        info.pollers.append(name);
    if (runEngine && !session.workspace.readOnly) {
        if (auto read_ = co_await readKeychain(&session.secrets, secretReferences(session.workspace)); !read_)
            co_return read_;
        EngineObserver observer;
        observer.log = [this](const LogLine &line) {
            m_session->log.append(line);
            if (m_session->log.size() > mostLogLinesHeld)
                m_session->log.removeFirst();
        };
        observer.keyChanged = [this](const Key &key) { m_session->changed.insert(key); };
        observer.keyRemoved = [this](const Key &key) {
            m_session->changed.remove(key);
            m_session->removed.append(key);
        };
        session.engine =
            std::make_unique<Engine>(session.workspace, *session.store, session.clock, session.random,
                                     session.transport, session.secrets, std::move(observer));
        if (auto prepared = co_await session.engine->prepare(); !prepared)
            co_return prepared;
        info.instance = session.engine->instance();
    }
    Q_EMIT opened(info);
    co_return Result<void>{};
}

QCoro::Task<void> EngineWorker::closeNow()
{
    if (!m_session)
        co_return;
    Q_EMIT statusChanged(EngineClient::Status::Draining);
    m_session->wake.reset();
    while (m_uses > 0)
        co_await m_unused.ringing();
    if (m_session->engine)
        co_await m_session->engine->stop(drainLimit);
    send();
    m_session->engine.reset();
    if (m_session->store)
        co_await m_session->store->close();
    m_session.reset();
}

void EngineWorker::beat()
{
    m_session->wake = m_session->clock.wakeAfter(sendEvery, [this] { beat(); });
    if (!m_session->engine)
        watchStore();
    send();
}

/// Pure monitor: what another process's engine changed in the store.
QCoro::Task<void> EngineWorker::watchStore()
{
    Session &session = *m_session;
    if (std::exchange(session.watching, true))
        co_return;
    const Use use(*this);
    const auto stamp = co_await session.reading().changeStamp();
    std::optional<Error> failure = stamp ? std::nullopt : std::optional(stamp.error());
    if (stamp && *stamp != session.changeStamp) {
        const auto states = co_await session.reading().loadKeys();
        if (states)
            session.changeStamp = *stamp;
        else
            failure = states.error();
        for (const KeyState &state : states.value_or(std::vector<KeyState>{})) {
            auto &known = session.watched[state.key];
            if (known != state) {
                known = state;
                session.changed.insert(state.key);
            }
        }
        if (states)
            session.dropMissing(*states);
    }
    if (failure && !session.unreadable)
        Q_EMIT engineFailed(*failure);
    session.unreadable = failure.has_value();
    session.watching = false;
}

void EngineWorker::send()
{
    Session &session = *m_session;
    const Duration now = session.clock.steady();
    const bool isHeartbeat = !session.unreadable && now - session.lastSent >= std::chrono::seconds{1};
    if (isHeartbeat) {
        for (const auto &[key, state] : session.watched) {
            if (state.lease || state.schedule.throttledUntil)
                session.changed.insert(key); // what it shows depends on the time, too
        }
    }
    QList<KeySnapshot> snapshots;
    snapshots.reserve(session.changed.size());
    for (const Key &key : std::exchange(session.changed, {}))
        snapshots.append(snapshotFor(key));
    if (!snapshots.isEmpty() || !session.removed.isEmpty() || isHeartbeat) {
        session.lastSent = now;
        Q_EMIT keysChanged(snapshots, std::exchange(session.removed, {}), session.clock.now());
    }
    if (!session.log.isEmpty())
        Q_EMIT logAdded(std::exchange(session.log, {}));
}

KeySnapshot EngineWorker::snapshotFor(const Key &key) const
{
    const Instant now = m_session->clock.now();
    const auto &pollers = m_session->workspace.pollers;
    const auto poller = pollers.find(key.poller);
    const PollerDefinition *definition = poller == pollers.end() ? nullptr : &poller->second;
    if (!m_session->engine)
        return snapshotOf(m_session->watched.at(key), definition, false, QString(), now);
    const KeyEntry &entry = m_session->engine->keys().at(key);
    KeySnapshot snapshot =
        snapshotOf(entry.state, definition, entry.running, m_session->engine->instance(), now);
    snapshot.recentErrors = static_cast<int>(entry.recentErrors.size());
    snapshot.warnings += entry.warnings;
    if (const auto error = m_session->engine->listingErrorOf(key.poller))
        snapshot.warnings.append(listingWarning(*error));
    if (snapshot.waitingForCode == u"delivery" && entry.sinkRetryAt)
        snapshot.waitingUntil = entry.sinkRetryAt;
    const auto wait = entry.running ? m_session->engine->budgetWaitOf(key) : std::nullopt;
    if (wait) {
        snapshot.waitingForCode = u"budget"_s;
        snapshot.waitingUntil = wait->until;
        snapshot.waitingBecause =
            u"the budget %1 has nothing left; it waits until then at most"_s.arg(wait->budget);
    }
    return snapshot;
}

bool EngineWorker::canAct() const
{
    return !m_busy && m_session && m_session->operations;
}

void EngineWorker::act(quint64 request, Action action, const QList<Key> &keys, const QString &reason)
{
    actNow(request, action, keys, reason);
}

QCoro::Task<void> EngineWorker::actNow(quint64 request, Action action, QList<Key> keys, QString reason)
{
    const Use use(*this);
    ActionResult total;
    for (const Key &key : keys) {
        if (!canAct())
            break;
        Operations &operations = *m_session->operations;
        const KeyScope scope{key.poller, key.partition};
        const Request asked{whoIsAtTheDesk(), reason, Run::ForReal};
        Result<ActionResult> result;
        switch (action) {
        case Action::Trigger:
            result = co_await operations.trigger(scope, asked);
            break;
        case Action::Pause:
            result = co_await operations.pause(scope, asked);
            break;
        case Action::Resume:
            result = co_await operations.resume(scope, asked);
            break;
        }
        if (!result) {
            total.failed.append({key, result.error()});
            continue;
        }
        total.done += result->done;
        total.skipped += result->skipped;
        total.failed += result->failed;
        total.details += result->details;
    }
    if (canAct() && m_session->engine)
        m_session->engine->noticeChanges();
    Q_EMIT actionFinished(request, total);
}

void EngineWorker::actOnParked(quint64 request, ParkedAction action, const QString &poller,
                               const QList<qint64> &ids, const QString &reason)
{
    ParkedFilter filter;
    filter.poller = poller;
    filter.ids = ids;
    actOnParkedNow(request, action, filter, reason);
}

QCoro::Task<void> EngineWorker::actOnParkedNow(quint64 request, ParkedAction action, ParkedFilter filter,
                                               QString reason)
{
    const Use use(*this);
    ActionResult total;
    if (canAct()) {
        const Request asked{whoIsAtTheDesk(), reason, Run::ForReal};
        const Key key{filter.poller, {}};
        Operations &operations = *m_session->operations;
        const Result<ActionResult> result = action == ParkedAction::Retry
                                                ? co_await operations.retryParked(filter, asked)
                                                : co_await operations.discardParked(filter, asked);
        if (result)
            total = *result;
        else
            total.failed.append({key, result.error()});
    }
    if (canAct() && m_session->engine)
        m_session->engine->noticeChanges();
    Q_EMIT actionFinished(request, total);
}

void EngineWorker::goBack(quint64 request, const Key &key, const GoBackWish &wish, Run run,
                          const QString &reason)
{
    goBackNow(request, key, wish, {whoIsAtTheDesk(), reason, run});
}

QCoro::Task<void> EngineWorker::goBackNow(quint64 request, Key key, GoBackWish wish, Request asked)
{
    const Use use(*this);
    ActionResult total;
    if (canAct()) {
        Operations &operations = *m_session->operations;
        const KeyScope scope{key.poller, key.partition};
        Result<ActionResult> result;
        if (const auto *backfill = std::get_if<BackfillWish>(&wish))
            result = co_await operations.startBackfill(scope, *backfill, asked);
        else if (const auto *replay = std::get_if<ReplayWish>(&wish))
            result = co_await operations.replay(scope, replay->from, replay->to, asked);
        else
            result = co_await operations.cancelBackfill(scope, asked);
        if (result)
            total = *result;
        else
            total.failed.append({key, result.error()});
    }
    if (canAct() && m_session->engine && asked.run == Run::ForReal)
        m_session->engine->noticeChanges();
    Q_EMIT actionFinished(request, total);
}

void EngineWorker::read(quint64 request, Reading reading, const Key &key, int limit)
{
    readNow(request, reading, key, limit);
}

QCoro::Task<void> EngineWorker::readNow(quint64 request, Reading reading, Key key, int limit)
{
    if (!canAct())
        co_return;
    const Use use(*this);
    StoreReader &reader = m_session->reading();
    if (reading == Reading::Timeline) {
        const auto entries = co_await reader.readTimeline(key, limit);
        if (!entries)
            Q_EMIT readFailed(request, entries.error());
        else
            Q_EMIT timelineRead(request, key, {entries->begin(), entries->end()});
        co_return;
    }
    if (reading == Reading::Outbox) {
        const auto rows = co_await reader.readOutbox(key, 0, limit);
        if (!rows)
            Q_EMIT readFailed(request, rows.error());
        else
            Q_EMIT outboxRead(request, key, {rows->begin(), rows->end()});
        co_return;
    }
    ParkedFilter filter{.poller = key.poller, .partition = key.partition, .limit = limit};
    const auto rows = co_await reader.readParked(filter);
    if (!rows)
        Q_EMIT readFailed(request, rows.error());
    else
        Q_EMIT parkedRead(request, key, {rows->begin(), rows->end()});
}

} // namespace watukuy
