// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/store/storethread.h"

#include <QMetaObject>

namespace watukuy {

void AnswerHome::DeleteInItsThread::operator()(QObject *receiver) const
{
    if (receiver->thread() == QThread::currentThread())
        delete receiver;
    else
        receiver->deleteLater();
}

void AnswerHome::settle()
{
    if (!m_receiver)
        m_receiver.reset(new QObject);
}

void AnswerHome::resume(std::coroutine_handle<> waiting)
{
    QMetaObject::invokeMethod(m_receiver.get(), [waiting] { waiting.resume(); }, Qt::QueuedConnection);
}

StoreThread::StoreThread(const QString &name)
    : m_worker(new QObject)
{
    m_thread.setObjectName(name);
    m_worker->moveToThread(&m_thread);
    m_thread.start();
}

StoreThread::~StoreThread()
{
    // quit() alone would leave posted jobs undone: it must come behind them in the queue.
    post([this] { m_thread.quit(); });
    m_thread.wait();
    delete m_worker;
}

void StoreThread::post(std::function<void()> job)
{
    QMetaObject::invokeMethod(m_worker, std::move(job), Qt::QueuedConnection);
}

} // namespace watukuy
