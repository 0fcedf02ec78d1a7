// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/history.h"

namespace watukuy::ui {

void History::add(const std::vector<KeySnapshot> &keys, Instant now)
{
    for (const KeySnapshot &key : keys) {
        std::deque<Sample> &samples = m_samples[key.key];
        const auto &poll = key.schedule.lastPoll;
        samples.push_back({.at = now,
                           .lagSeconds = key.lag ? static_cast<float>(key.lag->count()) / 1000.0F : -1.0F,
                           .outbox = static_cast<float>(key.counts.outboxPending),
                           .events = poll ? static_cast<float>(poll->events.total()) : 0.0F,
                           .cycleMs = poll ? static_cast<float>(poll->took.count()) : 0.0F});
        if (samples.size() > capacity)
            samples.pop_front();
    }
}

const std::deque<Sample> &History::of(const Key &key) const
{
    static const std::deque<Sample> nothing;
    const auto found = m_samples.constFind(key);
    return found == m_samples.constEnd() ? nothing : *found;
}

} // namespace watukuy::ui
