// SPDX-License-Identifier: GPL-3.0-or-later
// Events: what the engine observed and hands on, and the rows that carry them through a store.
#pragma once

#include <optional>
#include <vector>

#include <QByteArray>
#include <QList>
#include <QMetaType>
#include <QString>
#include <QStringList>

#include "engine/model/error.h"
#include "engine/model/instant.h"
#include "engine/model/key.h"

namespace watukuy {

enum class EventType { Created, Updated, Deleted };

/// The word of the seed: `created`, `updated`, `deleted`.
[[nodiscard]] constexpr QLatin1StringView toString(EventType type)
{
    switch (type) {
    case EventType::Created:
        return QLatin1StringView("created");
    case EventType::Updated:
        return QLatin1StringView("updated");
    case EventType::Deleted:
        return QLatin1StringView("deleted");
    }
    return QLatin1StringView("updated");
}

/// SHA-256 of the event's material, 32 raw bytes (spec-engine 4.4). Written as lower-case hex.
using EventId = QByteArray;

/// One observed change. Raw JSON members hold the bytes the API sent (promise G11).
struct Event {
    EventId id;
    EventType type = EventType::Created;
    QString source;
    QString subject; ///< the item's identity
    Instant time;    ///< when it was observed
    Key key;
    Lane lane = Lane::Live;
    qint64 sequence = 0; ///< grows per key, gives the order of delivery
    QByteArray cursor;   ///< JSON text of the lane's cursor when it was observed; empty = null
    QByteArray data;     ///< raw JSON of the item; empty = null (a delete under `retain: hash`)
    std::optional<QByteArray> previous; ///< raw JSON of the item before; only under `retain: payload`
    QString orderingKey;                ///< events with the same one are delivered strictly in sequence

    bool operator==(const Event &) const = default;
};

/// One failed try to hand an event to a sink.
struct AttemptRecord {
    Instant at;
    QString sink;
    QString message;

    bool operator==(const AttemptRecord &) const = default;
};

/// An event in the outbox: committed, not yet accepted by every sink.
struct OutboxRow {
    Event event;
    int attempts = 0;                 ///< tries spent so far
    std::optional<Instant> notBefore; ///< a retry waits until then
    QStringList acceptedBy;           ///< names of the sinks that have it already
    QList<AttemptRecord> history;

    bool operator==(const OutboxRow &) const = default;
};

/// Why something was set aside for an operator.
enum class ParkedKind {
    Poison, ///< an event that no try could deliver
    Invalid ///< an item that could not become an event
};

[[nodiscard]] constexpr QLatin1StringView toString(ParkedKind kind)
{
    return kind == ParkedKind::Poison ? QLatin1StringView("poison") : QLatin1StringView("invalid");
}

/// One reason an item is invalid: where in the item, and what is wrong there.
struct ItemIssue {
    QString path;
    QString message;

    bool operator==(const ItemIssue &) const = default;
};

/// A poison event or an invalid item, kept until an operator retries or discards it.
struct ParkedRow {
    qint64 id = 0; ///< given by the store
    Key key;
    ParkedKind kind = ParkedKind::Poison;
    std::optional<Event> event; ///< poison
    QByteArray item;            ///< invalid: the raw item, possibly not even JSON
    Error error;
    QList<AttemptRecord> history; ///< poison: every try
    QList<ItemIssue> issues;      ///< invalid: every reason
    int attempts = 0;
    Instant parkedAt;
    int seen = 1;         ///< invalid: how often the unchanged item was met
    bool holdKey = false; ///< later events of the same ordering key wait for this one
    QStringList acceptedBy;

    bool operator==(const ParkedRow &) const = default;
};

/// A change that waits for an operator's approval (delete guard).
struct HeldRow {
    qint64 id = 0;
    Key key;
    QString identity;
    EventType type = EventType::Deleted;
    QString reason;
    Instant heldAt;

    bool operator==(const HeldRow &) const = default;
};

} // namespace watukuy

Q_DECLARE_METATYPE(watukuy::Event)
