// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/schedule/dueheap.h"

#include <utility>

namespace watukuy::schedule {

namespace {

/// Keys that are due at the same instant leave in the order of their names, so that runs repeat.
template <typename Entry>
bool before(const Entry &left, const Entry &right)
{
    return left.due != right.due ? left.due < right.due : left.key < right.key;
}

} // namespace

void DueHeap::set(const Key &key, Instant due)
{
    const auto found = m_places.constFind(key);
    if (found == m_places.constEnd()) {
        m_heap.push_back({due, key});
        m_places.insert(key, m_heap.size() - 1);
        siftUp(m_heap.size() - 1);
        return;
    }
    const size_t place = *found;
    const bool earlier = due < m_heap[place].due;
    m_heap[place].due = due;
    if (earlier)
        siftUp(place);
    else
        siftDown(place);
}

void DueHeap::remove(const Key &key)
{
    if (const auto found = m_places.constFind(key); found != m_places.constEnd())
        removeAt(*found);
}

std::optional<Instant> DueHeap::nextDue() const
{
    if (m_heap.empty())
        return std::nullopt;
    return m_heap.front().due;
}

std::optional<Key> DueHeap::takeDue(Instant now)
{
    if (m_heap.empty() || m_heap.front().due > now)
        return std::nullopt;
    Key key = m_heap.front().key;
    removeAt(0);
    return key;
}

void DueHeap::siftUp(size_t place)
{
    Entry entry = std::move(m_heap[place]);
    while (place > 0) {
        const size_t parent = (place - 1) / 2;
        if (!before(entry, m_heap[parent]))
            break;
        put(place, std::move(m_heap[parent]));
        place = parent;
    }
    put(place, std::move(entry));
}

void DueHeap::siftDown(size_t place)
{
    Entry entry = std::move(m_heap[place]);
    for (;;) {
        size_t child = 2 * place + 1;
        if (child >= m_heap.size())
            break;
        if (child + 1 < m_heap.size() && before(m_heap[child + 1], m_heap[child]))
            ++child;
        if (!before(m_heap[child], entry))
            break;
        put(place, std::move(m_heap[child]));
        place = child;
    }
    put(place, std::move(entry));
}

void DueHeap::removeAt(size_t place)
{
    m_places.remove(m_heap[place].key);
    Entry last = std::move(m_heap.back());
    m_heap.pop_back();
    if (place == m_heap.size())
        return;
    put(place, std::move(last));
    siftDown(place);
    siftUp(place);
}

void DueHeap::put(size_t place, Entry entry)
{
    m_places[entry.key] = place;
    m_heap[place] = std::move(entry);
}

} // namespace watukuy::schedule
