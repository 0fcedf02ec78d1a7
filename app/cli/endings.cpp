// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/endings.h"

#include <QFile>
#include <QFileInfo>

namespace watukuy::cli {

namespace {

/// Editors write in several steps: wait until a file has been left alone for so long.
constexpr std::chrono::milliseconds settleTime{300};

QByteArray contentOf(const QString &name)
{
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

Endings::Endings()
{
    connect(&m_signals, &StopSignals::received, this, [this](int count) {
        add(Reason::Signal);
        if (count > 1)
            Q_EMIT hurried();
    });
    m_settle.setSingleShot(true);
    m_settle.setInterval(settleTime);
    connect(&m_settle, &QTimer::timeout, this, &Endings::compareFile);
    const auto settle = [this] { m_settle.start(); };
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, settle);
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, settle);
}

void Endings::endAfter(Duration span)
{
    m_end = m_clock.wakeAfter(span, [this] { add(Reason::TimeOver); });
}

void Endings::watch(const QString &file)
{
    m_file = file;
    m_content = contentOf(file);
    m_watcher.addPath(file);
    m_watcher.addPath(QFileInfo(file).absolutePath()); // sees a file that replaces the old one
}

QCoro::Task<Endings::Reason> Endings::next()
{
    while (m_reasons.isEmpty())
        co_await m_added.ringing();
    co_return m_reasons.dequeue();
}

void Endings::add(Reason reason)
{
    m_reasons.enqueue(reason);
    m_added.ring();
}

void Endings::compareFile()
{
    if (!m_watcher.files().contains(m_file))
        m_watcher.addPath(m_file);
    const QByteArray content = contentOf(m_file);
    if (content.isEmpty() || content == m_content)
        return;
    m_content = content;
    add(Reason::FileChanged);
}

} // namespace watukuy::cli
