// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/change/change.h"
#include "engine/json/rawvalue.h"

namespace watukuy::change {

using namespace Qt::StringLiterals;

namespace {

QString versionOrHash(const ItemRow &row)
{
    return row.version.value_or(QString::fromLatin1(row.hash.toHex()));
}

Event eventOf(const ItemRow &row, EventType type, const PollerDefinition &poller, const PageContext &context)
{
    Event event;
    event.id = eventId(poller.source, context.key.partition, row.identity, versionOrHash(row),
                       row.schemaVersion, type, row.revision);
    event.type = type;
    event.source = poller.source;
    event.subject = row.identity;
    event.time = context.now;
    event.key = context.key;
    event.lane = context.lane;
    event.cursor = context.cursor;
    event.orderingKey = row.identity;
    return event;
}

/// Compares a page's items with their rows, one after the other.
class PageComparison {
public:
    PageComparison(const QHash<QString, ItemRow> &stored, const PollerDefinition &poller,
                   const PageContext &context)
        : m_stored(stored)
        , m_poller(poller)
        , m_context(context)
    {
    }

    void compare(const IdentifiedItem &item)
    {
        const auto found = m_stored.constFind(item.identity);
        const ItemRow *before = found == m_stored.constEnd() ? nullptr : &*found;
        if (before && !before->tombstone && hasSameVersion(item, *before) && !m_context.reemitKnown) {
            m_diff.seen.append(item.identity);
            return;
        }
        auto fingerprint = fingerprintOf(item.raw, m_poller);
        if (!fingerprint) {
            m_diff.invalid.push_back({item.raw, item.identity, {{QString(), fingerprint.error().detail}}});
            return;
        }
        m_diff.seen.append(item.identity);
        m_diff.duplicateNames += fingerprint->duplicateNames;
        const bool isKnown = before && !before->tombstone && before->hash == fingerprint->hash &&
                             before->schemaVersion == m_poller.schemaVersion;
        if (m_poller.schema && (!isKnown || m_context.reemitKnown)) {
            if (auto issues = m_poller.schema->check(item.raw); !issues.isEmpty()) {
                m_diff.invalid.push_back({item.raw, item.identity, std::move(issues)});
                return;
            }
        }
        ItemRow row{.identity = item.identity,
                    .version = fingerprint->version,
                    .hash = fingerprint->hash,
                    .schemaVersion = m_poller.schemaVersion,
                    .seenAt = m_context.now};
        if (m_poller.retain == Retain::Payload)
            row.payload = item.raw;
        decide(item, before, std::move(row));
    }

    PageDiff take()
    {
        m_diff.lastSequence = m_context.lastSequence + static_cast<qint64>(m_diff.events.size());
        return std::move(m_diff);
    }

private:
    [[nodiscard]] bool hasSameVersion(const IdentifiedItem &item, const ItemRow &before) const
    {
        if (!m_poller.version || !before.version || before.schemaVersion != m_poller.schemaVersion)
            return false;
        return versionOf(item.raw, m_poller) == before.version;
    }

    void decide(const IdentifiedItem &item, const ItemRow *before, ItemRow row)
    {
        if (!before || before->tombstone) {
            row.revision = before ? before->revision + 1 : 1;
            return emitChange(item, EventType::Created, nullptr, std::move(row));
        }
        row.revision = before->revision;
        const bool schemaMoved = before->schemaVersion != row.schemaVersion;
        if (schemaMoved && m_poller.onSchemaChange == OnSchemaChange::Rebaseline) {
            m_diff.upserts.push_back(std::move(row));
            return;
        }
        if (before->hash == row.hash && !schemaMoved) {
            if (m_context.reemitKnown)
                emitEvent(item, EventType::Updated, before, *before);
            else if (before->version != row.version)
                m_diff.upserts.push_back(std::move(row));
            return;
        }
        row.revision = before->revision + 1;
        emitChange(item, EventType::Updated, before, std::move(row));
    }

    void emitChange(const IdentifiedItem &item, EventType type, const ItemRow *before, ItemRow row)
    {
        emitEvent(item, type, before, row);
        m_diff.upserts.push_back(std::move(row));
    }

    void emitEvent(const IdentifiedItem &item, EventType type, const ItemRow *before, const ItemRow &row)
    {
        Event event = eventOf(row, type, m_poller, m_context);
        event.data = item.raw;
        if (before && m_poller.retain == Retain::Payload)
            event.previous = before->payload;
        event.sequence = m_context.lastSequence + static_cast<qint64>(m_diff.events.size()) + 1;
        m_diff.events.push_back(std::move(event));
    }

    const QHash<QString, ItemRow> &m_stored;
    const PollerDefinition &m_poller;
    const PageContext &m_context;
    PageDiff m_diff;
};

} // namespace

PageDiff diffPage(const std::vector<IdentifiedItem> &items, const QHash<QString, ItemRow> &stored,
                  const PollerDefinition &poller, const PageContext &context)
{
    PageComparison comparison(stored, poller, context);
    for (const IdentifiedItem &item : items)
        comparison.compare(item);
    return comparison.take();
}

Deletion deletionOf(const ItemRow &row, const PollerDefinition &poller, const PageContext &context,
                    qint64 sequence)
{
    Deletion deletion{.tombstone = row};
    deletion.tombstone.tombstone = true;
    deletion.tombstone.revision = row.revision + 1;
    deletion.tombstone.payload.reset();
    deletion.tombstone.seenAt = context.now;
    deletion.event = eventOf(deletion.tombstone, EventType::Deleted, poller, context);
    deletion.event.sequence = sequence;
    deletion.event.data = row.payload.value_or(QByteArray());
    if (row.payload)
        deletion.event.previous = row.payload;
    return deletion;
}

QString orderingKeyOf(const Event &event, const QString &orderingKey)
{
    if (orderingKey == u"subject" || orderingKey.isEmpty())
        return event.subject;
    if (orderingKey == u"partition")
        return event.key.toString(); // never empty: the single partition is one ordering key, too
    if (orderingKey == u"type")
        return toString(event.type);
    const QString inside = orderingKey.startsWith(u"data."_s) ? orderingKey.mid(5) : orderingKey;
    const auto path = json::Path::parse(inside);
    if (!path || event.data.isEmpty())
        return event.subject;
    const auto value = json::find(event.data, *path);
    if (!value || !*value || (*value)->scalarText().isEmpty())
        return event.subject;
    return (*value)->scalarText();
}

} // namespace watukuy::change
