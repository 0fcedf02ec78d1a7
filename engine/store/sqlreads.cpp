// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/store/sqlreads.h"

#include <limits>

#include "engine/store/rowcodec.h"
#include "engine/store/sqlevents.h"
#include "engine/store/sqlkeys.h"

namespace watukuy::sql {

namespace {

ParkedRow parkedIn(const Statement &row)
{
    ParkedRow parked;
    parked.id = row.integer(0);
    parked.key = {row.text(1), row.text(2)};
    parked.kind = static_cast<ParkedKind>(row.number(3));
    parked.parkedAt = row.instant(4);
    parked.attempts = row.number(5);
    parked.seen = row.number(6);
    parked.holdKey = row.integer(7) != 0;
    parked.acceptedBy = rowcodec::decodeNames(row.bytes(8));
    parked.history = rowcodec::decodeHistory(row.bytes(9));
    parked.error = rowcodec::decodeError(row.bytes(10)).value_or(Error{});
    parked.issues = rowcodec::decodeIssues(row.bytes(11));
    parked.item = row.bytes(12);
    if (!row.isNull(13))
        parked.event = readEvent(row, 13, parked.key);
    return parked;
}

/// Calls `read(first, last, limit)` for the ids that a filter names, or once for all behind `afterId`.
template <typename Filter, typename Read>
void forIdRanges(const Filter &filter, Read read)
{
    if (filter.ids.isEmpty()) {
        read(filter.afterId + 1, std::numeric_limits<qint64>::max());
        return;
    }
    QList<qint64> ids = filter.ids;
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    for (const qint64 id : ids) {
        if (id > filter.afterId)
            read(id, id);
    }
}

} // namespace

std::vector<ParkedRow> readParked(SqlConnection &db, const ParkedFilter &filter)
{
    std::vector<ParkedRow> rows;
    Statement select = db.use(
        "SELECT p.id, k.poller, k.partition, p.kind, p.parked_at, p.attempts, p.seen, p.hold_key, "
        "p.accepted_by,"
        " p.history, p.error, p.issues, p.item, " WATUKUY_SQL_EVENT
        " FROM parked p JOIN keys k ON k.id = p.key_id"
        " WHERE p.id >= ? AND p.id <= ? AND (? = '' OR k.poller = ?) AND (? IS NULL OR k.partition = ?)"
        " AND (? IS NULL OR p.kind = ?) ORDER BY p.id LIMIT ?");
    forIdRanges(filter, [&](qint64 first, qint64 last) {
        select.run(first, last, filter.poller, filter.poller, filter.partition, filter.partition, filter.kind,
                   filter.kind, filter.limit - static_cast<int>(rows.size()));
        while (select.next())
            rows.push_back(parkedIn(select));
    });
    return rows;
}

std::vector<HeldRow> readHeld(SqlConnection &db, const HeldFilter &filter)
{
    std::vector<HeldRow> rows;
    Statement select =
        db.use("SELECT h.id, k.poller, k.partition, h.identity, h.type, h.reason, h.held_at FROM held h"
               " JOIN keys k ON k.id = h.key_id WHERE h.id >= ? AND h.id <= ? AND h.discarded = 0"
               " AND (? = '' OR k.poller = ?) AND (? IS NULL OR k.partition = ?)"
               " ORDER BY h.id LIMIT ?");
    forIdRanges(filter, [&](qint64 first, qint64 last) {
        select.run(first, last, filter.poller, filter.poller, filter.partition, filter.partition,
                   filter.limit - static_cast<int>(rows.size()));
        while (select.next())
            rows.push_back({select.integer(0),
                            {select.text(1), select.text(2)},
                            select.text(3),
                            static_cast<EventType>(select.number(4)),
                            select.text(5),
                            select.instant(6)});
    });
    return rows;
}

std::vector<LoggedEvent> readLog(SqlConnection &db, const LogQuery &query)
{
    // The log is clustered by key; the slices of several keys are merged by position.
    std::vector<LoggedEvent> events;
    for (const KeyRow &key : keysOf(db, query.poller, query.partition)) {
        Statement select =
            db.use("SELECT position, " WATUKUY_SQL_EVENT " FROM log WHERE key_id = ? AND position > ?"
                   " AND (? IS NULL OR time >= ?) AND (? IS NULL OR time < ?) ORDER BY position LIMIT ?");
        select.run(key.id, query.after, query.from, query.from, query.to, query.to, query.limit);
        const auto middle = static_cast<std::ptrdiff_t>(events.size());
        while (select.next())
            events.push_back({select.integer(0), readEvent(select, 1, key.key)});
        std::inplace_merge(
            events.begin(), events.begin() + middle, events.end(),
            [](const LoggedEvent &a, const LoggedEvent &b) { return a.position < b.position; });
        if (events.size() > static_cast<size_t>(std::max(query.limit, 0)))
            events.resize(static_cast<size_t>(std::max(query.limit, 0)));
    }
    return events;
}

std::vector<TimelineEntry> readTimeline(SqlConnection &db, const Key &key, int limit)
{
    const KeyRow row = requireKey(db, key);
    std::vector<TimelineEntry> entries;
    Statement select =
        db.use("SELECT at, from_state, to_state, cause, detail, took FROM timeline WHERE key_id = ?"
               " ORDER BY number DESC LIMIT ?");
    select.run(row.id, limit);
    while (select.next())
        entries.push_back({select.instant(0), static_cast<VisibleState>(select.number(1)),
                           static_cast<VisibleState>(select.number(2)), select.text(3), select.text(4),
                           Duration{select.integer(5)}});
    return entries;
}

std::vector<AuditRow> readAudit(SqlConnection &db, std::optional<Instant> since, int limit)
{
    std::vector<AuditRow> rows;
    Statement select = db.use("SELECT at, who, operation, poller, partition, reason, before, after FROM audit"
                              " WHERE (? IS NULL OR at >= ?) ORDER BY id DESC LIMIT ?");
    select.run(since, since, limit);
    while (select.next())
        rows.push_back({select.instant(0),
                        select.text(1),
                        select.text(2),
                        {select.text(3), select.text(4)},
                        select.text(5),
                        select.bytes(6),
                        select.bytes(7)});
    return rows;
}

} // namespace watukuy::sql
