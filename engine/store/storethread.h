// SPDX-License-Identifier: GPL-3.0-or-later
// The thread a store works on, and the way answers find back into the coroutine that asked.
#pragma once

#include <coroutine>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <QObject>
#include <QString>
#include <QThread>

#include "engine/store/storereader.h"

namespace watukuy {

/// Resumes coroutines in the thread that asked, through its event loop and in order. Answers that
/// are still under way when it is destroyed are dropped: their coroutines never resume, because
/// what they would touch may be gone as well. Owners end their cycles before they drop a store.
class AnswerHome {
public:
    /// The calling thread becomes the one where answers arrive, at the first call.
    void settle();

    /// Thread-safe. Resumes `waiting` in the thread of settle(), from its event loop.
    void resume(std::coroutine_handle<> waiting);

private:
    struct DeleteInItsThread {
        void operator()(QObject *receiver) const;
    };
    std::unique_ptr<QObject, DeleteInItsThread> m_receiver;
};

/// A thread with an event loop that runs jobs one after the other.
class StoreThread {
public:
    explicit StoreThread(const QString &name);
    /// Runs everything that was posted before, then ends the thread and waits for it.
    ~StoreThread();
    Q_DISABLE_COPY_MOVE(StoreThread)

    /// Thread-safe.
    void post(std::function<void()> job);

private:
    QThread m_thread;
    QObject *m_worker; ///< lives in m_thread; gives the posted jobs their context
};

namespace detail {

/// Awaited by ask(): runs `work` on the thread, resumes at home. It lives in the frame of the
/// suspended coroutine, so the job may point at it.
template <typename Work>
class Asked {
public:
    using Answer = std::invoke_result_t<Work &>;

    Asked(StoreThread &thread, AnswerHome &home, Work work)
        : m_thread(thread)
        , m_home(home)
        , m_work(std::move(work))
    {
    }
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiting)
    {
        m_thread.post([this, waiting] {
            m_answer.emplace(m_work());
            m_home.resume(waiting);
        });
    }
    Answer await_resume() { return std::move(*m_answer); }

private:
    StoreThread &m_thread;
    AnswerHome &m_home;
    Work m_work;
    std::optional<Answer> m_answer;
};

/// Awaited by answerLater(): comes back from the event loop.
class NextTurn {
public:
    explicit NextTurn(AnswerHome &home)
        : m_home(home)
    {
    }
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiting) { m_home.resume(waiting); }
    void await_resume() const noexcept {}

private:
    AnswerHome &m_home;
};

} // namespace detail

/// Runs `work` (it returns a Result) on `thread`; the answer arrives in the calling thread.
template <typename Work>
QCoro::Task<std::invoke_result_t<Work &>> ask(StoreThread &thread, AnswerHome &home, Work work)
{
    home.settle();
    detail::Asked<Work> asked(thread, home, std::move(work));
    co_return co_await asked;
}

/// An answer that is known already, given as every store gives it: later, and in order.
template <typename Answer>
QCoro::Task<Answer> answerLater(AnswerHome &home, Answer answer)
{
    home.settle();
    detail::NextTurn turn(home);
    co_await turn;
    co_return std::move(answer);
}

} // namespace watukuy
