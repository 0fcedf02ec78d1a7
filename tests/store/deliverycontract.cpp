// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/store/contract.h"

using namespace Qt::StringLiterals;

namespace watukuy::contract {

/// The outbox: order, eligibility, acknowledgements and retries (promises G3 and G7).
class DeliveryContract final : public Contract {
    Q_OBJECT
public:
    using Contract::Contract;

private:
    /// Commits one event per ordering key, in order: `a`, `b`, `a`, ...
    void commitOrdered(const QStringList &orderingKeys);
    [[nodiscard]] std::vector<qint64> eligible(qint64 nowMs = 10'000, QSet<QString> busy = {});

private Q_SLOTS:
    void rowsComeInOrderOfSequence();
    void theLimitBoundsABatch();
    void acknowledgedRowsAreGone();
    void aRetryIsRemembered();
    void aWaitingRowHoldsItsOrderingKeyOnly();
    void aDueRetryComesFirstAgain();
    void busyOrderingKeysArePassedOver();
    void passedOverRowsDoNotFillTheBatch();
    void theNextDeliveryIsKnownWhenEverythingWaits();
    void theOutboxCanBeLookedAt();
    void aRetryOfAnAcknowledgedRowDoesNothing();
    void theHistoryIsBounded();
    void C48_aThousandRowsBehindAHeldKeyDoNotStarveOthers();
    void C58_twoEventsOfOneItemBothExist();
};

void DeliveryContract::commitOrdered(const QStringList &orderingKeys)
{
    PollCommit commitment = page({});
    for (const QString &orderingKey : orderingKeys) {
        Event each = newEvent(u"item"_s);
        each.orderingKey = orderingKey;
        commitment.events.push_back(each);
    }
    (void)commit(commitment);
}

std::vector<qint64> DeliveryContract::eligible(qint64 nowMs, QSet<QString> busy)
{
    return sequencesOf(pending(nowMs, 100, std::move(busy)));
}

void DeliveryContract::rowsComeInOrderOfSequence()
{
    (void)commit(page({u"3"_s, u"1"_s}));
    (void)commit(page({u"2"_s}));
    const auto rows = pending();
    QCOMPARE(subjectsOf(rows), (QStringList{u"3"_s, u"1"_s, u"2"_s}));
    QCOMPARE(sequencesOf(rows), (std::vector<qint64>{1, 2, 3}));
    QCOMPARE(rows.front().attempts, 0);
    QVERIFY(!rows.front().notBefore && rows.front().acceptedBy.isEmpty() && rows.front().history.isEmpty());
}

void DeliveryContract::theLimitBoundsABatch()
{
    (void)commit(page({u"1"_s, u"2"_s, u"3"_s}));
    QCOMPARE(pending(10'000, 2).size(), size_t{2});
    QVERIFY(pending(10'000, 0).empty());
}

void DeliveryContract::acknowledgedRowsAreGone()
{
    (void)commit(page({u"1"_s, u"2"_s, u"3"_s}));
    must(m_store->ackEvents(key(), m_lease, {1, 3}));
    QCOMPARE(eligible(), (std::vector<qint64>{2}));
    must(m_store->ackEvents(key(), m_lease, {2}));
    QVERIFY(eligible().empty());
    QVERIFY(!state().oldestPendingAt);
    QCOMPARE(state().counts.outboxPending, 0);
}

void DeliveryContract::aRetryIsRemembered()
{
    (void)commit(page({u"1"_s}));
    const AttemptRecord first{at(10), u"hook"_s, u"500 “oops”"_s};
    const AttemptRecord second{at(20), u"hook"_s, u"502"_s};
    must(m_store->retryEvents(key(), m_lease, {{1, 1, at(500), {u"file"_s}, first}}));
    must(m_store->retryEvents(key(), m_lease, {{1, 2, at(900), {u"file"_s, u"log"_s}, second}}));
    must(m_store->retryEvents(key(), m_lease, {{1, 2, at(900), {u"file"_s, u"log"_s}, std::nullopt}}));
    const auto rows = pending();
    QCOMPARE(rows.size(), size_t{1});
    QCOMPARE(rows.front().attempts, 2);
    QCOMPARE(rows.front().notBefore, std::optional(at(900)));
    QCOMPARE(rows.front().acceptedBy, (QStringList{u"file"_s, u"log"_s}));
    QCOMPARE(rows.front().history, (QList<AttemptRecord>{first, second}));
}

void DeliveryContract::aWaitingRowHoldsItsOrderingKeyOnly()
{
    commitOrdered({u"a"_s, u"b"_s, u"a"_s, u"b"_s});
    must(m_store->retryEvents(key(), m_lease, {{1, 1, at(20'000), {}, {}}}));
    QCOMPARE(eligible(19'999), (std::vector<qint64>{2, 4}));
    // A later event of the key waiting does not hold the earlier one.
    must(m_store->retryEvents(key(), m_lease, {{1, 1, std::nullopt, {}, {}}, {3, 1, at(20'000), {}, {}}}));
    QCOMPARE(eligible(19'999), (std::vector<qint64>{1, 2, 4}));
}

void DeliveryContract::aDueRetryComesFirstAgain()
{
    commitOrdered({u"a"_s, u"b"_s, u"a"_s});
    must(m_store->retryEvents(key(), m_lease, {{1, 1, at(20'000), {}, {}}}));
    QCOMPARE(eligible(20'000), (std::vector<qint64>{1, 2, 3}));
}

void DeliveryContract::busyOrderingKeysArePassedOver()
{
    commitOrdered({u"a"_s, u"b"_s, u"a"_s, u"c"_s});
    QCOMPARE(eligible(10'000, {u"a"_s, u"c"_s}), (std::vector<qint64>{2}));
}

void DeliveryContract::passedOverRowsDoNotFillTheBatch()
{
    commitOrdered({u"a"_s, u"a"_s, u"a"_s, u"b"_s});
    must(m_store->retryEvents(key(), m_lease, {{1, 1, at(20'000), {}, {}}}));
    QCOMPARE(sequencesOf(pending(10'000, 1)), (std::vector<qint64>{4}));
}

void DeliveryContract::theNextDeliveryIsKnownWhenEverythingWaits()
{
    commitOrdered({u"a"_s, u"b"_s, u"a"_s});
    must(m_store->retryEvents(key(), m_lease, {{1, 1, at(30'000), {}, {}}}));
    QVERIFY(!state().nextDeliveryAt);
    must(m_store->retryEvents(key(), m_lease, {{2, 1, at(20'000), {}, {}}}));
    QCOMPARE(state().nextDeliveryAt, std::optional(at(20'000)));
    must(m_store->parkEvent(key(), m_lease, 2, poison()));
    QCOMPARE(state().nextDeliveryAt, std::optional(at(30'000)));
    QVERIFY(!state().deliveryHeld);
    must(m_store->parkEvent(key(), m_lease, 1, poison()));
    QVERIFY(!state().nextDeliveryAt);
    QVERIFY(state().deliveryHeld);
    QCOMPARE(state().counts.outboxPending, 1);
}

void DeliveryContract::theOutboxCanBeLookedAt()
{
    commitOrdered({u"a"_s, u"b"_s, u"a"_s});
    must(m_store->parkEvent(key(), m_lease, 1, poison()));
    must(m_store->retryEvents(key(), m_lease, {{2, 1, at(99'000), {}, {}}}));
    QCOMPARE(sequencesOf(must(m_store->readOutbox(key(), 0, 10))), (std::vector<qint64>{2, 3}));
    QCOMPARE(sequencesOf(must(m_store->readOutbox(key(), 2, 10))), (std::vector<qint64>{3}));
    QCOMPARE(sequencesOf(must(m_store->readOutbox(key(), 0, 1))), (std::vector<qint64>{2}));
}

void DeliveryContract::aRetryOfAnAcknowledgedRowDoesNothing()
{
    (void)commit(page({u"1"_s}));
    must(m_store->ackEvents(key(), m_lease, {1}));
    must(m_store->retryEvents(key(), m_lease, {{1, 1, at(1), {}, {}}}));
    must(m_store->parkEvent(key(), m_lease, 1, poison()));
    QCOMPARE(state().counts, (KeyCounts{1, 0, 0, 0}));
}

void DeliveryContract::theHistoryIsBounded()
{
    (void)commit(page({u"1"_s}));
    std::vector<RetryPatch> patches;
    for (int attempt = 1; attempt <= 250; ++attempt)
        patches.push_back({1, attempt, std::nullopt, {}, AttemptRecord{at(attempt), u"hook"_s, u"no"_s}});
    must(m_store->retryEvents(key(), m_lease, patches));
    const auto rows = pending();
    QCOMPARE(rows.front().history.size(), 100);
    QCOMPARE(rows.front().history.last().at, at(250));
}

void DeliveryContract::C48_aThousandRowsBehindAHeldKeyDoNotStarveOthers()
{
    QStringList orderingKeys(1'001, u"poisoned"_s);
    orderingKeys.append({u"x"_s, u"y"_s, u"x"_s});
    commitOrdered(orderingKeys);
    must(m_store->parkEvent(key(), m_lease, 1, poison()));
    // More than once: what a store does to keep such rows out of the way must not show.
    for (int round = 0; round < 3; ++round)
        QCOMPARE(eligible(), (std::vector<qint64>{1'002, 1'003, 1'004}));
    commitOrdered({u"poisoned"_s, u"z"_s});
    QCOMPARE(eligible(), (std::vector<qint64>{1'002, 1'003, 1'004, 1'006}));
    QCOMPARE(must(m_store->readOutbox(key(), 0, 5'000)).size(), size_t{1'005});
    QCOMPARE(must(m_store->readOutbox(key(), 0, 2)).front().event.sequence, 2);
    must(m_store->ackEvents(key(), m_lease, {500, 1'002}));
    QCOMPARE(state().counts.outboxPending, 1'003);

    QCOMPARE(must(m_store->retryParked({}, audit())).done, 1);
    const auto rows = pending(10'000, 5'000);
    QCOMPARE(rows.size(), size_t{1'004});
    QCOMPARE(rows.front().event.sequence, 1);
    QVERIFY(std::ranges::is_sorted(sequencesOf(rows)));
}

void DeliveryContract::C58_twoEventsOfOneItemBothExist()
{
    (void)commit(page({u"1"_s}));
    PollCommit second = page({});
    second.upserts = {item(u"1"_s, 2)};
    second.events = {newEvent(u"1"_s, EventType::Updated)};
    (void)commit(second);
    QCOMPARE(eligible(), (std::vector<qint64>{1, 2}));
    must(m_store->parkEvent(key(), m_lease, 1, poison()));
    QVERIFY(eligible().empty());
    QCOMPARE(must(m_store->retryParked({}, audit())).done, 1);
    const auto rows = pending();
    QVERIFY(rows.at(0).event.type == EventType::Created);
    QVERIFY(rows.at(1).event.type == EventType::Updated);
}

std::unique_ptr<Contract> makeDeliveryContract(StoreFactory factory)
{
    return std::make_unique<DeliveryContract>(std::move(factory));
}

} // namespace watukuy::contract

#include "deliverycontract.moc"
