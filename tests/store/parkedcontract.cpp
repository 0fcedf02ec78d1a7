// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/store/contract.h"
#include "tests/support/makekeys.h"

using namespace Qt::StringLiterals;

namespace watukuy::contract {

/// Poison events and invalid items: parked, looked at, retried, discarded.
class ParkedContract final : public Contract {
    Q_OBJECT
public:
    using Contract::Contract;

private:
    void commitAndPark(const QStringList &subjects, qint64 sequence, bool holdKey = true);

private Q_SLOTS:
    void aParkedEventKeepsEverythingKnownAboutIt();
    void aParkedEventHoldsItsOrderingKeyWhenAsked();
    void aParkedEventLetsLaterOnesPassWhenAsked();
    void aKeyIsHeldUntilItsLastParkedEventIsGone();
    void aRetriedEventComesBackUnderItsOldSequence();
    void aDiscardedEventLiftsTheHold();
    void anInvalidItemIsParkedWithEveryReason();
    void C60_anUnchangedInvalidItemIsParkedOnce();
    void anInvalidItemCannotBeRetried();
    void aDiscardedInvalidItemMayBeParkedAgain();
    void parkedRowsAreFiltered();
    void C61_bulkWorkDoesNotFenceTheRunningCycle();
};

void ParkedContract::commitAndPark(const QStringList &subjects, qint64 sequence, bool holdKey)
{
    (void)commit(page(subjects));
    must(m_store->parkEvent(key(), m_lease, sequence, poison(holdKey)));
}

void ParkedContract::aParkedEventKeepsEverythingKnownAboutIt()
{
    commitAndPark({u"1"_s, u"2"_s}, 2);
    const auto rows = must(m_store->readParked({}));
    QCOMPARE(rows.size(), size_t{1});
    ParkedRow expected = poison();
    expected.id = rows.front().id;
    expected.event = newEvent(u"2"_s);
    expected.event->sequence = 2;
    QCOMPARE(rows.front(), expected);
    QVERIFY(expected.id > 0);
    QCOMPARE(state().counts, (KeyCounts{2, 1, 1, 0}));
}

void ParkedContract::aParkedEventHoldsItsOrderingKeyWhenAsked()
{
    commitAndPark({u"1"_s, u"2"_s, u"1"_s}, 1);
    QCOMPARE(sequencesOf(pending()), (std::vector<qint64>{2}));
}

void ParkedContract::aParkedEventLetsLaterOnesPassWhenAsked()
{
    commitAndPark({u"1"_s, u"2"_s, u"1"_s}, 1, false);
    QCOMPARE(sequencesOf(pending()), (std::vector<qint64>{2, 3}));
}

void ParkedContract::aKeyIsHeldUntilItsLastParkedEventIsGone()
{
    commitAndPark({u"1"_s, u"1"_s, u"1"_s}, 1);
    must(m_store->parkEvent(key(), m_lease, 2, poison()));
    const auto rows = must(m_store->readParked({}));
    ParkedFilter first;
    first.ids = {rows.front().id};
    QCOMPARE(must(m_store->discardParked(first, audit())).done, 1);
    QVERIFY(pending().empty());
    QCOMPARE(must(m_store->discardParked({}, audit())).done, 1);
    QCOMPARE(sequencesOf(pending()), (std::vector<qint64>{3}));
}

void ParkedContract::aRetriedEventComesBackUnderItsOldSequence()
{
    (void)commit(page({u"1"_s, u"2"_s, u"1"_s}));
    must(m_store->retryEvents(key(), m_lease, {{1, 5, at(99'000), {u"file"_s}, {}}}));
    must(m_store->parkEvent(key(), m_lease, 1, poison()));
    const BulkOutcome outcome = must(m_store->retryParked({}, audit(u"parked retry"_s)));
    QCOMPARE(outcome.done, 1);
    const auto rows = pending(1'000);
    QCOMPARE(sequencesOf(rows), (std::vector<qint64>{1, 2, 3}));
    QCOMPARE(rows.front().attempts, 0);
    QVERIFY(!rows.front().notBefore);
    QCOMPARE(rows.front().acceptedBy, (QStringList{u"file"_s}));
    QCOMPARE(rows.front().history, poison().history);
    Event expected = newEvent(u"1"_s);
    expected.sequence = 1;
    QCOMPARE(rows.front().event, expected);
    QCOMPARE(state().counts, (KeyCounts{2, 3, 0, 0}));
    QCOMPARE(must(m_store->readAudit(std::nullopt, 9)).front().operation, u"parked retry"_s);
}

void ParkedContract::aDiscardedEventLiftsTheHold()
{
    commitAndPark({u"1"_s, u"1"_s}, 1);
    QCOMPARE(must(m_store->discardParked({}, audit(u"parked discard"_s))).done, 1);
    QCOMPARE(sequencesOf(pending()), (std::vector<qint64>{2}));
    QVERIFY(must(m_store->readParked({})).empty());
    QCOMPARE(state().counts, (KeyCounts{1, 1, 0, 0}));
}

void ParkedContract::anInvalidItemIsParkedWithEveryReason()
{
    PollCommit bad = page({});
    bad.parked = {invalid("{\"id\":null, \"n\": 1.10}"), invalid("\xff not json")};
    (void)commit(bad);
    const auto rows = must(m_store->readParked({}));
    QCOMPARE(rows.size(), size_t{2});
    ParkedRow expected = bad.parked.front();
    expected.id = rows.front().id;
    QCOMPARE(rows.front(), expected);
    QCOMPARE(rows.at(1).item, bad.parked.at(1).item);
    QCOMPARE(state().counts.parked, 2);
}

void ParkedContract::C60_anUnchangedInvalidItemIsParkedOnce()
{
    PollCommit bad = page({});
    bad.parked = {invalid("{\"id\":null}"), invalid("{\"id\":null}")};
    (void)commit(bad);
    bad.parked = {invalid("{\"id\":null}"), invalid("{\"id\":{}}")};
    bad.parked.front().parkedAt = at(8'000);
    bad.parked.front().issues = {{u"id"_s, u"is null"_s}};
    (void)commit(bad);
    const auto rows = must(m_store->readParked({}));
    QCOMPARE(rows.size(), size_t{2});
    QCOMPARE(rows.front().seen, 3);
    QCOMPARE(rows.front().parkedAt, at(8'000));
    QCOMPARE(rows.front().issues, bad.parked.front().issues);
    QCOMPARE(rows.at(1).seen, 1);
    QCOMPARE(state().counts.parked, 2);

    // The same text of another key is another item.
    must(tests::ensureKeys(m_store.get(), {{key(u"b"_s), Duration{1}}}, at(1)));
    const Lease b = *must(m_store->acquireLease(key(u"b"_s), u"a"_s, ttl, at(1)));
    must(m_store->commitPoll(key(u"b"_s), b, bad));
    QCOMPARE(must(m_store->readParked({})).size(), size_t{4});
}

void ParkedContract::anInvalidItemCannotBeRetried()
{
    PollCommit bad = page({u"1"_s});
    bad.parked = {invalid("{}")};
    (void)commit(bad);
    must(m_store->parkEvent(key(), m_lease, 1, poison()));
    const BulkOutcome outcome = must(m_store->retryParked({}, audit()));
    QCOMPARE(outcome.done, 1);
    QCOMPARE(outcome.skipped, 1);
    const auto rows = must(m_store->readParked({}));
    QCOMPARE(rows.size(), size_t{1});
    QVERIFY(rows.front().kind == ParkedKind::Invalid);
}

void ParkedContract::aDiscardedInvalidItemMayBeParkedAgain()
{
    PollCommit bad = page({});
    bad.parked = {invalid("{}")};
    (void)commit(bad);
    QCOMPARE(must(m_store->discardParked({}, audit())).done, 1);
    QCOMPARE(state().counts.parked, 0);
    (void)commit(bad);
    QCOMPARE(must(m_store->readParked({})).front().seen, 1);
    QCOMPARE(state().counts.parked, 1);
}

void ParkedContract::parkedRowsAreFiltered()
{
    PollCommit bad = page({u"1"_s, u"2"_s});
    bad.parked = {invalid("{}"), invalid("[]")};
    (void)commit(bad);
    must(m_store->parkEvent(key(), m_lease, 1, poison()));
    must(m_store->parkEvent(key(), m_lease, 2, poison()));
    const auto count = [&](const ParkedFilter &filter) { return must(m_store->readParked(filter)).size(); };
    ParkedFilter filter;
    filter.kind = ParkedKind::Invalid;
    QCOMPARE(count(filter), size_t{2});
    filter.kind = ParkedKind::Poison;
    filter.limit = 1;
    QCOMPARE(count(filter), size_t{1});
    const qint64 firstPoison = must(m_store->readParked(filter)).front().id;
    filter.afterId = firstPoison;
    QCOMPARE(count(filter), size_t{1});
    filter = {};
    filter.poller = u"orders"_s;
    filter.partition = u"b"_s;
    QCOMPARE(count(filter), size_t{0});
    filter.partition = u""_s;
    QCOMPARE(count(filter), size_t{4});
    filter.poller = u"other"_s;
    filter.partition.reset();
    QCOMPARE(count(filter), size_t{0});
    filter = {};
    filter.ids = {firstPoison, firstPoison, 9'999};
    QCOMPARE(count(filter), size_t{1});
    QCOMPARE(must(m_store->discardParked(filter, audit())).done, 1);
    QCOMPARE(count({}), size_t{3});
}

void ParkedContract::C61_bulkWorkDoesNotFenceTheRunningCycle()
{
    commitAndPark({u"1"_s, u"2"_s}, 1);
    (void)must(m_store->retryParked({}, audit()));
    (void)must(m_store->discardParked({}, audit()));
    (void)must(m_store->replay(key(), at(0), at(9'999), audit()));
    QCOMPARE(commit(page({u"3"_s})).lastSequence, 3);
    must(m_store->ackEvents(key(), m_lease, {1, 2, 3}));
}

std::unique_ptr<Contract> makeParkedContract(StoreFactory factory)
{
    return std::make_unique<ParkedContract>(std::move(factory));
}

} // namespace watukuy::contract

#include "parkedcontract.moc"
