// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/stopsignals.h"

#include <atomic>
#include <windows.h>

namespace watukuy::cli {

namespace {

std::atomic<StopSignals *> counter = nullptr;

/// Called on a thread of the system's own.
BOOL WINAPI onConsoleEvent(DWORD)
{
    StopSignals *signals = counter;
    if (!signals)
        return FALSE;
    QMetaObject::invokeMethod(signals, &StopSignals::count, Qt::QueuedConnection);
    return TRUE;
}

} // namespace

StopSignals::StopSignals()
{
    counter = this;
    ::SetConsoleCtrlHandler(onConsoleEvent, TRUE);
}

StopSignals::~StopSignals()
{
    ::SetConsoleCtrlHandler(onConsoleEvent, FALSE);
    counter = nullptr;
}

void StopSignals::count()
{
    Q_EMIT received(++m_count);
}

} // namespace watukuy::cli
