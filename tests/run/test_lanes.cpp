// SPDX-License-Identifier: GPL-3.0-or-later
// Lanes beside the live one: backfill from an older cursor, replay from the log, held deletes.
#include "engine/api/operations.h"
#include "tests/run/cyclesuite.h"

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace watukuy;
using namespace watukuy::tests;

class TestLanes : public CycleSuite {
    Q_OBJECT

public:
    using CycleSuite::CycleSuite;

private:
    static ActionResult must(QCoro::Task<Result<ActionResult>> task)
    {
        Result<ActionResult> result = QCoro::waitFor(std::move(task));
        if (!result)
            QTest::qFail(qPrintable(result.error().oneLine()), __FILE__, __LINE__);
        return result.value_or(ActionResult{});
    }

    static Operations operationsOf(EngineRig &rig)
    {
        return Operations(rig.workspace(), rig.store(), rig.clock);
    }

    const KeyScope m_items{u"items"_s, {}};
    const Request m_request{u"alice"_s, u"because"_s, Run::ForReal};
    const Request m_dry{u"alice"_s, u"because"_s, Run::Dry};

    /// Ten items, a minute apart, listed once.
    std::unique_ptr<EngineRig> listedRig(const QByteArray &more = {})
    {
        for (int id = 1; id <= 10; ++id)
            m_api.put(id, "\"n\":1", 1'767'000'000'000 + id * 60'000);
        auto rig = rigFor(QByteArray(byKeyset).replace("500", "3") + more, ListingKind::Keyset);
        runCleanly(*rig);
        (void)rig->news();
        rig->clock.advance(1h);
        return rig;
    }

private Q_SLOTS:
    void init()
    {
        m_api.clear();
        m_api.etags = false;
    }

    void aBackfillListsAgainAndKnownItemsStayQuiet()
    {
        const auto rig = listedRig();
        const LaneCursor live = rig->state().liveCursor;
        QCOMPARE(must(operationsOf(*rig).startBackfill(m_items, {u"null"_s, {}, false}, m_request)).done, 1);
        rig->requests.clear();
        for (int run = 0; run < 5 && rig->state().backfill; ++run) {
            runCleanly(*rig);
            rig->clock.advance(1s);
        }
        QVERIFY2(!rig->state().backfill, "the backfill does not end");
        QVERIFY(rig->requests.size() >= 4);
        QCOMPARE(rig->news(), QStringList());
        QCOMPARE(rig->state().liveCursor, live);
    }

    void aBackfillEndsThoughItsTargetIsInTheMiddleOfAPageOrGone_data()
    {
        QTest::addColumn<bool>("gone");
        QTest::newRow("in the middle of a page") << false;
        QTest::newRow("the listing ends before it") << true;
    }
    void aBackfillEndsThoughItsTargetIsInTheMiddleOfAPageOrGone()
    {
        QFETCH(bool, gone);
        const auto rig = listedRig();
        (void)must(operationsOf(*rig).startBackfill(m_items, {u"null"_s, {}, false}, m_request));
        if (gone) {
            m_api.remove(10);
        } else {
            for (int id = 11; id <= 40; ++id)
                m_api.put(id, "\"n\":1", 1'767'000'000'000 + id * 60'000);
        }
        int listed = 0;
        for (int run = 0; run < 5 && rig->state().backfill; ++run) {
            const RunReport report = runCleanly(*rig);
            for (const PollSummary &lane : report.lanes)
                listed += lane.lane == Lane::Backfill ? static_cast<int>(lane.items) : 0;
            rig->clock.advance(1s);
        }
        QVERIFY2(!rig->state().backfill, "the backfill does not end");
        QVERIFY2(listed <= 12, qPrintable(u"it went on to %1 items"_s.arg(listed)));
    }

    void aForcedBackfillEmitsKnownItemsAgainUnderTheSameIds()
    {
        const auto rig = listedRig();
        for (int time = 0; time < 2; ++time) {
            (void)must(operationsOf(*rig).startBackfill(m_items, {u"null"_s, {}, true}, m_request));
            for (int run = 0; run < 5 && rig->state().backfill; ++run) {
                runCleanly(*rig);
                rig->clock.advance(1s);
            }
        }
        QCOMPARE(rig->delivered().size(), 30U);
        for (size_t index = 10; index < 20; ++index) {
            const Event &event = rig->delivered()[index];
            QCOMPARE(toString(event.lane), "backfill"_L1);
            QCOMPARE(toString(event.type), "updated"_L1);
            QCOMPARE(rig->delivered()[index + 10].id, event.id);
        }
    }

    void aBackfillCanBeCancelledAndNeedsSomethingToGoBackFrom()
    {
        const auto rig = rigFor(byKeyset, ListingKind::Keyset);
        QCOMPARE(must(operationsOf(*rig).startBackfill(m_items, {u"null"_s, {}, false}, m_request)).skipped,
                 1);
        m_api.put(1, "\"n\":1", 1'767'000'000'000);
        runCleanly(*rig);
        QCOMPARE(must(operationsOf(*rig).startBackfill(m_items, {u"null"_s, {}, false}, m_dry)).done, 1);
        QVERIFY(!rig->state().backfill);
        QCOMPARE(must(operationsOf(*rig).startBackfill(m_items, {u"null"_s, {}, false}, m_request)).done, 1);
        QCOMPARE(must(operationsOf(*rig).startBackfill(m_items, {u"null"_s, {}, false}, m_request)).skipped,
                 1);
        QCOMPARE(must(operationsOf(*rig).cancelBackfill(m_items, m_request)).done, 1);
        QVERIFY(!rig->state().backfill);
        QCOMPARE(must(operationsOf(*rig).cancelBackfill(m_items, m_request)).skipped, 1);
    }

    void aListingOfEverythingHasNothingToBackfill()
    {
        EngineRig rig(m_kind, wholeList);
        const auto result =
            QCoro::waitFor(operationsOf(rig).startBackfill(m_items, {u"null"_s, {}, false}, m_request));
        QVERIFY(!result);
        QCOMPARE(result.error().kind, ErrorKind::Usage);
        QVERIFY(result.error().nextStep.contains(u"--clear-snapshot"_s));
    }

    void aCursorThatIsResetIsWhereTheNextCycleBegins()
    {
        const auto rig = listedRig();
        rig->requests.clear();
        QCOMPARE(must(operationsOf(*rig).resetCursor(m_items, u"null"_s, Snapshot::Keep, m_request)).done, 1);
        runCleanly(*rig);
        QCOMPARE(rig->requests.first().query(u"updated_since"_s), std::optional(u"2025-01-01T00:00:00Z"_s));
        QCOMPARE(rig->news(), QStringList());

        QCOMPARE(must(operationsOf(*rig).resetCursor(m_items, u"null"_s, Snapshot::Clear, m_request)).done,
                 1);
        runCleanly(*rig);
        QCOMPARE(rig->news(), createdUpTo(10));
        QSet<EventId> ids;
        for (const Event &event : rig->delivered())
            ids.insert(event.id);
        QCOMPARE(ids.size(), 20);
    }

    void aReplayDeliversLoggedEventsAgainUnderTheirOwnIds()
    {
        const auto rig = listedRig(R"(,"log":{"retention":"30d"})");
        const Instant from = rig->clock.now() - 2h;
        QCOMPARE(must(operationsOf(*rig).replay(m_items, from, {}, m_dry)).done, 10);
        QCOMPARE(rig->state().counts.outboxPending, 0);
        QCOMPARE(must(operationsOf(*rig).replay(m_items, from, {}, m_request)).done, 10);
        runCleanly(*rig);
        QCOMPARE(rig->delivered().size(), 20U);
        for (size_t index = 0; index < 10; ++index) {
            const Event &first = rig->delivered()[index];
            const Event &again = rig->delivered()[index + 10];
            QCOMPARE(again.id, first.id);
            QCOMPARE(again.data, first.data);
            QCOMPARE(toString(again.lane), "replay"_L1);
            QVERIFY(again.sequence > first.sequence);
        }
        QCOMPARE(must(operationsOf(*rig).replay(m_items, rig->clock.now(), {}, m_request)).done, 0);
    }

    void heldDeletesAreEmittedWhenSomebodyApproves_data()
    {
        QTest::addColumn<bool>("approve");
        QTest::newRow("approved") << true;
        QTest::newRow("discarded") << false;
    }
    void heldDeletesAreEmittedWhenSomebodyApproves()
    {
        QFETCH(bool, approve);
        EngineRig rig(m_kind, wholeList);
        int last = 100;
        rig.answer = [&last](const ServerRequest &) { return ServerReply::json(listOf(upTo(last))); };
        runCleanly(rig);
        last = 40;
        rig.clock.advance(1h);
        runCleanly(rig);
        (void)rig.news();
        Operations operations = operationsOf(rig);
        const auto held = QCoro::waitFor(operations.held({.poller = u"items"_s}));
        QVERIFY(held);
        QCOMPARE(held->size(), 60U);
        QVERIFY(!held->front().reason.isEmpty());

        HeldFilter two{.poller = u"items"_s, .ids = {held->at(0).id, held->at(1).id}};
        QCOMPARE(must(operations.approveHeld(two, m_dry)).done, 2);
        QCOMPARE(rig.state().counts.held, 60);
        QCOMPARE(
            must(approve ? operations.approveHeld(two, m_request) : operations.discardHeld(two, m_request))
                .done,
            2);
        QCOMPARE(rig.state().counts.held, 58);
        runCleanly(rig);
        QCOMPARE(rig.news().size(), approve ? 2 : 0);
        QCOMPARE(rig.state().counts.items, approve ? 98 : 100);
        const auto audit = QCoro::waitFor(operations.audit({}));
        QCOMPARE(audit->front().operation, approve ? u"held approve"_s : u"held discard"_s);
    }
};

int main(int argc, char **argv)
{
    const QCoreApplication app(argc, argv);
    return runOnEveryStore<TestLanes>(argc, argv);
}

#include "test_lanes.moc"
