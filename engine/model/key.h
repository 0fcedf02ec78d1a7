// SPDX-License-Identifier: GPL-3.0-or-later
// A key names what is scheduled, leased and ordered: one partition of one poller.
#pragma once

#include <compare>

#include <QHashFunctions>
#include <QMetaType>
#include <QString>

namespace watukuy {

/// (poller, partition). The partition is "" for a poller that has just one.
struct Key {
    QString poller;
    QString partition;

    bool operator==(const Key &) const = default;
    std::strong_ordering operator<=>(const Key &other) const
    {
        if (const int order = QString::compare(poller, other.poller); order != 0)
            return order <=> 0;
        return QString::compare(partition, other.partition) <=> 0;
    }

    /// `poller` or `poller/partition`, as the command line writes it.
    [[nodiscard]] QString toString() const
    {
        return partition.isEmpty() ? poller : poller + u'/' + partition;
    }
};

inline size_t qHash(const Key &key, size_t seed = 0)
{
    return qHashMulti(seed, key.poller, key.partition);
}

/// The four lanes of the seed, in the order of their priority.
enum class Lane { Live, Reconcile, Backfill, Replay };

/// The word of the seed: `live`, `reconcile`, `backfill`, `replay`.
[[nodiscard]] constexpr QLatin1StringView toString(Lane lane)
{
    switch (lane) {
    case Lane::Live:
        return QLatin1StringView("live");
    case Lane::Reconcile:
        return QLatin1StringView("reconcile");
    case Lane::Backfill:
        return QLatin1StringView("backfill");
    case Lane::Replay:
        return QLatin1StringView("replay");
    }
    return QLatin1StringView("live");
}

} // namespace watukuy

template <>
struct std::hash<watukuy::Key> {
    size_t operator()(const watukuy::Key &key) const noexcept { return watukuy::qHash(key); }
};

Q_DECLARE_METATYPE(watukuy::Key)
