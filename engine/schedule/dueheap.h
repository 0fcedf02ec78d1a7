// SPDX-License-Identifier: GPL-3.0-or-later
// Which key is due next: O(log n) to move a key, nothing for an idle one (spec-engine 5).
#pragma once

#include <optional>
#include <vector>

#include <QHash>

#include "engine/model/instant.h"
#include "engine/model/key.h"

namespace watukuy::schedule {

/// A binary min-heap of (due time, key) with a key -> place index. Engine thread only.
class DueHeap {
public:
    /// Adds `key` or moves it to `due`.
    void set(const Key &key, Instant due);
    void remove(const Key &key);
    [[nodiscard]] std::optional<Instant> nextDue() const;
    /// The key that is due first, if it is due at `now`; it leaves the heap.
    [[nodiscard]] std::optional<Key> takeDue(Instant now);
    [[nodiscard]] qsizetype size() const { return static_cast<qsizetype>(m_heap.size()); }

private:
    struct Entry {
        Instant due;
        Key key;
    };
    void siftUp(size_t place);
    void siftDown(size_t place);
    void removeAt(size_t place);
    void put(size_t place, Entry entry);

    std::vector<Entry> m_heap;
    QHash<Key, size_t> m_places;
};

} // namespace watukuy::schedule
