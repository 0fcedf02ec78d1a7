// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/store/contract.h"
#include "tests/support/makekeys.h"

#include <QCryptographicHash>

namespace watukuy::contract {

using namespace Qt::StringLiterals;

Instant at(qint64 ms)
{
    return fromEpochMs(ms);
}

Key key(const QString &partition)
{
    return {u"orders"_s, partition};
}

ItemRow item(const QString &identity, qint64 revision)
{
    ItemRow row;
    row.identity = identity;
    row.version = u"v%1"_s.arg(revision);
    row.hash = QCryptographicHash::hash(identity.toUtf8(), QCryptographicHash::Sha256);
    row.payload = "{\"id\":9007199254740993,\"name\":\"" + identity.toUtf8() + "\"}";
    row.revision = revision;
    row.seenAt = at(1'000);
    return row;
}

Event newEvent(const QString &subject, EventType type)
{
    Event event;
    event.id = QCryptographicHash::hash(subject.toUtf8() + toString(type).data(), QCryptographicHash::Sha256);
    event.type = type;
    event.source = u"urn:watukuy:orders"_s;
    event.subject = subject;
    event.time = at(1'000);
    event.key = key();
    event.cursor = "{\"value\":\"c\"}";
    event.data = "{ \"id\" : 9007199254740993, \"price\": 1.10 }";
    event.orderingKey = subject;
    return event;
}

ParkedRow poison(bool holdKey)
{
    ParkedRow row;
    row.key = key();
    row.error = {.kind = ErrorKind::Sink,
                 .name = u"SinkRefused"_s,
                 .title = u"422"_s,
                 .detail = u"bad"_s,
                 .nextStep = {}};
    row.history = {{at(1), u"hook"_s, u"first"_s}, {at(2), u"hook"_s, u"second"_s}};
    row.attempts = 2;
    row.parkedAt = at(3'000);
    row.holdKey = holdKey;
    row.acceptedBy = {u"file"_s};
    return row;
}

ParkedRow invalid(const QByteArray &raw)
{
    ParkedRow row;
    row.key = key();
    row.kind = ParkedKind::Invalid;
    row.item = raw;
    row.error = {.kind = ErrorKind::Validation,
                 .name = u"Invalid"_s,
                 .title = u"no id"_s,
                 .detail = {},
                 .nextStep = {}};
    row.issues = {{u"id"_s, u"is missing"_s}, {u"name"_s, u"is too long"_s}};
    row.parkedAt = at(3'000);
    return row;
}

AuditRow audit(const QString &operation, qint64 ms)
{
    return {at(ms), u"somebody"_s, operation, key(), u"because"_s, "{\"a\":1}", "{\"a\":2}"};
}

PollCommit page(const QStringList &subjects)
{
    PollCommit commit;
    commit.cursor.json = "{\"value\":\"next\"}";
    commit.now = at(2'000);
    for (const QString &subject : subjects) {
        commit.upserts.push_back(item(subject));
        commit.events.push_back(newEvent(subject));
    }
    return commit;
}

ScanState scan(qint64 id)
{
    ScanState state;
    state.id = id;
    state.from.json = "{\"from\":1}";
    state.watermark.json = "{\"to\":2}";
    state.position = "{\"page\":3}";
    state.pages = 2;
    state.items = 40;
    state.total = 100;
    state.sawUnstable = true;
    state.milestone = QByteArray("\0\x1f", 2);
    state.lastContent = QByteArray("\xff", 1);
    state.startedAt = at(1'500);
    return state;
}

std::pair<ItemRow, Event> deletionOf(const ItemRow &row)
{
    ItemRow tombstone = row;
    tombstone.tombstone = true;
    tombstone.payload.reset();
    ++tombstone.revision;
    tombstone.seenAt = at(4'000);
    return {tombstone, newEvent(row.identity, EventType::Deleted)};
}

QStringList subjectsOf(const std::vector<OutboxRow> &rows)
{
    QStringList subjects;
    for (const OutboxRow &row : rows)
        subjects.append(row.event.subject);
    return subjects;
}

std::vector<qint64> sequencesOf(const std::vector<OutboxRow> &rows)
{
    std::vector<qint64> sequences;
    for (const OutboxRow &row : rows)
        sequences.push_back(row.event.sequence);
    return sequences;
}

void Contract::init()
{
    m_store = m_factory();
    must(m_store->open());
    must(tests::ensureKeys(m_store.get(), {{key(), Duration{60'000}}}, at(1'000)));
    m_lease = must(m_store->acquireLease(key(), u"a"_s, ttl, at(1'000))).value_or(Lease{});
}

void Contract::cleanup()
{
    must(m_store->close());
    m_store.reset();
}

std::vector<OutboxRow> Contract::pending(qint64 nowMs, int limit, QSet<QString> busy)
{
    return must(m_store->loadPending(key(), {at(nowMs), limit, std::move(busy)}));
}

std::optional<StoredItem> Contract::stored(const QString &identity, std::optional<qint64> scanId)
{
    std::vector<StoredItem> found = must(m_store->loadVersions(key(), {identity}, scanId));
    return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

int runContract(const StoreFactory &factory, const QStringList &arguments)
{
    // With names of tests on the command line only the classes that have them run something.
    int failures = 0;
    for (const auto make : {makeLeaseContract, makePollContract, makeScanContract, makeDeliveryContract,
                            makeParkedContract, makeAdminContract, makePartitionContract})
        failures += QTest::qExec(make(factory).get(), arguments);
    return failures;
}

} // namespace watukuy::contract
