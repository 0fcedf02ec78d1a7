// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/clock.h"

#include <algorithm>
#include <utility>

#include <QTimer>

namespace watukuy {

namespace {

constexpr Duration longestTimer = std::chrono::hours{24};

class TimerWake final : public PendingWake {
public:
    TimerWake(const Clock &clock, Duration wait, std::function<void()> wake)
        : m_clock(clock)
        , m_deadline(clock.steady() + std::max(wait, Duration::zero()))
        , m_wake(std::move(wake))
    {
        m_timer.setSingleShot(true);
        m_timer.setTimerType(Qt::PreciseTimer);
        QObject::connect(&m_timer, &QTimer::timeout, &m_timer, [this] { fire(); });
        arm();
    }

private:
    void arm()
    {
        const Duration left = std::max(m_deadline - m_clock.steady(), Duration::zero());
        m_timer.start(std::min(left, longestTimer));
    }

    void fire()
    {
        if (m_clock.steady() < m_deadline) {
            arm();
            return;
        }
        const auto wake = std::move(m_wake);
        wake();
    }

    const Clock &m_clock;
    Duration m_deadline;
    std::function<void()> m_wake;
    QTimer m_timer;
};

} // namespace

Instant SystemClock::now() const
{
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

Duration SystemClock::steady() const
{
    return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch());
}

std::unique_ptr<PendingWake> SystemClock::wakeAfter(Duration wait, std::function<void()> wake)
{
    return std::make_unique<TimerWake>(*this, wait, std::move(wake));
}

} // namespace watukuy
