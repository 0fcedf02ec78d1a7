// SPDX-License-Identifier: GPL-3.0-or-later
#include <deque>

#include "tests/store/contract.h"
#include "tests/support/makekeys.h"

using namespace Qt::StringLiterals;

namespace watukuy::contract {

/// Administrative writes, their audit rows, housekeeping and budgets.
class AdminContract final : public Contract {
    Q_OBJECT
public:
    using Contract::Contract;

private Q_SLOTS:
    void aPauseIsKeptWithItsReason();
    void resumingWritesTheGivenSchedule();
    void aTriggerWritesTheGivenScheduleAndItsTime();
    void pauseResumeAndTriggerDoNotFence();
    void C53_aResetCursorFencesTheCycleAndStands();
    void aResetCursorForgetsScansAndValidators();
    void aClearedSnapshotKeepsItsRevisions();
    void aBackfillStartsAtItsBeginning();
    void aCancelledBackfillLeavesNothing();
    void aRemovedKeyIsGoneWithItsRows();
    void replayedEventsKeepTheirIdsAndGetFreshSequences();
    void auditRowsAreReadNewestFirst();
    void C62_theLogIsPrunedInPieces();
    void C63_noWindowEverHoldsMoreThanTheBudget();
    void aBudgetSaysWhenToTryAgain();
    void everyWindowOfABudgetMustHaveRoom();
    void aUseThatIsReplacedIsTakenBack();
    void aUseThatCameLaterCountsFromThen();
    void budgetsDoNotMix();
    void anEmptyBudgetIsAnError();
};

void AdminContract::aPauseIsKeptWithItsReason()
{
    const AuditRow row = audit(u"pause"_s);
    must(m_store->pauseKey(key(), Pause::PartitionRemoved, row));
    QCOMPARE(state().pause, Pause::PartitionRemoved);
    QCOMPARE(state().pauseReason, u"because"_s);
    QCOMPARE(must(m_store->readAudit(std::nullopt, 9)), (std::vector<AuditRow>{row}));
}

void AdminContract::resumingWritesTheGivenSchedule()
{
    must(m_store->pauseKey(key(), Pause::Operator, audit(u"pause"_s)));
    ScheduleState schedule;
    schedule.nextDueAt = at(123);
    schedule.reason = ScheduleReason::Resumed;
    must(m_store->resumeKey(key(), schedule, audit(u"resume"_s)));
    QCOMPARE(state().pause, Pause::None);
    QVERIFY(state().pauseReason.isEmpty());
    QCOMPARE(state().schedule, schedule);
    QCOMPARE(must(m_store->readAudit(std::nullopt, 9)).size(), size_t{2});
}

void AdminContract::aTriggerWritesTheGivenScheduleAndItsTime()
{
    ScheduleState schedule;
    schedule.nextDueAt = at(5'000);
    schedule.circuit = Circuit::Open;
    schedule.reason = ScheduleReason::Manual;
    must(m_store->triggerKey(key(), schedule, audit(u"trigger"_s)));
    QCOMPARE(state().schedule, schedule);
    QCOMPARE(state().triggeredAt, std::optional(at(5'000)));
}

void AdminContract::pauseResumeAndTriggerDoNotFence()
{
    must(m_store->pauseKey(key(), Pause::Operator, audit()));
    must(m_store->resumeKey(key(), {}, audit()));
    must(m_store->triggerKey(key(), {}, audit()));
    QCOMPARE(state().epoch, m_lease.epoch);
    (void)commit(page({u"1"_s}));
}

void AdminContract::C53_aResetCursorFencesTheCycleAndStands()
{
    (void)commit(page({u"1"_s}));
    ScheduleState schedule;
    schedule.nextDueAt = at(1);
    const LaneCursor target{"{\"value\":\"reset\"}"};
    must(m_store->resetCursor(key(), target, false, schedule, audit(u"reset-cursor"_s)));
    QCOMPARE(failureOf(m_store->commitPoll(key(), m_lease, page({u"2"_s}))).kind, ErrorKind::LeaseLost);
    const KeyState after = state();
    QCOMPARE(after.liveCursor, target);
    QCOMPARE(after.schedule, schedule);
    QCOMPARE(after.epoch, m_lease.epoch + 1);
    QVERIFY(!after.lease);
    QCOMPARE(after.counts, (KeyCounts{1, 1, 0, 0}));
    QCOMPARE(must(m_store->acquireLease(key(), u"b"_s, ttl, at(1'001)))->epoch, m_lease.epoch + 2);
}

void AdminContract::aResetCursorForgetsScansAndValidators()
{
    PollCommit open = page({u"1"_s});
    open.scan = scan();
    open.markSeen = true;
    open.validator = ValidatorRow{"r", "e", "", at(1)};
    const qint64 id = *commit(open).scanId;
    must(m_store->resetCursor(key(), {}, false, {}, audit()));
    QVERIFY(!state().liveScan);
    QVERIFY(state().liveCursor.isInitial());
    QVERIFY(!stored(u"1"_s, id)->seenInScan);
    QVERIFY(!must(m_store->loadValidator(key(), "r")));
}

void AdminContract::aClearedSnapshotKeepsItsRevisions()
{
    PollCommit some = page({u"1"_s});
    some.upserts = {item(u"1"_s, 6), item(u"2"_s, 2)};
    some.upserts.at(1).tombstone = true;
    (void)commit(some);
    must(m_store->resetCursor(key(), {}, true, {}, audit()));
    QCOMPARE(state().counts.items, 0);
    QVERIFY(must(m_store->readItems(key(), {}, 9)).empty());
    const ItemRow cleared = stored(u"1"_s)->row;
    QVERIFY(cleared.tombstone && !cleared.payload);
    QCOMPARE(cleared.revision, 6);
    QCOMPARE(cleared.seenAt, at(5'000));
    QCOMPARE(stored(u"2"_s)->row.seenAt, at(1'000));
    // The events it caused are still to be delivered.
    QCOMPARE(pending().size(), size_t{1});
}

void AdminContract::aBackfillStartsAtItsBeginning()
{
    PollCommit open = page({});
    open.lane = Lane::Backfill;
    open.scan = scan();
    (void)commit(open);
    const BackfillState backfill{{"{\"from\":1}"}, {"{\"to\":2}"}, true, at(4'000)};
    must(m_store->startBackfill(key(), backfill, audit(u"backfill"_s)));
    const KeyState after = state();
    QCOMPARE(after.backfill, std::optional(backfill));
    QCOMPARE(after.backfillCursor, backfill.from);
    QVERIFY(!after.backfillScan);
    QCOMPARE(after.backfillSchedule.nextDueAt, std::optional(at(5'000)));
    QCOMPARE(failureOf(m_store->commitPoll(key(), m_lease, open)).kind, ErrorKind::LeaseLost);
}

void AdminContract::aCancelledBackfillLeavesNothing()
{
    must(m_store->startBackfill(key(), {{"{}"}, {}, false, at(1)}, audit()));
    const qint64 epoch = state().epoch;
    must(m_store->cancelBackfill(key(), audit(u"cancel-backfill"_s)));
    const KeyState after = state();
    QVERIFY(!after.backfill);
    QVERIFY(after.backfillCursor.isInitial());
    QCOMPARE(after.backfillSchedule, LaneSchedule{});
    QCOMPARE(after.epoch, epoch + 1);
}

void AdminContract::aRemovedKeyIsGoneWithItsRows()
{
    must(tests::ensureKeys(m_store.get(), {{key(u"b"_s), Duration{1}}}, at(1)));
    const Lease b = *must(m_store->acquireLease(key(u"b"_s), u"a"_s, ttl, at(1)));
    PollCommit full = page({u"1"_s, u"2"_s});
    full.log = true;
    full.parked = {invalid("{}")};
    must(m_store->commitPoll(key(u"b"_s), b, full));
    full.scan = scan();
    full.validator = ValidatorRow{"r", "e", "", at(1)};
    (void)commit(full);
    must(m_store->parkEvent(key(), m_lease, 1, poison()));
    const AuditRow row = audit(u"remove"_s);
    must(m_store->removeKey(key(), row));
    QCOMPARE(failureOf(m_store->loadKey(key())).name, u"UnknownKey"_s);
    QCOMPARE(must(m_store->loadKeys()).size(), size_t{1});
    QCOMPARE(must(m_store->readLog({})).size(), size_t{2});
    QCOMPARE(must(m_store->readParked({})).size(), size_t{1});
    QCOMPARE(must(m_store->readAudit(std::nullopt, 9)), (std::vector<AuditRow>{row}));

    must(tests::ensureKeys(m_store.get(), {{key(), Duration{1}}}, at(1)));
    QCOMPARE(state().counts, KeyCounts{});
    QVERIFY(!stored(u"1"_s));
    QVERIFY(pending().empty());
    QVERIFY(!must(m_store->loadValidator(key(), "r")));
    QVERIFY(must(m_store->readTimeline(key(), 9)).empty());
}

void AdminContract::replayedEventsKeepTheirIdsAndGetFreshSequences()
{
    PollCommit logged = page({u"1"_s, u"2"_s, u"3"_s});
    logged.log = true;
    for (size_t index = 0; index < 3; ++index)
        logged.events.at(index).time = at(100 * static_cast<qint64>(index + 1));
    (void)commit(logged);
    must(m_store->ackEvents(key(), m_lease, {1, 2, 3}));
    QCOMPARE(must(m_store->replay(key(), at(200), at(300), audit(u"replay"_s))), 1);
    QCOMPARE(must(m_store->replay(key(), at(0), at(10'000), audit(u"replay"_s))), 3);
    const auto rows = pending();
    QCOMPARE(subjectsOf(rows), (QStringList{u"2"_s, u"1"_s, u"2"_s, u"3"_s}));
    QCOMPARE(sequencesOf(rows), (std::vector<qint64>{4, 5, 6, 7}));
    Event expected = logged.events.at(1);
    expected.lane = Lane::Replay;
    expected.sequence = 4;
    QCOMPARE(rows.front().event, expected);
    QCOMPARE(must(m_store->readLog({})).size(), size_t{3});
    QCOMPARE(state().counts.outboxPending, 4);
}

void AdminContract::auditRowsAreReadNewestFirst()
{
    for (qint64 ms = 1; ms <= 4; ++ms)
        must(m_store->pauseKey(key(), Pause::Operator, audit(u"pause"_s, ms * 1'000)));
    const auto newest = must(m_store->readAudit(std::nullopt, 2));
    QCOMPARE(newest.size(), size_t{2});
    QCOMPARE(newest.front().at, at(4'000));
    QCOMPARE(must(m_store->readAudit(at(3'000), 10)).size(), size_t{2});
}

void AdminContract::C62_theLogIsPrunedInPieces()
{
    PollCommit logged = page({u"1"_s, u"2"_s, u"3"_s, u"4"_s, u"5"_s});
    logged.log = true;
    for (size_t index = 0; index < 5; ++index)
        logged.events.at(index).time = at(100 * static_cast<qint64>(index + 1));
    (void)commit(logged);
    QCOMPARE(must(m_store->pruneLog(u"other"_s, at(9'999), 10)), 0);
    QCOMPARE(must(m_store->pruneLog(u"orders"_s, at(400), 2)), 2);
    QCOMPARE(must(m_store->pruneLog(u"orders"_s, at(400), 2)), 1);
    QCOMPARE(must(m_store->pruneLog(u"orders"_s, at(400), 2)), 0);
    const auto left = must(m_store->readLog({}));
    QCOMPARE(left.size(), size_t{2});
    QCOMPARE(left.front().event.subject, u"4"_s);
    // Pruning is not delivering.
    QCOMPARE(pending().size(), size_t{5});
}

static BudgetRequest asked(const QString &budget, qint64 requests, Duration per, qint64 cost, qint64 ms)
{
    return {.budget = budget, .windows = {{requests, per}}, .cost = cost, .now = at(ms)};
}

void AdminContract::C63_noWindowEverHoldsMoreThanTheBudget()
{
    std::deque<qint64> granted;
    qint64 now = 0;
    while (granted.size() < 300) {
        const BudgetAnswer answer = must(m_store->takeBudget(asked(u"api"_s, 100, Duration{60'000}, 1, now)));
        if (answer.granted) {
            granted.push_back(now);
            now += 137;
        } else {
            QVERIFY(answer.tryAgainAt > at(now));
            now = toEpochMs(answer.tryAgainAt);
        }
    }
    for (size_t index = 100; index < granted.size(); ++index)
        QVERIFY(granted.at(index) - granted.at(index - 100) >= 60'000);
    // It is not stricter than it must be either.
    QCOMPARE(granted.at(100), qint64{60'000});
}

void AdminContract::aBudgetSaysWhenToTryAgain()
{
    const auto take = [&](int cost, qint64 ms) {
        return must(m_store->takeBudget(asked(u"api"_s, 10, Duration{1'000}, cost, ms)));
    };
    QVERIFY(take(4, 100).granted);
    QVERIFY(take(4, 300).granted);
    QVERIFY(take(2, 300).granted);
    BudgetAnswer refused = take(5, 400);
    QVERIFY(!refused.granted);
    QCOMPARE(refused.tryAgainAt, at(1'300));
    refused = take(1, 400);
    QCOMPARE(refused.tryAgainAt, at(1'100));
    QVERIFY(!take(1, 1'099).granted);
    QVERIFY(take(4, 1'100).granted);
    QVERIFY(!take(1, 1'100).granted);
}

void AdminContract::everyWindowOfABudgetMustHaveRoom()
{
    const auto take = [&](qint64 ms) {
        BudgetRequest request = asked(u"api"_s, 4, Duration{1'000}, 1, ms);
        request.windows.push_back({2, Duration{100}});
        return must(m_store->takeBudget(request));
    };
    QVERIFY(take(0).granted);
    QVERIFY(take(10).granted);
    QCOMPARE(take(20).tryAgainAt, at(100));
    QVERIFY(take(100).granted);
    QVERIFY(take(110).granted);
    QCOMPARE(take(120).tryAgainAt, at(1'000));
    const auto uses = must(m_store->readBudget(u"api"_s, at(10)));
    QCOMPARE(uses.size(), size_t(2));
    QCOMPARE(uses.front(), (budget::Use{at(100).time_since_epoch(), 1}));
}

void AdminContract::aUseThatIsReplacedIsTakenBack()
{
    const BudgetAnswer first = must(m_store->takeBudget(asked(u"api"_s, 1, Duration{1'000}, 1, 0)));
    QVERIFY(first.granted);
    BudgetRequest again = asked(u"api"_s, 1, Duration{1'000}, 1, 500);
    again.replaces = first.use;
    const BudgetAnswer second = must(m_store->takeBudget(again));
    QVERIFY(second.granted);
    QVERIFY(second.use != first.use);
    QCOMPARE(must(m_store->takeBudget(asked(u"api"_s, 1, Duration{1'000}, 1, 1'200))).tryAgainAt, at(1'500));
}

void AdminContract::aUseThatCameLaterCountsFromThen()
{
    const BudgetAnswer first = must(m_store->takeBudget(asked(u"api"_s, 1, Duration{1'000}, 1, 100)));
    must(m_store->moveBudgetUse(u"api"_s, first.use, Duration{300}));
    must(m_store->moveBudgetUse(u"api"_s, first.use + 7, Duration{900}));
    QCOMPARE(must(m_store->takeBudget(asked(u"api"_s, 1, Duration{1'000}, 1, 1'200))).tryAgainAt, at(1'400));
    QCOMPARE(must(m_store->readBudget(u"api"_s, at(0))).size(), size_t{1});
}

void AdminContract::budgetsDoNotMix()
{
    QVERIFY(must(m_store->takeBudget(asked(u"a"_s, 1, Duration{1'000}, 1, 1))).granted);
    QVERIFY(must(m_store->takeBudget(asked(u"b"_s, 1, Duration{1'000}, 1, 1))).granted);
    QVERIFY(!must(m_store->takeBudget(asked(u"a"_s, 1, Duration{1'000}, 1, 2))).granted);
}

void AdminContract::anEmptyBudgetIsAnError()
{
    QCOMPARE(failureOf(m_store->takeBudget(asked(u"a"_s, 0, Duration{1'000}, 1, 1))).name, u"EmptyBudget"_s);
}

std::unique_ptr<Contract> makeAdminContract(StoreFactory factory)
{
    return std::make_unique<AdminContract>(std::move(factory));
}

} // namespace watukuy::contract

#include "admincontract.moc"
