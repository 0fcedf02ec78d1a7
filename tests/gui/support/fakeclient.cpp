// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/support/fakeclient.h"

namespace watukuy::test {

using namespace Qt::StringLiterals;

quint64 FakeClient::note(Asked entry)
{
    entry.request = ++m_last;
    asked.append(entry);
    return entry.request;
}

void FakeClient::open(const QString &workspaceFile, bool)
{
    openedFiles.append(workspaceFile);
    setStatus(Status::Opening);
}

void FakeClient::close()
{
    setStatus(Status::Closed);
}

quint64 FakeClient::trigger(const QList<Key> &keys, const QString &reason)
{
    return note({.what = u"trigger"_s, .keys = keys, .reason = reason});
}

quint64 FakeClient::pause(const QList<Key> &keys, const QString &reason)
{
    return note({.what = u"pause"_s, .keys = keys, .reason = reason});
}

quint64 FakeClient::resume(const QList<Key> &keys, const QString &reason)
{
    return note({.what = u"resume"_s, .keys = keys, .reason = reason});
}

quint64 FakeClient::retryParked(const QString &poller, const QList<qint64> &ids, const QString &reason)
{
    return note({.what = u"retry"_s, .keys = {Key{poller, {}}}, .ids = ids, .reason = reason});
}

quint64 FakeClient::discardParked(const QString &poller, const QList<qint64> &ids, const QString &reason)
{
    return note({.what = u"discard"_s, .keys = {Key{poller, {}}}, .ids = ids, .reason = reason});
}

quint64 FakeClient::goBack(const Key &key, const GoBackWish &wish, Run run, const QString &reason)
{
    return note({.what = run == Run::Dry ? u"preview"_s : u"go back"_s,
                 .keys = {key},
                 .reason = reason,
                 .wish = wish});
}

quint64 FakeClient::readTimeline(const Key &key, int)
{
    const quint64 request = ++m_last;
    QMetaObject::invokeMethod(
        this, [this, request, key] { Q_EMIT timelineRead(request, key, timelines.value(key)); },
        Qt::QueuedConnection);
    return request;
}

quint64 FakeClient::readOutbox(const Key &key, int)
{
    const quint64 request = ++m_last;
    QMetaObject::invokeMethod(
        this, [this, request, key] { Q_EMIT outboxRead(request, key, outboxes.value(key)); },
        Qt::QueuedConnection);
    return request;
}

quint64 FakeClient::readParked(const Key &key, int)
{
    const quint64 request = ++m_last;
    QMetaObject::invokeMethod(
        this, [this, request, key] { Q_EMIT parkedRead(request, key, parkedRows.value(key)); },
        Qt::QueuedConnection);
    return request;
}

void FakeClient::run(const WorkspaceInfo &workspace)
{
    m_workspace = workspace;
    setStatus(Status::Running);
    Q_EMIT opened(workspace);
}

void FakeClient::setStatus(Status status)
{
    m_status = status;
    Q_EMIT statusChanged(status);
}

void FakeClient::answer(const ActionResult &result)
{
    Q_EMIT actionFinished(asked.last().request, result);
}

} // namespace watukuy::test
