// SPDX-License-Identifier: GPL-3.0-or-later
// Wakes coroutines that wait until something has changed.
#pragma once

#include <utility>
#include <vector>

#include <qcoro/coroutine.h>

#include <QObject>

namespace watukuy {

/// Who waits looks at what it waits for in a loop: `while (!done) co_await bell.ringing();`. ring()
/// wakes each waiter once, from the event loop and never inside the caller, however often it is
/// called. One thread.
class Bell {
public:
    /// Nobody is woken once `context` is gone. It lives in the thread that waits.
    explicit Bell(QObject *context)
        : m_context(context)
    {
    }
    Q_DISABLE_COPY_MOVE(Bell)

    void ring()
    {
        for (const std::coroutine_handle<> waiter : std::exchange(m_waiters, {}))
            QMetaObject::invokeMethod(m_context, [waiter] { waiter.resume(); }, Qt::QueuedConnection);
    }

    /// What a coroutine awaits. Copied by the compiler at will, so only a pointer.
    struct Ringing {
        Bell *bell;

        [[nodiscard]] bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<> waiter) const { bell->m_waiters.push_back(waiter); }
        void await_resume() const noexcept {}
    };
    [[nodiscard]] Ringing ringing() { return {this}; }

private:
    QObject *m_context;
    std::vector<std::coroutine_handle<>> m_waiters;
};

} // namespace watukuy
