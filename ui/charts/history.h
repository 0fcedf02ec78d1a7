// SPDX-License-Identifier: GPL-3.0-or-later
// Samples of what charts show, kept in a ring per key.
#pragma once

#include <array>
#include <deque>

#include <QHash>

#include "engine/api/snapshot.h"

namespace watukuy::ui {

/// One sample of a key.
struct Sample {
    Instant at;
    float lagSeconds = -1; ///< < 0 = unknown
    float outbox = 0;
    float events = 0; ///< of the last finished cycle
    float cycleMs = 0;
};

/// The newest samples of each key, at a steady cadence; a pause in sampling stays a gap.
class History {
public:
    static constexpr Duration cadence = std::chrono::seconds{5};
    static constexpr size_t capacity = 360; ///< half an hour

    void add(const std::vector<KeySnapshot> &keys, Instant now);
    [[nodiscard]] const std::deque<Sample> &of(const Key &key) const;
    void clear() { m_samples.clear(); }

private:
    QHash<Key, std::deque<Sample>> m_samples;
};

} // namespace watukuy::ui
