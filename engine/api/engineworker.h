// SPDX-License-Identifier: GPL-3.0-or-later
// The engine thread's side of an EngineClient: owns everything that lives in that thread.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QCoroTask>
#include <QObject>
#include <QSet>

#include "engine/api/engineclient.h"
#include "engine/api/operations.h"
#include "engine/definition/workspace.h"
#include "engine/model/bell.h"

namespace watukuy {

/// Created parentless, moved once to its thread, asked by queued calls only. Opens a workspace, runs
/// the engine or only watches the store, and sends values: at most four times a second, the latest
/// per key.
class EngineWorker final : public QObject {
    Q_OBJECT

public:
    EngineWorker();
    ~EngineWorker() override;

    void open(const QString &workspaceFile, bool runEngine);
    void close();
    /// Closes, then ends the worker's thread. The last call.
    void shutDown();

    enum class Action { Trigger, Pause, Resume };
    void act(quint64 request, Action action, const QList<Key> &keys, const QString &reason);

    enum class ParkedAction { Retry, Discard };
    void actOnParked(quint64 request, ParkedAction action, const QString &poller, const QList<qint64> &ids,
                     const QString &reason);

    void goBack(quint64 request, const Key &key, const GoBackWish &wish, Run run, const QString &reason);

    enum class Reading { Timeline, Outbox, Parked };
    void read(quint64 request, Reading reading, const Key &key, int limit);

Q_SIGNALS:
    void statusChanged(watukuy::EngineClient::Status status);
    void opened(const watukuy::WorkspaceInfo &workspace);
    void openFailed(const watukuy::Error &error, const QList<watukuy::WorkspaceProblem> &problems);
    void engineFailed(const watukuy::Error &error);
    void keysChanged(const QList<watukuy::KeySnapshot> &changed, const QList<watukuy::Key> &removed,
                     watukuy::Instant at);
    void logAdded(const QList<watukuy::LogLine> &lines);
    void actionFinished(quint64 request, const watukuy::ActionResult &result);
    void timelineRead(quint64 request, const watukuy::Key &key, const QList<watukuy::TimelineEntry> &entries);
    void outboxRead(quint64 request, const watukuy::Key &key, const QList<watukuy::OutboxRow> &rows);
    void parkedRead(quint64 request, const watukuy::Key &key, const QList<watukuy::ParkedRow> &rows);
    void readFailed(quint64 request, const watukuy::Error &error);

private:
    struct Session;

    /// What was asked for last; an older wish that was not begun is dropped.
    struct Wish {
        enum class What { Open, Close, EndThread };
        What what = What::Close;
        QString workspaceFile;
        bool runEngine = false;
    };
    void wish(Wish wish);
    QCoro::Task<void> grantWishes();
    QCoro::Task<void> openNow(QString workspaceFile, bool runEngine);
    QCoro::Task<Result<void>> openSession(WorkspaceDefinition workspace, bool runEngine);
    QCoro::Task<void> closeNow();
    QCoro::Task<void> actNow(quint64 request, Action action, QList<Key> keys, QString reason);
    QCoro::Task<void> actOnParkedNow(quint64 request, ParkedAction action, ParkedFilter filter,
                                     QString reason);
    QCoro::Task<void> goBackNow(quint64 request, Key key, GoBackWish wish, Request asked);
    QCoro::Task<void> readNow(quint64 request, Reading reading, Key key, int limit);
    QCoro::Task<void> watchStore();
    void beat();
    void send();
    [[nodiscard]] bool canAct() const;
    [[nodiscard]] KeySnapshot snapshotFor(const Key &key) const;

    /// Counts what uses the session, so that it is not closed under a coroutine that waits.
    class Use;

    std::unique_ptr<Session> m_session;
    std::optional<Wish> m_wish;
    Bell m_unused{this};
    int m_uses = 0;
    bool m_busy = false; ///< opening or closing
};

} // namespace watukuy
