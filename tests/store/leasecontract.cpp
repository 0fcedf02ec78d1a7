// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/store/contract.h"
#include "tests/support/makekeys.h"

using namespace Qt::StringLiterals;

namespace watukuy::contract {

/// Keys, leases and fencing (promise G5).
class LeaseContract final : public Contract {
    Q_OBJECT
public:
    using Contract::Contract;

private Q_SLOTS:
    void aNewKeyIsDueAtOnceWithItsFirstInterval();
    void anExistingKeyIsNotCreatedAgain();
    void anUnknownKeyIsNamed();
    void aHeldLeaseIsRefusedToAnotherInstance();
    void anExpiredLeaseCanBeTakenAndTakesTheNextEpoch();
    void theSameInstanceMayTakeItsLeaseAgain();
    void renewingMovesTheExpiryAndKeepsTheEpoch();
    void renewingTellsOfAPause();
    void anExpiredLeaseThatNobodyTookStillWrites();
    void aReleasedLeaseIsFreeAtOnceAndWritesNoMore();
    void everyWriteOfARunIsRefusedWithAnOldEpoch();
    void aRemovedAndRecreatedKeyRefusesTheOldLease();
    void answersComeInOrderAndNeverInsideTheCall();
};

void LeaseContract::aNewKeyIsDueAtOnceWithItsFirstInterval()
{
    const KeyState fresh = state();
    QCOMPARE(fresh.key, key());
    QCOMPARE(fresh.schedule.nextDueAt, at(1'000));
    QCOMPARE(fresh.schedule.interval, Duration{60'000});
    QCOMPARE(fresh.pause, Pause::None);
    QCOMPARE(fresh.lastSequence, 0);
    QVERIFY(fresh.liveCursor.isInitial());
    QCOMPARE(fresh.counts, KeyCounts{});
    QVERIFY(!fresh.oldestPendingAt && !fresh.nextDeliveryAt && !fresh.deliveryHeld);
}

void LeaseContract::anExistingKeyIsNotCreatedAgain()
{
    (void)commit(page({u"1"_s}));
    must(tests::ensureKeys(m_store.get(), {{key(), Duration{5}}, {key(u"b"_s), Duration{7}}}, at(9'000)));
    QCOMPARE(state().schedule.interval, Duration{60'000});
    QCOMPARE(state().lastSequence, 1);
    const std::vector<KeyState> all = must(m_store->loadKeys());
    QCOMPARE(all.size(), size_t{2});
    QCOMPARE(all.at(0).key, key());
    QCOMPARE(all.at(1).key, key(u"b"_s));
    QCOMPARE(all.at(1).schedule.nextDueAt, at(9'000));
}

void LeaseContract::anUnknownKeyIsNamed()
{
    const Key nobody{u"nobody"_s, u"x"_s};
    for (const Error &error :
         {failureOf(m_store->loadKey(nobody)), failureOf(m_store->acquireLease(nobody, u"a"_s, ttl, at(1))),
          failureOf(m_store->pauseKey(nobody, Pause::Operator, audit()))}) {
        QCOMPARE(error.name, u"UnknownKey"_s);
        QVERIFY(error.title.contains(u"nobody/x"_s));
    }
    QVERIFY(must(m_store->readAudit(std::nullopt, 10)).empty());
}

void LeaseContract::aHeldLeaseIsRefusedToAnotherInstance()
{
    QCOMPARE(m_lease.epoch, 1);
    QCOMPARE(m_lease.owner, u"a"_s);
    QCOMPARE(m_lease.expiresAt, at(31'000));
    QVERIFY(!must(m_store->acquireLease(key(), u"b"_s, ttl, at(30'999))));
    QCOMPARE(state().lease, std::optional(m_lease));
    QCOMPARE(state().epoch, 1);
}

void LeaseContract::anExpiredLeaseCanBeTakenAndTakesTheNextEpoch()
{
    const auto stolen = must(m_store->acquireLease(key(), u"b"_s, ttl, at(31'000)));
    QVERIFY(stolen);
    QCOMPARE(stolen->epoch, 2);
    QCOMPARE(failureOf(m_store->renewLease(key(), m_lease, ttl, at(31'001))).kind, ErrorKind::LeaseLost);
}

void LeaseContract::theSameInstanceMayTakeItsLeaseAgain()
{
    const auto again = must(m_store->acquireLease(key(), u"a"_s, ttl, at(1'001)));
    QVERIFY(again);
    QCOMPARE(again->epoch, 2);
    QCOMPARE(failureOf(m_store->commitPoll(key(), m_lease, page({}))).name, u"LeaseLostError"_s);
}

void LeaseContract::renewingMovesTheExpiryAndKeepsTheEpoch()
{
    const Lease renewed = must(m_store->renewLease(key(), m_lease, ttl, at(20'000))).lease;
    QCOMPARE(renewed, (Lease{u"a"_s, 1, at(50'000)}));
    QCOMPARE(state().lease, std::optional(renewed));
    QVERIFY(!must(m_store->acquireLease(key(), u"b"_s, ttl, at(49'999))));
}

void LeaseContract::renewingTellsOfAPause()
{
    QCOMPARE(must(m_store->renewLease(key(), m_lease, ttl, at(2'000))).pause, Pause::None);
    must(m_store->pauseKey(key(), Pause::Operator, audit()));
    QCOMPARE(must(m_store->renewLease(key(), m_lease, ttl, at(3'000))).pause, Pause::Operator);
    must(m_store->resumeKey(key(), {}, audit()));
    QCOMPARE(must(m_store->renewLease(key(), m_lease, ttl, at(4'000))).pause, Pause::None);
}

void LeaseContract::anExpiredLeaseThatNobodyTookStillWrites()
{
    PollCommit late = page({u"1"_s});
    late.now = at(99'000);
    QCOMPARE(commit(late).lastSequence, 1);
    QCOMPARE(must(m_store->renewLease(key(), m_lease, ttl, at(99'000))).lease.epoch, 1);
}

void LeaseContract::aReleasedLeaseIsFreeAtOnceAndWritesNoMore()
{
    must(m_store->releaseLease(key(), m_lease));
    QVERIFY(!state().lease);
    QCOMPARE(state().epoch, 1);
    QCOMPARE(failureOf(m_store->ackEvents(key(), m_lease, {1})).kind, ErrorKind::LeaseLost);
    QCOMPARE(must(m_store->acquireLease(key(), u"b"_s, ttl, at(1'001)))->epoch, 2);
}

void LeaseContract::everyWriteOfARunIsRefusedWithAnOldEpoch()
{
    PollCommit first = page({u"1"_s, u"2"_s});
    first.scan = scan();
    const qint64 scanId = *commit(first).scanId;
    const auto newer = must(m_store->acquireLease(key(), u"b"_s, ttl, at(31'000)));
    QVERIFY(newer);
    const KeyState before = state();

    ScanCompletion completion;
    completion.scanId = scanId;
    completion.deletes = ScanCompletion::Deletes::Emit;
    completion.makeDeletion = deletionOf;
    PollCommit late = page({u"3"_s});
    late.parked = {invalid("{}")};
    late.validator = ValidatorRow{"r", "e", "l", at(1)};
    SchedulePatch patch;
    patch.schedule.consecutiveFailures = 9;
    const std::vector<Error> errors{
        failureOf(m_store->renewLease(key(), m_lease, ttl, at(31'001))),
        failureOf(m_store->releaseLease(key(), m_lease)),
        failureOf(m_store->commitPoll(key(), m_lease, late)),
        failureOf(m_store->completeScan(key(), m_lease, completion)),
        failureOf(m_store->saveState(key(), m_lease, patch)),
        failureOf(m_store->ackEvents(key(), m_lease, {1})),
        failureOf(m_store->retryEvents(key(), m_lease, {RetryPatch{1, 3, at(5), {}, {}}})),
        failureOf(m_store->parkEvent(key(), m_lease, 1, poison())),
    };
    for (const Error &error : errors) {
        QCOMPARE(error.kind, ErrorKind::LeaseLost);
        QCOMPARE(error.name, u"LeaseLostError"_s);
    }
    QCOMPARE(state(), before);
    QCOMPARE(sequencesOf(pending()), (std::vector<qint64>{1, 2}));
    QVERIFY(must(m_store->readParked({})).empty());
    QVERIFY(!must(m_store->loadValidator(key(), "r")));
    QVERIFY(!stored(u"3"_s));
}

void LeaseContract::aRemovedAndRecreatedKeyRefusesTheOldLease()
{
    must(m_store->removeKey(key(), audit()));
    QCOMPARE(failureOf(m_store->commitPoll(key(), m_lease, page({}))).kind, ErrorKind::LeaseLost);
    must(tests::ensureKeys(m_store.get(), {{key(), Duration{1}}}, at(1)));
    const auto fresh = must(m_store->acquireLease(key(), u"b"_s, ttl, at(2)));
    QVERIFY(fresh && fresh->epoch > m_lease.epoch);
    QCOMPARE(failureOf(m_store->commitPoll(key(), m_lease, page({}))).kind, ErrorKind::LeaseLost);
}

void LeaseContract::answersComeInOrderAndNeverInsideTheCall()
{
    std::vector<int> order;
    const auto note = [&order](StoreTask<KeyState> task, int number) -> QCoro::Task<void> {
        (void)co_await std::move(task);
        order.push_back(number);
    };
    std::vector<QCoro::Task<void>> tasks;
    for (int number = 0; number < 5; ++number)
        tasks.push_back(note(m_store->loadKey(key()), number));
    QVERIFY(order.empty());
    for (QCoro::Task<void> &task : tasks)
        QCoro::waitFor(task);
    QCOMPARE(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

std::unique_ptr<Contract> makeLeaseContract(StoreFactory factory)
{
    return std::make_unique<LeaseContract>(std::move(factory));
}

} // namespace watukuy::contract

#include "leasecontract.moc"
