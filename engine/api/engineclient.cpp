// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/api/engineclient.h"

#include <QThread>

#include "engine/api/engineworker.h"

namespace watukuy {

namespace {

/// Talks to an EngineWorker on a thread of its own; every call is queued, every answer a value.
class ThreadedEngineClient final : public EngineClient {
public:
    ThreadedEngineClient()
        : m_worker(new EngineWorker)
    {
        m_thread.setObjectName(QStringLiteral("watukuy-engine"));
        m_worker->moveToThread(&m_thread);
        connect(&m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
        connect(m_worker, &EngineWorker::statusChanged, this, [this](Status status) {
            m_status = status;
            Q_EMIT statusChanged(status);
        });
        connect(m_worker, &EngineWorker::opened, this, [this](const WorkspaceInfo &workspace) {
            m_workspace = workspace;
            Q_EMIT opened(workspace);
        });
        connect(m_worker, &EngineWorker::openFailed, this, &EngineClient::openFailed);
        connect(m_worker, &EngineWorker::engineFailed, this, &EngineClient::engineFailed);
        connect(m_worker, &EngineWorker::keysChanged, this, &EngineClient::keysChanged);
        connect(m_worker, &EngineWorker::logAdded, this, &EngineClient::logAdded);
        connect(m_worker, &EngineWorker::actionFinished, this, &EngineClient::actionFinished);
        connect(m_worker, &EngineWorker::timelineRead, this, &EngineClient::timelineRead);
        connect(m_worker, &EngineWorker::outboxRead, this, &EngineClient::outboxRead);
        connect(m_worker, &EngineWorker::parkedRead, this, &EngineClient::parkedRead);
        connect(m_worker, &EngineWorker::readFailed, this, &EngineClient::readFailed);
        m_thread.start();
    }

    ~ThreadedEngineClient() override
    {
        disconnect(m_worker, nullptr, this, nullptr);
        ask([](EngineWorker *worker) { worker->shutDown(); });
        m_thread.wait();
    }

    [[nodiscard]] Status status() const override { return m_status; }
    [[nodiscard]] WorkspaceInfo workspace() const override { return m_workspace; }

    void open(const QString &workspaceFile, bool runEngine) override
    {
        ask([=](EngineWorker *worker) { worker->open(workspaceFile, runEngine); });
    }
    void close() override
    {
        ask([](EngineWorker *worker) { worker->close(); });
    }

    quint64 trigger(const QList<Key> &keys, const QString &reason) override
    {
        return act(EngineWorker::Action::Trigger, keys, reason);
    }
    quint64 pause(const QList<Key> &keys, const QString &reason) override
    {
        return act(EngineWorker::Action::Pause, keys, reason);
    }
    quint64 resume(const QList<Key> &keys, const QString &reason) override
    {
        return act(EngineWorker::Action::Resume, keys, reason);
    }
    quint64 retryParked(const QString &poller, const QList<qint64> &ids, const QString &reason) override
    {
        return actOnParked(EngineWorker::ParkedAction::Retry, poller, ids, reason);
    }
    quint64 discardParked(const QString &poller, const QList<qint64> &ids, const QString &reason) override
    {
        return actOnParked(EngineWorker::ParkedAction::Discard, poller, ids, reason);
    }

    quint64 goBack(const Key &key, const GoBackWish &wish, Run run, const QString &reason) override
    {
        const quint64 request = ++m_lastRequest;
        ask([=](EngineWorker *worker) { worker->goBack(request, key, wish, run, reason); });
        return request;
    }

    quint64 readTimeline(const Key &key, int limit) override
    {
        return read(EngineWorker::Reading::Timeline, key, limit);
    }
    quint64 readOutbox(const Key &key, int limit) override
    {
        return read(EngineWorker::Reading::Outbox, key, limit);
    }
    quint64 readParked(const Key &key, int limit) override
    {
        return read(EngineWorker::Reading::Parked, key, limit);
    }

private:
    template <typename Call>
    void ask(Call call)
    {
        QMetaObject::invokeMethod(
            m_worker, [worker = m_worker, call] { call(worker); }, Qt::QueuedConnection);
    }

    quint64 act(EngineWorker::Action action, const QList<Key> &keys, const QString &reason)
    {
        const quint64 request = ++m_lastRequest;
        ask([=](EngineWorker *worker) { worker->act(request, action, keys, reason); });
        return request;
    }

    quint64 actOnParked(EngineWorker::ParkedAction action, const QString &poller, const QList<qint64> &ids,
                        const QString &reason)
    {
        const quint64 request = ++m_lastRequest;
        ask([=](EngineWorker *worker) { worker->actOnParked(request, action, poller, ids, reason); });
        return request;
    }

    quint64 read(EngineWorker::Reading reading, const Key &key, int limit)
    {
        const quint64 request = ++m_lastRequest;
        ask([=](EngineWorker *worker) { worker->read(request, reading, key, limit); });
        return request;
    }

    QThread m_thread;
    EngineWorker *m_worker; ///< lives and dies in m_thread
    Status m_status = Status::Closed;
    WorkspaceInfo m_workspace;
    quint64 m_lastRequest = 0;
};

} // namespace

std::unique_ptr<EngineClient> makeEngineClient()
{
    return std::make_unique<ThreadedEngineClient>();
}

} // namespace watukuy
