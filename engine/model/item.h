// SPDX-License-Identifier: GPL-3.0-or-later
// The stored row of one item: what the snapshot remembers to decide what changed.
#pragma once

#include <optional>

#include <QByteArray>
#include <QString>

#include "engine/model/instant.h"

namespace watukuy {

/// A snapshot row, one per identity of a key. A deleted item stays as a tombstone so that its
/// revision, and with it the ids of later events, go on from where they were (spec-engine 4.4).
struct ItemRow {
    QString identity;
    std::optional<QString> version; ///< as the API gave it; none when the poller names no version
    QByteArray hash;                ///< SHA-256 of the canonical fingerprint, 32 bytes; may be empty
                                    ///< while the version alone decided
    int schemaVersion = 1;
    std::optional<QByteArray> payload; ///< raw JSON, under `retain: payload`
    qint64 revision = 1;               ///< +1 with every committed change
    bool tombstone = false;
    Instant seenAt; ///< when it last changed (created, updated or deleted)

    bool operator==(const ItemRow &) const = default;
};

} // namespace watukuy
