// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/store/contract.h"
#include "tests/support/makekeys.h"

using namespace Qt::StringLiterals;

namespace watukuy::contract {

/// The commit of a page (promise G4) and the schedule.
class PollContract final : public Contract {
    Q_OBJECT
public:
    using Contract::Contract;

private Q_SLOTS:
    void aPageStoresEverythingItCarries();
    void rowsComeBackAsTheyWere();
    void manyRowsAreFoundAtOnce();
    void rawTextIsKeptByteForByte();
    void sequencesGoOnWhateverTheCallerWrote();
    void everyLaneHasItsOwnCursorAndScan();
    void aScanGetsANewIdAndKeepsIt();
    void aTombstoneThatIsListedAgainLives();
    void countsFollowTheRows();
    void C56_aValidatorIsSavedWithItsPageAndReplaced();
    void theLogIsReadInSlices();
    void theLogIsReadByTimeAndPartition();
    void theScheduleIsSavedWhole();
    void savingTheScheduleLeavesAPauseAlone();
    void aTriggerIsAnsweredOnlyUpToItsTime();
    void theTimelineKeepsTheNewestFiveHundred();
    void liveItemsAreReadByIdentity();
    void aFinishedBackfillIsForgotten();
};

void PollContract::aPageStoresEverythingItCarries()
{
    PollCommit full = page({u"1"_s, u"2"_s});
    full.log = true;
    full.parked = {invalid("{\"id\":null}")};
    full.validator = ValidatorRow{"request", "W/\"abc\"", "Wed, 21 Oct 2015 07:28:00 GMT", at(2'000)};
    full.schemaVersion = 3;
    const CommitReceipt receipt = commit(full);
    QVERIFY(!receipt.scanId);
    QCOMPARE(receipt.lastSequence, 2);

    const KeyState after = state();
    QCOMPARE(after.liveCursor, full.cursor);
    QCOMPARE(after.lastSequence, 2);
    QCOMPARE(after.schemaVersion, 3);
    QCOMPARE(after.updatedAt, full.now);
    QCOMPARE(after.counts, (KeyCounts{2, 2, 1, 0}));
    QCOMPARE(after.oldestPendingAt, std::optional(at(1'000)));
    QVERIFY(!after.nextDeliveryAt);
    QCOMPARE(subjectsOf(pending()), (QStringList{u"1"_s, u"2"_s}));
    QCOMPARE(must(m_store->readLog({})).size(), size_t{2});
    QCOMPARE(must(m_store->readParked({})).size(), size_t{1});
    QCOMPARE(must(m_store->loadValidator(key(), "request")), full.validator);
}

void PollContract::rowsComeBackAsTheyWere()
{
    ItemRow bare = item(u"ünï\u4e00"_s, 7);
    bare.version.reset();
    bare.payload.reset();
    bare.hash.clear();
    bare.schemaVersion = 4;
    ItemRow emptyVersion = item(u"2"_s);
    emptyVersion.version = u""_s;
    PollCommit some = page({});
    some.upserts = {item(u"1"_s), emptyVersion, bare};
    (void)commit(some);
    const auto found =
        must(m_store->loadVersions(key(), {bare.identity, u"none"_s, u"1"_s, u"2"_s}, std::nullopt));
    QCOMPARE(found.size(), size_t{3});
    QSet<qint64> handles;
    for (const StoredItem &each : found)
        handles.insert(each.handle);
    QCOMPARE(handles.size(), 3);
    QCOMPARE(stored(bare.identity)->row, bare);
    QCOMPARE(stored(u"1"_s)->row, item(u"1"_s));
    QCOMPARE(stored(u"2"_s)->row, emptyVersion);
    QVERIFY(stored(u"2"_s)->row.version.has_value());
    QVERIFY(must(m_store->loadVersions(key(), {}, std::nullopt)).empty());
}

void PollContract::manyRowsAreFoundAtOnce()
{
    QStringList subjects;
    for (int number = 0; number < 250; ++number)
        subjects.append(QString::number(number));
    (void)commit(page(subjects));
    std::vector<QString> asked;
    for (int number = 0; number < 500; ++number)
        asked.push_back(QString::number(number));
    const auto found = must(m_store->loadVersions(key(), asked, std::nullopt));
    QSet<QString> identities;
    for (const StoredItem &each : found)
        identities.insert(each.row.identity);
    QCOMPARE(found.size(), size_t{250});
    QCOMPARE(identities, QSet<QString>(subjects.begin(), subjects.end()));
}

void PollContract::rawTextIsKeptByteForByte()
{
    Event odd = newEvent(u"x"_s);
    odd.data = "{ \"n\" : 9007199254740993,\t\"d\":1.10,\"s\":\"\\ud83d\\ude00 \xf0\x9f\x98\x80\" }";
    odd.previous = "{\"n\":1e400}";
    odd.orderingKey = u"customer-9"_s;
    odd.lane = Lane::Reconcile;
    odd.type = EventType::Updated;
    PollCommit some = page({});
    some.events = {odd, newEvent(u"y"_s, EventType::Deleted)};
    some.events.back().data.clear();
    some.events.back().cursor.clear();
    some.log = true;
    (void)commit(some);
    odd.sequence = 1;
    const auto rows = pending();
    QCOMPARE(rows.size(), size_t{2});
    QCOMPARE(rows.at(0).event, odd);
    QVERIFY(rows.at(1).event.data.isEmpty() && rows.at(1).event.cursor.isEmpty() &&
            !rows.at(1).event.previous);
    QCOMPARE(must(m_store->readLog({})).at(0).event, odd);
}

void PollContract::sequencesGoOnWhateverTheCallerWrote()
{
    PollCommit first = page({u"1"_s, u"2"_s});
    first.events.at(0).sequence = 500;
    QCOMPARE(commit(first).lastSequence, 2);
    QCOMPARE(commit(page({u"3"_s})).lastSequence, 3);
    QCOMPARE(sequencesOf(pending()), (std::vector<qint64>{1, 2, 3}));
    must(m_store->ackEvents(key(), m_lease, {1, 2, 3}));
    QCOMPARE(commit(page({u"4"_s})).lastSequence, 4);
}

void PollContract::everyLaneHasItsOwnCursorAndScan()
{
    PollCommit live = page({});
    live.cursor.json = "{\"live\":1}";
    PollCommit backfill = page({});
    backfill.lane = Lane::Backfill;
    backfill.cursor.json = "{\"backfill\":1}";
    backfill.scan = scan();
    PollCommit reconcile = page({});
    reconcile.lane = Lane::Reconcile;
    reconcile.scan = scan();
    (void)commit(live);
    const auto backfillId = commit(backfill).scanId;
    const auto reconcileId = commit(reconcile).scanId;
    QVERIFY(backfillId && reconcileId && *backfillId != *reconcileId);
    const KeyState after = state();
    QCOMPARE(after.liveCursor, live.cursor);
    QCOMPARE(after.backfillCursor, backfill.cursor);
    QVERIFY(!after.liveScan);
    QCOMPARE(after.backfillScan, std::optional(scan(*backfillId)));
    QCOMPARE(after.reconcileScan, std::optional(scan(*reconcileId)));
}

void PollContract::aScanGetsANewIdAndKeepsIt()
{
    PollCommit begin = page({});
    begin.scan = scan();
    begin.scan->total.reset();
    const qint64 id = *commit(begin).scanId;
    QVERIFY(id > 0);
    PollCommit next = begin;
    next.scan->id = id;
    next.scan->pages = 3;
    QCOMPARE(commit(next).scanId, std::optional(id));
    QCOMPARE(state().liveScan, next.scan);
    (void)commit(page({}));
    QVERIFY(!state().liveScan);
    QVERIFY(*commit(begin).scanId > id);
}

void PollContract::aTombstoneThatIsListedAgainLives()
{
    (void)commit(page({u"1"_s}));
    PollCommit deleted = page({});
    deleted.upserts = {deletionOf(item(u"1"_s)).first};
    (void)commit(deleted);
    QCOMPARE(state().counts.items, 0);
    QVERIFY(stored(u"1"_s)->row.tombstone);
    const qint64 handle = stored(u"1"_s)->handle;
    PollCommit again = page({});
    again.upserts = {item(u"1"_s, 3)};
    (void)commit(again);
    QCOMPARE(state().counts.items, 1);
    QCOMPARE(stored(u"1"_s)->row, item(u"1"_s, 3));
    QCOMPARE(stored(u"1"_s)->handle, handle);
}

void PollContract::countsFollowTheRows()
{
    (void)commit(page({u"1"_s, u"2"_s, u"3"_s}));
    PollCommit update = page({});
    update.upserts = {item(u"1"_s, 2)};
    (void)commit(update);
    QCOMPARE(state().counts, (KeyCounts{3, 3, 0, 0}));
    must(m_store->ackEvents(key(), m_lease, {2, 2, 77}));
    QCOMPARE(state().counts, (KeyCounts{3, 2, 0, 0}));
    must(m_store->parkEvent(key(), m_lease, 1, poison()));
    QCOMPARE(state().counts, (KeyCounts{3, 1, 1, 0}));
}

void PollContract::C56_aValidatorIsSavedWithItsPageAndReplaced()
{
    QVERIFY(!must(m_store->loadValidator(key(), "r")));
    PollCommit first = page({});
    first.validator = ValidatorRow{"r", "\"1\"", "", at(1)};
    (void)commit(first);
    PollCommit second = page({});
    second.validator = ValidatorRow{"r", "\"2\"", "x", at(2)};
    (void)commit(second);
    QCOMPARE(must(m_store->loadValidator(key(), "r")), second.validator);
    QVERIFY(!must(m_store->loadValidator(key(), "other")));
}

void PollContract::theLogIsReadInSlices()
{
    PollCommit logged = page({u"1"_s, u"2"_s, u"3"_s});
    logged.log = true;
    (void)commit(logged);
    (void)commit(page({u"unlogged"_s}));
    (void)commit(logged);
    QStringList subjects;
    LogQuery query;
    query.limit = 2;
    for (auto slice = must(m_store->readLog(query)); !slice.empty(); slice = must(m_store->readLog(query))) {
        QVERIFY(slice.size() <= 2);
        for (const LoggedEvent &entry : slice) {
            QVERIFY(entry.position > query.after);
            query.after = entry.position;
            subjects.append(entry.event.subject);
        }
    }
    QCOMPARE(subjects, (QStringList{u"1"_s, u"2"_s, u"3"_s, u"1"_s, u"2"_s, u"3"_s}));
}

void PollContract::theLogIsReadByTimeAndPartition()
{
    must(tests::ensureKeys(m_store.get(), {{key(u"b"_s), Duration{1}}, {{u"other"_s, u""_s}, Duration{1}}},
                           at(1)));
    const Lease b = *must(m_store->acquireLease(key(u"b"_s), u"a"_s, ttl, at(1)));
    PollCommit logged = page({u"1"_s, u"2"_s, u"3"_s});
    logged.log = true;
    for (size_t index = 0; index < 3; ++index)
        logged.events.at(index).time = at(100 * static_cast<qint64>(index + 1));
    (void)commit(logged);
    PollCommit inB = logged;
    for (Event &each : inB.events)
        each.key = key(u"b"_s);
    must(m_store->commitPoll(key(u"b"_s), b, inB));

    const auto read = [&](LogQuery query) {
        QStringList names;
        for (const LoggedEvent &entry : must(m_store->readLog(query)))
            names.append(entry.event.key.toString() + u':' + entry.event.subject);
        return names;
    };
    LogQuery query;
    QCOMPARE(read(query).size(), 6);
    query.poller = u"other"_s;
    QVERIFY(read(query).isEmpty());
    query.poller = u"orders"_s;
    query.partition = u"b"_s;
    query.from = at(200);
    QCOMPARE(read(query), (QStringList{u"orders/b:2"_s, u"orders/b:3"_s}));
    query.to = at(300);
    QCOMPARE(read(query), (QStringList{u"orders/b:2"_s}));
    query.partition = u""_s;
    QCOMPARE(read(query), (QStringList{u"orders:2"_s}));
}

void PollContract::theScheduleIsSavedWhole()
{
    SchedulePatch patch;
    ScheduleState &schedule = patch.schedule;
    schedule.nextDueAt = at(77'000);
    schedule.interval = Duration{15'000};
    schedule.consecutiveFailures = 4;
    schedule.circuit = Circuit::HalfOpen;
    schedule.circuitOpenedAt = at(70'000);
    schedule.throttledUntil = at(80'000);
    schedule.rateLimit = RateLimit{u"ietf"_s, 100, 9007199254740993, at(90'000), u"100;w=60"_s};
    schedule.lastPollAt = at(60'000);
    schedule.lastSuccessAt = at(50'000);
    schedule.lastPoll =
        PollSummary{Lane::Reconcile, at(1), Duration{12}, 3, 400, {1, 2, 3}, true, true, Verdict::Suspect};
    schedule.lastError = Error{ErrorKind::Http, u"HttpStatusError"_s, u"500"_s, u"at “x”"_s, u"wait"_s, true};
    schedule.reason = ScheduleReason::ProbeFailed;
    patch.reconcileSchedule = {at(5), 2, schedule.lastError, at(4)};
    patch.backfillSchedule = {std::nullopt, 1, std::nullopt, std::nullopt};
    patch.timeline = {
        {at(9), VisibleState::Idle, VisibleState::CircuitOpen, u"circuit-open"_s, u"five"_s, Duration{3}}};
    patch.now = at(78'000);
    (void)commit(page({}));
    const LaneCursor cursor = state().liveCursor;
    must(m_store->saveState(key(), m_lease, patch));
    const KeyState after = state();
    QCOMPARE(after.schedule, patch.schedule);
    QCOMPARE(after.reconcileSchedule, patch.reconcileSchedule);
    QCOMPARE(after.backfillSchedule, patch.backfillSchedule);
    QCOMPARE(after.updatedAt, patch.now);
    QCOMPARE(after.liveCursor, cursor);
    QCOMPARE(must(m_store->readTimeline(key(), 10)), patch.timeline);

    patch.schedule = {};
    patch.timeline.clear();
    must(m_store->saveState(key(), m_lease, patch));
    QCOMPARE(state().schedule, ScheduleState{});
}

void PollContract::savingTheScheduleLeavesAPauseAlone()
{
    must(m_store->pauseKey(key(), Pause::Operator, audit(u"pause"_s)));
    must(m_store->saveState(key(), m_lease, {}));
    QCOMPARE(state().pause, Pause::Operator);
    QCOMPARE(state().pauseReason, u"because"_s);
}

void PollContract::aTriggerIsAnsweredOnlyUpToItsTime()
{
    must(m_store->triggerKey(key(), {}, audit(u"trigger"_s, 5'000)));
    SchedulePatch patch;
    must(m_store->saveState(key(), m_lease, patch));
    QCOMPARE(state().triggeredAt, std::optional(at(5'000)));
    patch.answeredTrigger = at(4'999);
    must(m_store->saveState(key(), m_lease, patch));
    QCOMPARE(state().triggeredAt, std::optional(at(5'000)));
    patch.answeredTrigger = at(5'000);
    must(m_store->saveState(key(), m_lease, patch));
    QVERIFY(!state().triggeredAt);
}

void PollContract::theTimelineKeepsTheNewestFiveHundred()
{
    SchedulePatch patch;
    for (int line = 0; line < 300; ++line)
        patch.timeline.push_back(
            {at(line), VisibleState::Idle, VisibleState::Polling, u"fixed"_s, {}, Duration{0}});
    must(m_store->saveState(key(), m_lease, patch));
    for (TimelineEntry &entry : patch.timeline)
        entry.at += Duration{300};
    must(m_store->saveState(key(), m_lease, patch));
    const auto lines = must(m_store->readTimeline(key(), 10'000));
    QCOMPARE(lines.size(), size_t{500});
    QCOMPARE(lines.front().at, at(599));
    QCOMPARE(lines.back().at, at(100));
    QCOMPARE(must(m_store->readTimeline(key(), 2)).size(), size_t{2});
}

void PollContract::liveItemsAreReadByIdentity()
{
    PollCommit some = page({u"c"_s, u"a"_s, u"b"_s, u"d"_s});
    some.upserts.back().tombstone = true;
    (void)commit(some);
    const auto first = must(m_store->readItems(key(), {}, 2));
    QCOMPARE(first, (std::vector<ItemRow>{item(u"a"_s), item(u"b"_s)}));
    QCOMPARE(must(m_store->readItems(key(), u"b"_s, 9)), (std::vector<ItemRow>{item(u"c"_s)}));
}

void PollContract::aFinishedBackfillIsForgotten()
{
    must(m_store->startBackfill(key(), {{"{}"}, {"{\"to\":1}"}, true, at(5)}, audit()));
    m_lease = *must(m_store->acquireLease(key(), u"a"_s, ttl, at(1'000)));
    PollCommit last = page({});
    last.lane = Lane::Backfill;
    (void)commit(last);
    QVERIFY(state().backfill);
    last.backfillDone = true;
    (void)commit(last);
    QVERIFY(!state().backfill);
}

std::unique_ptr<Contract> makePollContract(StoreFactory factory)
{
    return std::make_unique<PollContract>(std::move(factory));
}

} // namespace watukuy::contract

#include "pollcontract.moc"
