// SPDX-License-Identifier: GPL-3.0-or-later
// Change detection: raw items and stored rows in, new rows, events and invalid items out. Pure.
#pragma once

#include <optional>
#include <vector>

#include <QByteArray>
#include <QHash>
#include <QList>
#include <QString>

#include "engine/definition/definition.h"
#include "engine/model/event.h"
#include "engine/model/item.h"

namespace watukuy::change {

/// One raw item with the identity it has.
struct IdentifiedItem {
    QByteArray raw;
    QString identity;
};

/// An item that cannot become an event, with every reason.
struct InvalidItem {
    QByteArray raw;
    QString identity; ///< "" when it has none
    QList<ItemIssue> issues;
};

/// A page after identities were computed. The last of several items with one identity is kept.
struct IdentifiedPage {
    std::vector<IdentifiedItem> items;
    std::vector<InvalidItem> invalid;
    QList<QString> unstable; ///< identities met twice with different content
};

/// The identity of one item (spec-engine 4.2). Number 1 and text "1" are the same. The error says
/// which path is missing, null, an object or an array.
[[nodiscard]] Result<QString> identityOf(QByteArrayView raw, const IdentityDefinition &definition);

/// Identities of a whole page.
[[nodiscard]] IdentifiedPage identify(const std::vector<QByteArray> &items,
                                      const IdentityDefinition &definition);

/// What decides whether an item changed.
struct Fingerprint {
    std::optional<QString> version; ///< when the poller names a version and the item has it
    QByteArray hash;                ///< SHA-256 of the canonical fingerprint
    int duplicateNames = 0;
};

/// Version of an item, nothing when absent or null.
[[nodiscard]] std::optional<QString> versionOf(QByteArrayView raw, const PollerDefinition &poller);

/// SHA-256 of the canonicalised fingerprint (spec-engine 4.3). Chosen paths hash the object
/// `{path: value}`, absent paths left out. Fails (ErrorKind::Body) on NaN or text that is not JSON.
[[nodiscard]] Result<Fingerprint> fingerprintOf(QByteArrayView raw, const PollerDefinition &poller);

/// Event id (spec-engine 4.4): SHA-256 of
/// `watukuy|v1|source|partition|identity|versionOrHash|schemaVersion|type`, parts escaped, with
/// `|revision` at the end from revision 2 on.
[[nodiscard]] EventId eventId(const QString &source, const QString &partition, const QString &identity,
                              const QString &versionOrHash, int schemaVersion, EventType type,
                              qint64 revision);

/// The material that eventId() hashes; for tests and `watukuy test`.
[[nodiscard]] QByteArray eventMaterial(const QString &source, const QString &partition,
                                       const QString &identity, const QString &versionOrHash,
                                       int schemaVersion, EventType type, qint64 revision);

/// What is the same for every event of a page.
struct PageContext {
    Key key;
    Lane lane = Lane::Live;
    Instant now;
    QByteArray cursor;        ///< JSON of the lane's cursor
    qint64 lastSequence = 0;  ///< events get the following ones
    bool reemitKnown = false; ///< forced backfill: known items are `updated` again, same revision
};

/// The result of comparing a page with the stored rows.
struct PageDiff {
    std::vector<ItemRow> upserts;     ///< only rows that changed, in page order
    std::vector<Event> events;        ///< in page order, sequences given
    std::vector<InvalidItem> invalid; ///< items without a fingerprint, or against the schema
    QList<QString> seen;              ///< every valid identity of the page, for full scans
    qint64 lastSequence = 0;
    int duplicateNames = 0;
};

/// Compares `items` with `stored` (rows by identity, tombstones included).
[[nodiscard]] PageDiff diffPage(const std::vector<IdentifiedItem> &items,
                                const QHash<QString, ItemRow> &stored, const PollerDefinition &poller,
                                const PageContext &context);

/// A delete: its event and the tombstone row that replaces `row`.
struct Deletion {
    ItemRow tombstone;
    Event event;
};
[[nodiscard]] Deletion deletionOf(const ItemRow &row, const PollerDefinition &poller,
                                  const PageContext &context, qint64 sequence);

/// The text at `deliver.orderingKey` of an event: `subject`, `partition`, or a path into `data.…`.
[[nodiscard]] QString orderingKeyOf(const Event &event, const QString &orderingKey);

} // namespace watukuy::change
