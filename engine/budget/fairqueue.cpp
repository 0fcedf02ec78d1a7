// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/budget/fairqueue.h"

#include <algorithm>

namespace watukuy::budget {

void FairQueue::add(const Asker &asker)
{
    m_waiting.push_back(asker);
}

void FairQueue::remove(quint64 id)
{
    std::erase_if(m_waiting, [id](const Asker &asker) { return asker.id == id; });
}

void FairQueue::served(quint64 id)
{
    const auto found = std::ranges::find(m_waiting, id, &Asker::id);
    if (found == m_waiting.end())
        return;
    m_now = std::max(m_now, turnOf(found->key));
    m_turns[found->key] = m_now + static_cast<double>(found->cost) / std::max(found->weight, 1e-9);
    m_waiting.erase(found);
    std::erase_if(m_turns, [this](const auto &turn) { return turn.second <= m_now; });
}

std::optional<quint64> FairQueue::next() const
{
    const auto asker = nextAsker();
    return asker == m_waiting.end() ? std::nullopt : std::optional(asker->id);
}

std::vector<FairQueue::Asker>::const_iterator FairQueue::nextAsker() const
{
    return std::ranges::min_element(m_waiting, [this](const Asker &one, const Asker &other) {
        return one.lane != other.lane ? one.lane < other.lane : turnOf(one.key) < turnOf(other.key);
    });
}

double FairQueue::turnOf(const Key &key) const
{
    const auto turn = m_turns.find(key);
    return turn == m_turns.end() ? m_now : std::max(turn->second, m_now);
}

} // namespace watukuy::budget
