// SPDX-License-Identifier: GPL-3.0-or-later
// Events in SQL: the columns that outbox, log and parked rows share, and appending to the first two.
#pragma once

#include "engine/model/event.h"
#include "engine/store/sqlconnection.h"
#include "engine/store/sqlkeys.h"

/// The event's columns, in the order of bindEvent() and readEvent().
#define WATUKUY_SQL_EVENT                                                                                    \
    "sequence, time, event_id, type, lane, source, subject, ordering_key, cursor, data, previous"
#define WATUKUY_SQL_EVENT_VALUES "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"

namespace watukuy::sql {

inline constexpr int eventColumns = 11;

/// The text events are ordered by: the ordering key, or the subject where there is none.
[[nodiscard]] inline const QString &orderedBy(const Event &event)
{
    return event.orderingKey.isEmpty() ? event.subject : event.orderingKey;
}

void bindEvent(Statement &statement, const Event &event);
[[nodiscard]] Event readEvent(const Statement &row, int first, const Key &key);

/// Gives events the key's next sequences and appends them to the outbox and, if asked, to the log.
/// finish() must end the work.
class EventWriter {
public:
    EventWriter(SqlConnection &db, KeyRow &key, bool log);
    void append(Event event);
    void finish();

private:
    SqlConnection &m_db;
    KeyRow &m_key;
    bool m_log;
    qint64 m_position = 0;
};

} // namespace watukuy::sql
