// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/stopsignals.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QSocketNotifier>

namespace watukuy::cli {

namespace {

std::atomic<int> writeEnd = -1;

/// Only what POSIX allows in a signal handler.
void onSignal(int)
{
    const int before = errno;
    const char byte = 1;
    [[maybe_unused]] const ssize_t written = ::write(writeEnd, &byte, 1);
    errno = before;
}

void handle(void (*handler)(int))
{
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
}

} // namespace

StopSignals::StopSignals()
{
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, m_sockets.data()) != 0)
        return; // the signals keep their meaning: they end the program
    for (const int socket : m_sockets) {
        ::fcntl(socket, F_SETFD, FD_CLOEXEC);
        ::fcntl(socket, F_SETFL, O_NONBLOCK);
    }
    writeEnd = m_sockets[1];
    m_notifier = new QSocketNotifier(m_sockets[0], QSocketNotifier::Read, this);
    connect(m_notifier, &QSocketNotifier::activated, this, &StopSignals::read);
    handle(onSignal);
}

StopSignals::~StopSignals()
{
    if (!m_notifier)
        return;
    handle(SIG_DFL);
    delete m_notifier; // before its socket
    for (const int socket : m_sockets)
        ::close(socket);
}

void StopSignals::read()
{
    char byte = 0;
    while (::read(m_sockets[0], &byte, 1) == 1)
        count();
}

void StopSignals::count()
{
    Q_EMIT received(++m_count);
}

} // namespace watukuy::cli
