// SPDX-License-Identifier: GPL-3.0-or-later
// The engine as a user interface sees it: signals with values, requests that never block.
#pragma once

#include <memory>

#include <QList>
#include <QObject>
#include <QString>

#include "engine/api/request.h"
#include "engine/api/snapshot.h"

namespace watukuy {

/// An engine, or a store that another engine works on. Lives in the thread of the user interface.
/// Nothing here blocks: a request returns a number, its answer comes as a signal with that number.
/// Deltas carry the latest value per key and are sent at most four times a second.
class EngineClient : public QObject {
    Q_OBJECT

public:
    enum class Status {
        Closed,
        Opening,
        Running,    ///< own engine at work
        Monitoring, ///< own engine off: shows what the store says
        Draining,   ///< stopping: delivers what is under way
        Failed
    };
    Q_ENUM(Status)

    using QObject::QObject;

    [[nodiscard]] virtual Status status() const = 0;
    [[nodiscard]] virtual WorkspaceInfo workspace() const = 0;

    /// Opens a workspace; answered by opened() or openFailed(). An open one is closed first.
    virtual void open(const QString &workspaceFile, bool runEngine) = 0;
    /// Stops with a drain; answered by statusChanged(Closed).
    virtual void close() = 0;

    virtual quint64 trigger(const QList<Key> &keys, const QString &reason) = 0;
    virtual quint64 pause(const QList<Key> &keys, const QString &reason) = 0;
    virtual quint64 resume(const QList<Key> &keys, const QString &reason) = 0;
    virtual quint64 retryParked(const QString &poller, const QList<qint64> &ids, const QString &reason) = 0;
    /// Backfill, its end, or replay of one key; a dry run only says what would happen.
    virtual quint64 goBack(const Key &key, const GoBackWish &wish, Run run, const QString &reason) = 0;
    virtual quint64 discardParked(const QString &poller, const QList<qint64> &ids, const QString &reason) = 0;

    /// Newest first; answered by timelineRead(), outboxRead(), parkedRead().
    virtual quint64 readTimeline(const Key &key, int limit) = 0;
    virtual quint64 readOutbox(const Key &key, int limit) = 0;
    virtual quint64 readParked(const Key &key, int limit) = 0;

Q_SIGNALS:
    void statusChanged(watukuy::EngineClient::Status status);
    void opened(const watukuy::WorkspaceInfo &workspace);
    void openFailed(const watukuy::Error &error, const QList<watukuy::WorkspaceProblem> &problems);
    /// The engine itself met something that needs a person (store full, store damaged, ...).
    void engineFailed(const watukuy::Error &error);
    /// Keys that changed, and keys that are gone. `at` is when the engine took the values.
    void keysChanged(const QList<watukuy::KeySnapshot> &changed, const QList<watukuy::Key> &removed,
                     watukuy::Instant at);
    void logAdded(const QList<watukuy::LogLine> &lines);
    void actionFinished(quint64 request, const watukuy::ActionResult &result);
    void timelineRead(quint64 request, const watukuy::Key &key, const QList<watukuy::TimelineEntry> &entries);
    void outboxRead(quint64 request, const watukuy::Key &key, const QList<watukuy::OutboxRow> &rows);
    void parkedRead(quint64 request, const watukuy::Key &key, const QList<watukuy::ParkedRow> &rows);
    void readFailed(quint64 request, const watukuy::Error &error);
};

/// An engine client with an engine of its own on a background thread.
[[nodiscard]] std::unique_ptr<EngineClient> makeEngineClient();

} // namespace watukuy
