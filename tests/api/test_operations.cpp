// SPDX-License-Identifier: GPL-3.0-or-later
// What operators do: dry runs that change nothing, refusals that say why, audit rows for the rest.
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include "engine/api/operations.h"
#include "engine/definition/workspace.h"
#include "tests/support/virtualclock.h"
#include "tests/support/makekeys.h"

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace watukuy;
using tests::VirtualClock;

namespace {

const QByteArray workspaceText = R"({"version":1,"store":{"kind":"memory"},
    "sinks":{"log":{"kind":"file","path":"events.jsonl"}},
    "pollers":{
      "orders":{"request":{"url":"$API/o"},"identity":"id","cursor":{"strategy":"snapshotDiff"},
        "partitions":{"list":[{"key":"eu"},{"key":"us"}]},"log":{"retention":"30d"},"deliver":{"to":["log"]}},
      "prices":{"request":{"url":"$API/p"},"identity":"id","cursor":{"strategy":"snapshotDiff"},
        "deliver":{"to":["log"]}}}})";

const Request forReal{u"alice"_s, u"because"_s, Run::ForReal};
const Request dry{u"alice"_s, u"because"_s, Run::Dry};

} // namespace

class TestOperations : public QObject {
    Q_OBJECT

    VirtualClock m_clock;
    WorkspaceDefinition m_workspace;
    std::unique_ptr<StateStore> m_store;
    std::unique_ptr<Operations> m_operations;
    const Key m_eu{u"orders"_s, u"eu"_s};
    const Key m_us{u"orders"_s, u"us"_s};
    const Key m_prices{u"prices"_s, {}};

    template <typename T>
    static T must(QCoro::Task<Result<T>> task)
    {
        Result<T> result = QCoro::waitFor(std::move(task));
        if (!result)
            QTest::qFail(qPrintable(result.error().oneLine()), __FILE__, __LINE__);
        return result ? std::move(*result) : T{};
    }
    template <typename T>
    static Error failureOf(QCoro::Task<Result<T>> task)
    {
        const Result<T> result = QCoro::waitFor(std::move(task));
        if (result)
            QTest::qFail("it succeeded although it must not", __FILE__, __LINE__);
        return result ? Error{} : result.error();
    }
    KeyState state(const Key &key) { return must(m_store->loadKey(key)); }
    std::vector<AuditRow> audit() { return must(m_store->readAudit({}, 100)); }

    /// Commits events of `key`, logs them, and parks the first as poison beside one invalid item.
    void commitAndPark(const Key &key, int events)
    {
        const auto lease = must(m_store->acquireLease(key, u"me"_s, 30s, m_clock.now()));
        PollCommit page;
        page.log = true;
        page.now = m_clock.now();
        for (int number = 1; number <= events; ++number) {
            Event event;
            event.id = QByteArray::number(number);
            event.key = key;
            event.source = u"urn:watukuy:orders"_s;
            event.subject = u"s,\"%1\""_s.arg(number);
            event.orderingKey = event.subject;
            event.time = m_clock.now();
            event.data = R"({"id":9007199254740993,"p":1.10})";
            page.events.push_back(event);
        }
        ParkedRow invalid;
        invalid.key = key;
        invalid.kind = ParkedKind::Invalid;
        invalid.item = R"({"id":null})";
        page.parked = {invalid};
        const CommitReceipt receipt = must(m_store->commitPoll(key, *lease, page));
        ParkedRow poison;
        poison.key = key;
        poison.event = page.events.front();
        poison.event->sequence = receipt.lastSequence - events + 1;
        QVERIFY(QCoro::waitFor(m_store->parkEvent(key, *lease, poison.event->sequence, poison)));
    }

private Q_SLOTS:
    void init()
    {
        m_workspace = *parseWorkspace(QByteArray(workspaceText).replace("$API", "https://a.example"),
                                      u"/nowhere/shop.watukuy.json"_s);
        m_store = std::move(*makeStore(m_workspace.store));
        QVERIFY(QCoro::waitFor(m_store->open()));
        QVERIFY(QCoro::waitFor(
            tests::ensureKeys(m_store.get(), {{m_eu, 1s}, {m_us, 1s}, {m_prices, 1s}}, m_clock.now())));
        m_operations = std::make_unique<Operations>(m_workspace, *m_store, m_clock);
    }

    void aScopeIsAPollerOrOneOfItsPartitions()
    {
        QCOMPARE(must(m_operations->pause({u"orders"_s, u"eu"_s}, forReal)).done, 1);
        QCOMPARE(state(m_us).pause, Pause::None);
        const ActionResult both = must(m_operations->pause({u"orders"_s, {}}, forReal));
        QCOMPARE(both.done, 1);
        QCOMPARE(both.skipped, 1);
        QVERIFY(both.details.join(u'\n').contains(u"orders/eu: is paused already"_s));
        QCOMPARE(state(m_us).pause, Pause::Operator);
        QCOMPARE(state(m_prices).pause, Pause::None);
    }

    void aTriggerMakesAKeyDueNowAndPassesPausedOnesOver()
    {
        (void)must(m_operations->pause({u"orders"_s, u"eu"_s}, forReal));
        m_clock.advance(5s);
        const ActionResult result = must(m_operations->trigger({u"orders"_s, {}}, forReal));
        QCOMPARE(result.done, 1);
        QCOMPARE(result.skipped, 1);
        QVERIFY(!state(m_eu).triggeredAt);
        QCOMPARE(state(m_us).triggeredAt, std::optional(m_clock.now()));
        QCOMPARE(toString(state(m_us).schedule.reason), "manual"_L1);
    }

    void aResumedKeyIsDueNow()
    {
        QCOMPARE(must(m_operations->resume({u"prices"_s, {}}, forReal)).skipped, 1);
        (void)must(m_operations->pause({u"prices"_s, {}}, forReal));
        QCOMPARE(state(m_prices).pauseReason, u"because"_s);
        m_clock.advance(1h);
        QCOMPARE(must(m_operations->resume({u"prices"_s, {}}, forReal)).done, 1);
        QCOMPARE(state(m_prices).pause, Pause::None);
        QVERIFY(state(m_prices).schedule.nextDueAt <= m_clock.now());
    }

    void everyWriteLeavesAnAuditRowAndADryRunLeavesNothing()
    {
        const KeyState before = state(m_prices);
        QCOMPARE(must(m_operations->pause({u"prices"_s, {}}, dry)).done, 1);
        QCOMPARE(must(m_operations->trigger({u"prices"_s, {}}, dry)).done, 1);
        QCOMPARE(state(m_prices), before);
        QVERIFY(audit().empty());

        (void)must(m_operations->pause({u"prices"_s, {}}, forReal));
        QCOMPARE(audit().size(), 1U);
        const AuditRow row = audit().front();
        QCOMPARE(row.who, u"alice"_s);
        QCOMPARE(row.operation, u"pause"_s);
        QCOMPARE(row.key, m_prices);
        QCOMPARE(row.reason, u"because"_s);
        QCOMPARE(row.at, m_clock.now());
        QVERIFY(QJsonDocument::fromJson(row.before).isObject());
    }

    void aReadOnlyWorkspaceRefusesEveryWriteAndNothingElse()
    {
        m_workspace.readOnly = true;
        for (const Error &error :
             {failureOf(m_operations->pause({u"prices"_s, {}}, forReal)),
              failureOf(m_operations->resume({u"prices"_s, {}}, forReal)),
              failureOf(m_operations->trigger({u"prices"_s, {}}, forReal)),
              failureOf(m_operations->retryParked({.poller = u"prices"_s}, forReal)),
              failureOf(m_operations->discardParked({.poller = u"prices"_s}, forReal))}) {
            QCOMPARE(error.kind, ErrorKind::Refused);
            QVERIFY(error.nextStep.contains(u"readOnly"_s));
        }
        QVERIFY(audit().empty());
        QCOMPARE(must(m_operations->inspect({})).size(), 3U);
        QCOMPARE(must(m_operations->pause({u"prices"_s, {}}, dry)).done, 1);
    }

    void anUnknownNameIsAMistakeThatNamesTheNearest()
    {
        const Error poller = failureOf(m_operations->inspect({u"ordrs"_s, {}}));
        QCOMPARE(poller.kind, ErrorKind::Usage);
        QVERIFY(poller.nextStep.contains(u"\"orders\""_s));
        QVERIFY(poller.detail.contains(u"orders, prices"_s));
        const Error far = failureOf(m_operations->inspect({u"zzzzzzzz"_s, {}}));
        QVERIFY(!far.nextStep.contains(u"Did you mean"_s));
        const Error partition = failureOf(m_operations->inspect({u"orders"_s, u"asia"_s}));
        QCOMPARE(partition.kind, ErrorKind::Usage);
        QVERIFY(partition.title.contains(u"asia"_s));
    }

    void parkedEventsAreRetriedAndInvalidItemsAreNot()
    {
        commitAndPark(m_eu, 2);
        QCOMPARE(must(m_operations->parked({.poller = u"orders"_s})).size(), 2U);
        const ActionResult preview = must(m_operations->retryParked({.poller = u"orders"_s}, dry));
        QCOMPARE(preview.done, 1);
        QCOMPARE(preview.skipped, 1);
        QCOMPARE(state(m_eu).counts.parked, 2);
        const ActionResult retried = must(m_operations->retryParked({.poller = u"orders"_s}, forReal));
        QCOMPARE(retried.done, 1);
        QCOMPARE(retried.skipped, 1);
        QCOMPARE(state(m_eu).counts.parked, 1);
        QCOMPARE(state(m_eu).counts.outboxPending, 2);
        QCOMPARE(must(m_operations->discardParked({.poller = u"orders"_s}, forReal)).done, 1);
        QCOMPARE(state(m_eu).counts.parked, 0);
    }

    void bulkOperationsReachEveryRow()
    {
        constexpr int count = 2500; // more than one reading of parked rows
        const auto lease = must(m_store->acquireLease(m_eu, u"me"_s, 30s, m_clock.now()));
        PollCommit page;
        page.now = m_clock.now();
        for (int number = 0; number < count; ++number) {
            ParkedRow row;
            row.key = m_eu;
            row.kind = ParkedKind::Invalid;
            row.item = "{\"n\":" + QByteArray::number(number) + "}";
            page.parked.push_back(row);
        }
        (void)must(m_store->commitPoll(m_eu, *lease, page));
        QCOMPARE(must(m_operations->discardParked({.poller = u"orders"_s}, dry)).done, count);
        QCOMPARE(must(m_operations->discardParked({.poller = u"orders"_s}, forReal)).done, count);
        QCOMPARE(state(m_eu).counts.parked, 0);
    }

    void anExportHoldsEveryLoggedEventInEachFormat_data()
    {
        QTest::addColumn<int>("format");
        QTest::newRow("JSON Lines") << int(ExportFormat::JsonLines);
        QTest::newRow("CSV") << int(ExportFormat::Csv);
        QTest::newRow("CloudEvents") << int(ExportFormat::CloudEvents);
    }
    void anExportHoldsEveryLoggedEventInEachFormat()
    {
        QFETCH(int, format);
        constexpr int count = 2500; // more than one reading of the log
        commitAndPark(m_eu, count);
        QByteArray written;
        const qint64 said = must(m_operations->exportEvents(
            {.poller = u"orders"_s}, static_cast<ExportFormat>(format), [&](const QByteArray &piece) {
                written += piece;
                return Result<void>{};
            }));
        QCOMPARE(said, count);
        QCOMPARE(written.count("9007199254740993"), count);
        switch (static_cast<ExportFormat>(format)) {
        case ExportFormat::JsonLines:
            QCOMPARE(written.count('\n'), count);
            QVERIFY(QJsonDocument::fromJson(written.left(written.indexOf('\n'))).isObject());
            break;
        case ExportFormat::Csv:
            QCOMPARE(written.count("\r\n"), count + 1);
            QVERIFY(written.contains("\"s,\"\"1\"\"\""));
            QVERIFY(written.contains("\"{\"\"id\"\":9007199254740993,\"\"p\"\":1.10}\""));
            break;
        case ExportFormat::CloudEvents:
            QCOMPARE(QJsonDocument::fromJson(written).array().size(), count);
            break;
        }
    }

    void anExportThatCannotBeWrittenSaysSo()
    {
        commitAndPark(m_eu, 3);
        int pieces = 0;
        const Error error = failureOf(m_operations->exportEvents(
            {.poller = u"orders"_s}, ExportFormat::JsonLines, [&](const QByteArray &) -> Result<void> {
                if (++pieces > 2)
                    return fail({.kind = ErrorKind::Usage, .title = u"no space"_s});
                return {};
            }));
        QCOMPARE(error.title, u"no space"_s);
    }

    void aPollerWithoutALogSaysHowToKeepOne()
    {
        const Error error = failureOf(m_operations->exportEvents(
            {.poller = u"prices"_s}, ExportFormat::Csv, [](const QByteArray &) { return Result<void>{}; }));
        QCOMPARE(error.kind, ErrorKind::Usage);
        QVERIFY(error.nextStep.contains(u"retention"_s));
    }

    void aSnapshotAlwaysSaysWhatItWaitsFor()
    {
        for (const KeySnapshot &snapshot : must(m_operations->inspect({}))) {
            QVERIFY(!snapshot.waitingForCode.isEmpty());
            QVERIFY(!snapshot.waitingBecause.isEmpty());
            QCOMPARE(snapshot.takenAt, m_clock.now());
        }
        (void)must(m_operations->pause({u"prices"_s, {}}, forReal));
        const auto paused = must(m_operations->inspect({u"prices"_s, {}}));
        QCOMPARE(toString(paused.front().state), "Paused"_L1);
    }
};

QTEST_GUILESS_MAIN(TestOperations)

#include "test_operations.moc"
