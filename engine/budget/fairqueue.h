// SPDX-License-Identifier: GPL-3.0-or-later
// Who is next at a budget: lanes by priority, keys in turn or by weight (spec-engine 7).
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "engine/model/key.h"

namespace watukuy::budget {

/// Those who wait for a share. A key that was served goes behind the others of its lane, by as much as
/// its request cost over its weight; a key that comes anew starts where the others stand. One thread.
class FairQueue {
public:
    struct Asker {
        quint64 id = 0; ///< the caller's own
        Key key;
        Lane lane = Lane::Live;
        double weight = 1; ///< more than 0; the same for all = in turn
        qint64 cost = 1;
    };

    void add(const Asker &asker);
    /// It waits no longer and got nothing.
    void remove(quint64 id);
    /// It got its share.
    void served(quint64 id);
    /// Who is next; nothing when nobody waits.
    [[nodiscard]] std::optional<quint64> next() const;

private:
    [[nodiscard]] std::vector<Asker>::const_iterator nextAsker() const;
    [[nodiscard]] double turnOf(const Key &key) const;

    std::vector<Asker> m_waiting;  ///< in order of arrival
    std::map<Key, double> m_turns; ///< the larger, the later; of keys that are ahead of `m_now`
    double m_now = 0;              ///< the turn that was served last
};

} // namespace watukuy::budget
