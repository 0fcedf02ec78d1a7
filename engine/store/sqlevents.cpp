// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/store/sqlevents.h"

namespace watukuy::sql {

void bindEvent(Statement &statement, const Event &event)
{
    // An ordering key that only repeats the subject is not stored twice.
    const bool own = !event.orderingKey.isEmpty() && event.orderingKey != event.subject;
    statement.bind(event.sequence, event.time, event.id, event.type, event.lane, event.source, event.subject,
                   own ? std::optional(event.orderingKey) : std::nullopt, event.cursor, event.data,
                   event.previous);
}

Event readEvent(const Statement &row, int first, const Key &key)
{
    Event event;
    event.key = key;
    event.sequence = row.integer(first);
    event.time = row.instant(first + 1);
    event.id = row.bytes(first + 2);
    event.type = static_cast<EventType>(row.number(first + 3));
    event.lane = static_cast<Lane>(row.number(first + 4));
    event.source = row.text(first + 5);
    event.subject = row.text(first + 6);
    event.orderingKey = row.isNull(first + 7) ? event.subject : row.text(first + 7);
    event.cursor = row.bytes(first + 8);
    event.data = row.bytes(first + 9);
    event.previous = row.maybeBytes(first + 10);
    return event;
}

EventWriter::EventWriter(SqlConnection &db, KeyRow &key, bool log)
    : m_db(db)
    , m_key(key)
    , m_log(log)
{
    if (!log)
        return;
    Statement select = db.use("SELECT value FROM meta WHERE name = 'log_position'");
    select.run();
    if (select.next())
        m_position = select.integer(0);
}

void EventWriter::append(Event event)
{
    event.sequence = ++m_key.lastSequence;
    ++m_key.counts.outboxPending;
    Statement outbox =
        m_db.use("INSERT INTO outbox(key_id, " WATUKUY_SQL_EVENT ") VALUES(?, " WATUKUY_SQL_EVENT_VALUES ")");
    outbox.bind(m_key.id);
    bindEvent(outbox, event);
    outbox.run();
    if (!m_log)
        return;
    Statement log = m_db.use("INSERT INTO log(key_id, position, " WATUKUY_SQL_EVENT
                             ") VALUES(?, ?, " WATUKUY_SQL_EVENT_VALUES ")");
    log.bind(m_key.id, ++m_position);
    bindEvent(log, event);
    log.run();
}

void EventWriter::finish()
{
    if (m_log)
        m_db.use("UPDATE meta SET value = ? WHERE name = 'log_position'").run(m_position);
}

} // namespace watukuy::sql
