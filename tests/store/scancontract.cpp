// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/store/contract.h"

using namespace Qt::StringLiterals;

namespace watukuy::contract {

/// Full scans: what was listed, what is missing, and what becomes of it.
class ScanContract final : public Contract {
    Q_OBJECT
public:
    using Contract::Contract;

private:
    /// Stores rows a, b, c, d without a scan, and nothing pending.
    void storeFour();
    /// Begins a scan that lists `subjects`, which are stored already.
    qint64 list(const QStringList &subjects, Lane lane = Lane::Live);
    [[nodiscard]] ScanCompletion completion(qint64 scanId, ScanCompletion::Deletes deletes) const;
    ScanOutcome complete(qint64 scanId, ScanCompletion::Deletes deletes);
    [[nodiscard]] QStringList held();

private Q_SLOTS:
    void rowsSeenInAScanAreKnown();
    void upsertedRowsAreMarkedOnlyWhenAsked();
    void missingRowsAreCounted();
    void anEndedScanHasNoMarks();
    void aNewScanForgetsTheMarksOfTheOldOne();
    void aListingThatConfirmsAnotherKeepsItsMarks();
    void whatAnotherLaneFoundMeanwhileIsNotMissing();
    void whateverEndsAConfirmingListingForgetsBoth_data();
    void whateverEndsAConfirmingListingForgetsBoth();
    void scansOfTwoLanesDoNotMix();
    void deletesAreEmittedWithTheirTombstones();
    void aVerdictWithoutDeletesOnlyClosesTheScan();
    void C44_deletesAreHeldAndNotHeldTwice();
    void aScanThatIsNotOpenDeletesNothing();
    void aHeldItemThatIsListedAgainLeavesTheHold();
    void aHeldItemThatComesBackAsAnUpsertLeavesTheHold();
    void aDiscardedHoldStaysAwayUntilListedOnceMore();
    void aHeldDeleteWaitsForAnOperatorWhateverLaterScansSay();
    void anApprovedHoldBecomesADelete();
    void heldRowsAreFiltered();
    void tombstonesArePrunedInPieces();
    void aScanOfTwentyThousandRows();
};

void ScanContract::storeFour()
{
    const CommitReceipt receipt = commit(page({u"a"_s, u"b"_s, u"c"_s, u"d"_s}));
    std::vector<qint64> all;
    for (qint64 sequence = 1; sequence <= receipt.lastSequence; ++sequence)
        all.push_back(sequence);
    must(m_store->ackEvents(key(), m_lease, all));
}

qint64 ScanContract::list(const QStringList &subjects, Lane lane)
{
    PollCommit listing = page({});
    listing.lane = lane;
    listing.scan = scan();
    for (const QString &subject : subjects)
        listing.seen.push_back(stored(subject)->handle);
    return commit(listing).scanId.value_or(0);
}

ScanCompletion ScanContract::completion(qint64 scanId, ScanCompletion::Deletes deletes) const
{
    ScanCompletion last;
    last.scanId = scanId;
    last.deletes = deletes;
    last.holdReason = u"60 % would go"_s;
    last.makeDeletion = deletionOf;
    last.cursor.json = "{\"done\":true}";
    last.log = true;
    last.now = at(6'000);
    return last;
}

ScanOutcome ScanContract::complete(qint64 scanId, ScanCompletion::Deletes deletes)
{
    return must(m_store->completeScan(key(), m_lease, completion(scanId, deletes)));
}

QStringList ScanContract::held()
{
    QStringList identities;
    for (const HeldRow &row : must(m_store->readHeld({})))
        identities.append(row.identity);
    return identities;
}

void ScanContract::rowsSeenInAScanAreKnown()
{
    storeFour();
    const qint64 id = list({u"b"_s});
    QVERIFY(!stored(u"a"_s, id)->seenInScan);
    QVERIFY(stored(u"b"_s, id)->seenInScan);
    QVERIFY(!stored(u"b"_s)->seenInScan);
    QVERIFY(!stored(u"b"_s, id + 1)->seenInScan);
}

void ScanContract::upsertedRowsAreMarkedOnlyWhenAsked()
{
    PollCommit unmarked = page({u"a"_s});
    unmarked.scan = scan();
    const qint64 id = *commit(unmarked).scanId;
    PollCommit marked = page({u"b"_s});
    marked.scan = scan(id);
    marked.markSeen = true;
    (void)commit(marked);
    QVERIFY(!stored(u"a"_s, id)->seenInScan);
    QVERIFY(stored(u"b"_s, id)->seenInScan);
}

void ScanContract::missingRowsAreCounted()
{
    storeFour();
    const qint64 id = list({u"b"_s, u"d"_s});
    const MissingCount count = must(m_store->countMissing(key(), id, {}));
    QCOMPARE(count.stored, 4);
    QCOMPARE(count.missing, 2);
    QCOMPARE(failureOf(m_store->countMissing(key(), id + 5, {})).name, u"UnknownScan"_s);
}

void ScanContract::anEndedScanHasNoMarks()
{
    storeFour();
    const qint64 id = list({u"a"_s});
    (void)commit(page({}));
    QVERIFY(!stored(u"a"_s, id)->seenInScan);
    QCOMPARE(failureOf(m_store->countMissing(key(), id, {})).name, u"UnknownScan"_s);
}

void ScanContract::aNewScanForgetsTheMarksOfTheOldOne()
{
    storeFour();
    const qint64 first = list({u"a"_s, u"b"_s});
    const qint64 second = list({u"c"_s});
    QVERIFY(second != first);
    QVERIFY(!stored(u"a"_s, first)->seenInScan);
    QCOMPARE(must(m_store->countMissing(key(), second, {})).missing, 3);
}

void ScanContract::aListingThatConfirmsAnotherKeepsItsMarks()
{
    storeFour();
    const qint64 first = list({u"a"_s, u"b"_s});
    ScanCompletion doubtful = completion(first, ScanCompletion::Deletes::None);
    doubtful.next = scan();
    doubtful.next->confirms = first;
    const qint64 second = must(m_store->completeScan(key(), m_lease, doubtful)).nextScanId;
    QVERIFY(second != first);
    QCOMPARE(state().liveScan->id, second);
    QCOMPARE(state().liveScan->confirms, first);
    QVERIFY(!stored(u"a"_s, second)->seenInScan);

    PollCommit listed = page({});
    listed.scan = state().liveScan;
    listed.seen = {stored(u"c"_s)->handle};
    (void)commit(listed);
    QCOMPARE(must(m_store->countMissing(key(), second, {})).missing, 3);
    const ListingBefore before{first, at(1'500)};
    QCOMPARE(must(m_store->countMissing(key(), second, before)).missing, 1);
    ScanCompletion last = completion(second, ScanCompletion::Deletes::Emit);
    last.before = before;
    QCOMPARE(must(m_store->completeScan(key(), m_lease, last)).deleted, 1);
    QVERIFY(!state().liveScan);
    QVERIFY(!stored(u"a"_s, first)->seenInScan); // nothing is left of either
    QVERIFY(!stored(u"c"_s, second)->seenInScan);
}

void ScanContract::whatAnotherLaneFoundMeanwhileIsNotMissing()
{
    storeFour();
    const qint64 first = list({u"a"_s}, Lane::Reconcile);
    ScanCompletion doubtful = completion(first, ScanCompletion::Deletes::None);
    doubtful.lane = Lane::Reconcile;
    doubtful.next = scan();
    doubtful.next->confirms = first;
    const qint64 second = must(m_store->completeScan(key(), m_lease, doubtful)).nextScanId;
    PollCommit live = page({u"e"_s});
    live.upserts.push_back(item(u"d"_s, 2));
    for (ItemRow &row : live.upserts)
        row.seenAt = at(3'000);
    (void)commit(live);

    const ListingBefore before{first, at(3'000)};
    QCOMPARE(must(m_store->countMissing(key(), second, {})).missing, 5);
    QCOMPARE(must(m_store->countMissing(key(), second, before)).missing, 2);
    QCOMPARE(must(m_store->countMissing(key(), second, ListingBefore{first, at(3'001)})).missing, 4);
    ScanCompletion last = completion(second, ScanCompletion::Deletes::Emit);
    last.lane = Lane::Reconcile;
    last.before = before;
    QCOMPARE(must(m_store->completeScan(key(), m_lease, last)).deleted, 2);
    QVERIFY(stored(u"b"_s)->row.tombstone);
    QVERIFY(stored(u"c"_s)->row.tombstone);
    QVERIFY(!stored(u"d"_s)->row.tombstone);
}

void ScanContract::whateverEndsAConfirmingListingForgetsBoth_data()
{
    QTest::addColumn<bool>("byReset");
    QTest::newRow("the cursor is reset") << true;
    QTest::newRow("a new scan begins") << false;
}

void ScanContract::whateverEndsAConfirmingListingForgetsBoth()
{
    QFETCH(bool, byReset);
    storeFour();
    const qint64 first = list({u"a"_s, u"b"_s});
    ScanCompletion doubtful = completion(first, ScanCompletion::Deletes::None);
    doubtful.next = scan();
    doubtful.next->confirms = first;
    const qint64 second = must(m_store->completeScan(key(), m_lease, doubtful)).nextScanId;
    PollCommit listed = page({});
    listed.scan = state().liveScan;
    listed.seen = {stored(u"c"_s)->handle};
    (void)commit(listed);
    QVERIFY(stored(u"a"_s, first)->seenInScan);
    QVERIFY(stored(u"c"_s, second)->seenInScan);

    if (byReset) {
        must(m_store->resetCursor(key(), {}, false, {}, audit()));
    } else {
        PollCommit fresh = page({});
        fresh.scan = scan();
        (void)commit(fresh);
    }
    QVERIFY(!stored(u"a"_s, first)->seenInScan);
    QVERIFY(!stored(u"c"_s, second)->seenInScan);
}

void ScanContract::scansOfTwoLanesDoNotMix()
{
    storeFour();
    const qint64 live = list({u"a"_s}, Lane::Live);
    const qint64 reconcile = list({u"b"_s, u"c"_s, u"d"_s}, Lane::Reconcile);
    QCOMPARE(must(m_store->countMissing(key(), live, {})).missing, 3);
    QCOMPARE(must(m_store->countMissing(key(), reconcile, {})).missing, 1);
    ScanCompletion last = completion(reconcile, ScanCompletion::Deletes::Emit);
    last.lane = Lane::Reconcile;
    QCOMPARE(must(m_store->completeScan(key(), m_lease, last)).deleted, 1);
    QCOMPARE(must(m_store->countMissing(key(), live, {})).missing, 3);
    QVERIFY(!state().reconcileScan);
    QVERIFY(state().liveScan);
}

void ScanContract::deletesAreEmittedWithTheirTombstones()
{
    storeFour();
    const ScanOutcome outcome = complete(list({u"b"_s, u"d"_s}), ScanCompletion::Deletes::Emit);
    QCOMPARE(outcome.deleted, 2);
    QCOMPARE(outcome.held, 0);
    QCOMPARE(subjectsOf(pending()), (QStringList{u"a"_s, u"c"_s}));
    QCOMPARE(sequencesOf(pending()), (std::vector<qint64>{5, 6}));
    QCOMPARE(must(m_store->readLog({})).size(), size_t{2});
    QCOMPARE(stored(u"a"_s)->row, deletionOf(item(u"a"_s)).first);
    QVERIFY(!stored(u"b"_s)->row.tombstone);
    const KeyState after = state();
    QCOMPARE(after.counts, (KeyCounts{2, 2, 0, 0}));
    QCOMPARE(after.liveCursor.json, QByteArray("{\"done\":true}"));
    QVERIFY(!after.liveScan);

    const ScanOutcome again = complete(list({u"b"_s, u"d"_s}), ScanCompletion::Deletes::Emit);
    QCOMPARE(again.deleted, 0);
}

void ScanContract::aVerdictWithoutDeletesOnlyClosesTheScan()
{
    storeFour();
    const qint64 id = list({u"b"_s});
    const ScanOutcome outcome = complete(id, ScanCompletion::Deletes::None);
    QCOMPARE(outcome.deleted + outcome.held, 0);
    QVERIFY(!state().liveScan);
    QCOMPARE(state().counts, (KeyCounts{4, 0, 0, 0}));
    QVERIFY(!stored(u"b"_s, id)->seenInScan);
}

void ScanContract::C44_deletesAreHeldAndNotHeldTwice()
{
    storeFour();
    QCOMPARE(complete(list({u"b"_s}), ScanCompletion::Deletes::Hold).held, 3);
    QCOMPARE(held(), (QStringList{u"a"_s, u"c"_s, u"d"_s}));
    const auto rows = must(m_store->readHeld({}));
    QCOMPARE(rows.front().key, key());
    QVERIFY(rows.front().type == EventType::Deleted);
    QCOMPARE(rows.front().reason, u"60 % would go"_s);
    QCOMPARE(rows.front().heldAt, at(6'000));
    QCOMPARE(state().counts, (KeyCounts{4, 0, 0, 3}));
    QVERIFY(pending().empty());
    QCOMPARE(complete(list({u"b"_s}), ScanCompletion::Deletes::Hold).held, 0);
    QCOMPARE(state().counts.held, 3);
}

void ScanContract::aScanThatIsNotOpenDeletesNothing()
{
    storeFour();
    const qint64 id = list({u"a"_s, u"b"_s, u"c"_s, u"d"_s});
    (void)complete(id, ScanCompletion::Deletes::None);
    const Error error =
        failureOf(m_store->completeScan(key(), m_lease, completion(id, ScanCompletion::Deletes::Emit)));
    QCOMPARE(error.name, u"UnknownScan"_s);
    QCOMPARE(state().counts.items, 4);
}

void ScanContract::aHeldItemThatIsListedAgainLeavesTheHold()
{
    storeFour();
    (void)complete(list({u"b"_s}), ScanCompletion::Deletes::Hold);
    (void)list({u"a"_s, u"b"_s});
    QCOMPARE(held(), (QStringList{u"c"_s, u"d"_s}));
    QCOMPARE(state().counts.held, 2);
}

void ScanContract::aHeldItemThatComesBackAsAnUpsertLeavesTheHold()
{
    storeFour();
    (void)complete(list({u"b"_s}), ScanCompletion::Deletes::Hold);
    PollCommit changed = page({});
    changed.upserts = {item(u"c"_s, 2)};
    (void)commit(changed);
    QCOMPARE(held(), (QStringList{u"a"_s, u"d"_s}));
    QCOMPARE(state().counts.held, 2);
}

void ScanContract::aDiscardedHoldStaysAwayUntilListedOnceMore()
{
    storeFour();
    (void)complete(list({u"b"_s}), ScanCompletion::Deletes::Hold);
    QCOMPARE(must(m_store->discardHeld({}, audit(u"held discard"_s))).done, 3);
    QVERIFY(held().isEmpty());
    QCOMPARE(state().counts, (KeyCounts{4, 0, 0, 0}));

    qint64 id = list({u"b"_s});
    QCOMPARE(must(m_store->countMissing(key(), id, {})).missing, 0);
    QCOMPARE(complete(id, ScanCompletion::Deletes::Hold).held, 0);
    QCOMPARE(complete(list({u"b"_s}), ScanCompletion::Deletes::Emit).deleted, 0);

    (void)complete(list({u"a"_s, u"b"_s}), ScanCompletion::Deletes::None);
    id = list({u"b"_s});
    QCOMPARE(must(m_store->countMissing(key(), id, {})).missing, 1);
    QCOMPARE(complete(id, ScanCompletion::Deletes::Hold).held, 1);
    QCOMPARE(held(), (QStringList{u"a"_s}));
}

void ScanContract::aHeldDeleteWaitsForAnOperatorWhateverLaterScansSay()
{
    storeFour();
    (void)complete(list({u"b"_s, u"d"_s}), ScanCompletion::Deletes::Hold);
    QCOMPARE(complete(list({u"b"_s}), ScanCompletion::Deletes::Emit).deleted, 1);
    QCOMPARE(held(), (QStringList{u"a"_s, u"c"_s}));
    QCOMPARE(state().counts, (KeyCounts{3, 1, 0, 2}));
}

void ScanContract::anApprovedHoldBecomesADelete()
{
    storeFour();
    (void)complete(list({u"b"_s}), ScanCompletion::Deletes::Hold);
    HeldFilter two;
    const auto rows = must(m_store->readHeld({}));
    two.ids = {rows.at(0).id, rows.at(2).id, 9'999};
    const BulkOutcome outcome = must(m_store->approveHeld(two, deletionOf, true, audit(u"held approve"_s)));
    QCOMPARE(outcome.done, 2);
    QCOMPARE(outcome.skipped, 0);
    QCOMPARE(held(), (QStringList{u"c"_s}));
    QCOMPARE(subjectsOf(pending()), (QStringList{u"a"_s, u"d"_s}));
    QCOMPARE(must(m_store->readLog({})).size(), size_t{2});
    QVERIFY(stored(u"a"_s)->row.tombstone);
    QCOMPARE(state().counts, (KeyCounts{2, 2, 0, 1}));
    QCOMPARE(must(m_store->readAudit(std::nullopt, 9)).front().operation, u"held approve"_s);
    // The running cycle is not fenced off.
    (void)commit(page({}));
}

void ScanContract::heldRowsAreFiltered()
{
    storeFour();
    (void)complete(list({u"b"_s}), ScanCompletion::Deletes::Hold);
    HeldFilter filter;
    filter.poller = u"orders"_s;
    filter.partition = u""_s;
    filter.limit = 2;
    const auto first = must(m_store->readHeld(filter));
    QCOMPARE(first.size(), size_t{2});
    filter.afterId = first.back().id;
    QCOMPARE(must(m_store->readHeld(filter)).size(), size_t{1});
    filter = {};
    filter.poller = u"other"_s;
    QVERIFY(must(m_store->readHeld(filter)).empty());
    QCOMPARE(must(m_store->discardHeld(filter, audit())).done, 0);
}

void ScanContract::tombstonesArePrunedInPieces()
{
    storeFour();
    (void)complete(list({u"b"_s}), ScanCompletion::Deletes::Emit);
    QCOMPARE(must(m_store->pruneTombstones(u"orders"_s, at(4'000), 10)), 0);
    QCOMPARE(must(m_store->pruneTombstones(u"other"_s, at(9'000), 10)), 0);
    QCOMPARE(must(m_store->pruneTombstones(u"orders"_s, at(4'001), 2)), 2);
    QCOMPARE(must(m_store->pruneTombstones(u"orders"_s, at(4'001), 2)), 1);
    QVERIFY(!stored(u"a"_s));
    QVERIFY(stored(u"b"_s));
    QCOMPARE(state().counts.items, 1);
    // What comes back is a row of its own and not listed in a scan that went before it.
    (void)commit(page({u"a"_s}));
    QVERIFY(stored(u"a"_s)->handle != stored(u"b"_s)->handle);
}

void ScanContract::aScanOfTwentyThousandRows()
{
    constexpr int total = 20'000;
    constexpr int perPage = 500;
    PollCommit listing = page({});
    listing.scan = scan();
    listing.markSeen = true;
    for (int first = 0; first < total; first += perPage) {
        listing.upserts.clear();
        for (int number = first; number < first + perPage; ++number)
            listing.upserts.push_back(item(QString::number(number)));
        listing.scan->id = *commit(listing).scanId;
    }
    QCOMPARE(must(m_store->countMissing(key(), listing.scan->id, {})).missing, 0);
    (void)complete(listing.scan->id, ScanCompletion::Deletes::Emit);
    QCOMPARE(state().counts.items, total);

    PollCommit again = page({});
    again.scan = scan();
    for (int first = 0; first < total; first += perPage) {
        std::vector<QString> identities;
        for (int number = first; number < first + perPage; number += 2)
            identities.push_back(QString::number(number));
        again.seen.clear();
        for (const StoredItem &found : must(m_store->loadVersions(key(), identities, again.scan->id)))
            again.seen.push_back(found.handle);
        again.scan->id = *commit(again).scanId;
    }
    const MissingCount count = must(m_store->countMissing(key(), again.scan->id, {}));
    QCOMPARE(count.stored, total);
    QCOMPARE(count.missing, total / 2);
    QVERIFY(stored(u"19998"_s, again.scan->id)->seenInScan);
    QVERIFY(!stored(u"19999"_s, again.scan->id)->seenInScan);
    QCOMPARE(complete(again.scan->id, ScanCompletion::Deletes::Emit).deleted, total / 2);
    QCOMPARE(state().counts, (KeyCounts{total / 2, total / 2, 0, 0}));
    QVERIFY(stored(u"1"_s)->row.tombstone);
    QVERIFY(!stored(u"2"_s)->row.tombstone);
}

std::unique_ptr<Contract> makeScanContract(StoreFactory factory)
{
    return std::make_unique<ScanContract>(std::move(factory));
}

} // namespace watukuy::contract

#include "scancontract.moc"
