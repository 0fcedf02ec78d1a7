// SPDX-License-Identifier: GPL-3.0-or-later
// An EngineClient without an engine: tests say what it sends and see what it was asked.
#pragma once

#include "engine/api/engineclient.h"

namespace watukuy::test {

class FakeClient : public EngineClient {
    Q_OBJECT

public:
    struct Asked {
        quint64 request = 0;
        QString what;
        QList<Key> keys;
        QList<qint64> ids;
        QString reason;
        std::optional<GoBackWish> wish = {};
    };

    [[nodiscard]] Status status() const override { return m_status; }
    [[nodiscard]] WorkspaceInfo workspace() const override { return m_workspace; }
    void open(const QString &workspaceFile, bool runEngine) override;
    void close() override;
    quint64 trigger(const QList<Key> &keys, const QString &reason) override;
    quint64 pause(const QList<Key> &keys, const QString &reason) override;
    quint64 resume(const QList<Key> &keys, const QString &reason) override;
    quint64 retryParked(const QString &poller, const QList<qint64> &ids, const QString &reason) override;
    quint64 discardParked(const QString &poller, const QList<qint64> &ids, const QString &reason) override;
    quint64 goBack(const Key &key, const GoBackWish &wish, Run run, const QString &reason) override;
    quint64 readTimeline(const Key &key, int limit) override;
    quint64 readOutbox(const Key &key, int limit) override;
    quint64 readParked(const Key &key, int limit) override;

    /// Begins to run `workspace`.
    void run(const WorkspaceInfo &workspace);
    void setStatus(Status status);
    /// Answers the newest request with `result`.
    void answer(const ActionResult &result);

    QList<Asked> asked;
    QHash<Key, QList<TimelineEntry>> timelines;
    QHash<Key, QList<OutboxRow>> outboxes;
    QHash<Key, QList<ParkedRow>> parkedRows;
    QStringList openedFiles;

private:
    quint64 note(Asked entry);

    Status m_status = Status::Closed;
    WorkspaceInfo m_workspace;
    quint64 m_last = 0;
};

} // namespace watukuy::test
