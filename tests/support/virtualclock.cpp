// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/virtualclock.h"

namespace watukuy::tests {

struct VirtualClock::Pending {
    std::map<std::pair<Duration, qint64>, std::function<void()>> wakes; ///< by due time, then by order
    qint64 made = 0;
};

/// Shares the list, so that it may outlive the clock.
class VirtualClock::Wake final : public PendingWake {
public:
    Wake(std::shared_ptr<Pending> pending, std::pair<Duration, qint64> place)
        : m_pending(std::move(pending))
        , m_place(place)
    {
    }
    ~Wake() override { m_pending->wakes.erase(m_place); }

private:
    std::shared_ptr<Pending> m_pending;
    std::pair<Duration, qint64> m_place;
};

VirtualClock::VirtualClock()
    : m_now(fromEpochMs(1'767'225'600'000))
    , m_pending(std::make_shared<Pending>())
{
}

VirtualClock::~VirtualClock() = default;

std::unique_ptr<PendingWake> VirtualClock::wakeAfter(Duration wait, std::function<void()> wake)
{
    const std::pair place(m_steady + std::max(wait, Duration::zero()), m_pending->made++);
    m_pending->wakes.emplace(place, std::move(wake));
    return std::make_unique<Wake>(m_pending, place);
}

void VirtualClock::advance(Duration by)
{
    const Duration until = m_steady + by;
    while (!m_pending->wakes.empty() && m_pending->wakes.begin()->first.first <= until) {
        const auto first = m_pending->wakes.begin();
        m_now += first->first.first - m_steady;
        m_steady = first->first.first;
        const auto wake = std::move(first->second);
        m_pending->wakes.erase(first);
        wake();
    }
    m_now += until - m_steady;
    m_steady = until;
}

qsizetype VirtualClock::pendingWakes() const
{
    return static_cast<qsizetype>(m_pending->wakes.size());
}

} // namespace watukuy::tests
