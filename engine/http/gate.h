// SPDX-License-Identifier: GPL-3.0-or-later
// A one-shot meeting point between a coroutine and a signal handler.
#pragma once

#include <utility>

#include <qcoro/coroutine.h>

#include <QObject>

namespace watukuy::http {

/// One coroutine awaits; open() lets it go on, from the event loop and never inside the caller: a
/// reply must not be destroyed inside its own signal. Lives at least until it was opened.
class Gate {
public:
    /// `context` lives as long as the gate and in its thread.
    explicit Gate(QObject *context)
        : m_context(context)
    {
    }
    Q_DISABLE_COPY_MOVE(Gate)

    void open()
    {
        if (std::exchange(m_open, true) || !m_waiter)
            return;
        QMetaObject::invokeMethod(m_context, [this] { resume(); }, Qt::QueuedConnection);
    }
    [[nodiscard]] bool isOpen() const { return m_open; }

    /// What the coroutine awaits. Copied by the compiler at will, so only a pointer.
    struct Opening {
        Gate *gate;

        bool await_ready() const noexcept { return gate->m_open; }
        void await_suspend(std::coroutine_handle<> waiter) noexcept { gate->m_waiter = waiter; }
        void await_resume() const noexcept {}
    };
    [[nodiscard]] Opening opening() { return {this}; }

private:
    void resume()
    {
        if (auto waiter = std::exchange(m_waiter, nullptr))
            waiter.resume();
    }

    QObject *m_context;
    std::coroutine_handle<> m_waiter;
    bool m_open = false;
};

} // namespace watukuy::http
