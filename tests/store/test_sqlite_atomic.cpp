// SPDX-License-Identifier: GPL-3.0-or-later
// Every writing call meets a failure in every table it writes: nothing of it may stay (promise G4).
#include <QTemporaryDir>

#include "tests/store/contract.h"
#include "tests/store/sqlitefile.h"
#include "tests/support/makekeys.h"

using namespace Qt::StringLiterals;

namespace watukuy::contract {

namespace {

struct Scene {
    std::unique_ptr<StateStore> store;
    Lease lease;
    qint64 scanId = 0;
};

using Call = std::function<std::optional<Error>(const Scene &)>;

template <typename T>
std::optional<Error> outcomeOf(StoreTask<T> task)
{
    const Result<T> result = QCoro::waitFor(std::move(task));
    return result ? std::nullopt : std::optional(result.error());
}

/// A store in which every table has rows that the calls change.
Scene makeScene(const QString &path)
{
    Scene scene;
    scene.store = makeStore(SqliteStoreDefinition{path}).value();
    must(scene.store->open());
    must(tests::ensureKeys(scene.store.get(), {{key(), Duration{1}}}, at(1)));
    scene.lease = *must(scene.store->acquireLease(key(), u"a"_s, ttl, at(1)));
    PollCommit full = page({u"1"_s, u"2"_s, u"3"_s, u"4"_s});
    full.log = true;
    full.scan = scan();
    full.parked = {invalid("{}")};
    full.validator = ValidatorRow{"r", "e", "", at(1)};
    qint64 id = *must(scene.store->commitPoll(key(), scene.lease, full)).scanId;
    must(scene.store->parkEvent(key(), scene.lease, 1, poison()));
    ScanCompletion hold;
    hold.scanId = id;
    hold.deletes = ScanCompletion::Deletes::Hold;
    must(scene.store->completeScan(key(), scene.lease, hold));
    must(scene.store->commitPoll(key(), scene.lease, page({u"5"_s})));
    PollCommit listing = page({u"1"_s});
    listing.scan = scan();
    listing.markSeen = true;
    scene.scanId = *must(scene.store->commitPoll(key(), scene.lease, listing)).scanId;
    SchedulePatch patch;
    patch.timeline.resize(500);
    must(scene.store->saveState(key(), scene.lease, patch));
    return scene;
}

std::optional<Error> commitEverything(const Scene &scene)
{
    PollCommit more = page({u"2"_s, u"9"_s});
    more.log = true;
    more.scan = scan();
    more.markSeen = true;
    more.parked = {invalid("{}"), invalid("[]")};
    more.validator = ValidatorRow{"r", "f", "", at(2)};
    return outcomeOf(scene.store->commitPoll(key(), scene.lease, more));
}

std::optional<Error> finishScan(const Scene &scene)
{
    ScanCompletion last;
    last.scanId = scene.scanId;
    last.deletes = ScanCompletion::Deletes::Emit;
    last.makeDeletion = deletionOf;
    last.log = true;
    return outcomeOf(scene.store->completeScan(key(), scene.lease, last));
}

std::optional<Error> saveSchedule(const Scene &scene)
{
    SchedulePatch patch;
    patch.schedule.consecutiveFailures = 3;
    patch.timeline.resize(2);
    return outcomeOf(scene.store->saveState(key(), scene.lease, patch));
}

} // namespace

class AtomicSqlite final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aFailureInAnyTableLeavesNothing_data();
    void aFailureInAnyTableLeavesNothing();
};

void AtomicSqlite::aFailureInAnyTableLeavesNothing_data()
{
    QTest::addColumn<Call>("call");
    QTest::addColumn<QString>("tables");
    const auto row = [](const char *name, const QString &tables, Call call) {
        QTest::newRow(name) << std::move(call) << tables;
    };
    row("commitPoll", u"held items keys lanes log meta outbox parked scan_seen validators"_s,
        commitEverything);
    row("completeScan", u"items keys lanes log meta outbox scan_seen"_s, finishScan);
    row("saveState", u"keys lanes timeline"_s, saveSchedule);
    row("ackEvents", u"keys outbox"_s,
        [](const Scene &s) { return outcomeOf(s.store->ackEvents(key(), s.lease, {2, 3})); });
    row("retryEvents", u"outbox"_s, [](const Scene &s) {
        return outcomeOf(
            s.store->retryEvents(key(), s.lease, {{2, 1, at(9), {}, {}}, {3, 1, at(9), {}, {}}}));
    });
    row("parkEvent", u"keys outbox parked"_s,
        [](const Scene &s) { return outcomeOf(s.store->parkEvent(key(), s.lease, 2, poison())); });
    row("resetCursor", u"audit held items keys lanes scan_seen validators"_s,
        [](const Scene &s) { return outcomeOf(s.store->resetCursor(key(), {"{}"}, true, {}, audit())); });
    row("startBackfill", u"audit keys lanes"_s, [](const Scene &s) {
        return outcomeOf(s.store->startBackfill(key(), {{"{}"}, {}, false, at(1)}, audit()));
    });
    row("pauseKey", u"audit keys"_s,
        [](const Scene &s) { return outcomeOf(s.store->pauseKey(key(), Pause::Operator, audit())); });
    row("triggerKey", u"audit keys"_s,
        [](const Scene &s) { return outcomeOf(s.store->triggerKey(key(), {}, audit())); });
    row("replay", u"audit keys outbox"_s,
        [](const Scene &s) { return outcomeOf(s.store->replay(key(), at(0), at(9'999), audit())); });
    row("retryParked", u"audit keys outbox parked"_s,
        [](const Scene &s) { return outcomeOf(s.store->retryParked({}, audit())); });
    row("discardParked", u"audit keys parked"_s,
        [](const Scene &s) { return outcomeOf(s.store->discardParked({}, audit())); });
    row("approveHeld", u"audit held items keys log meta outbox"_s,
        [](const Scene &s) { return outcomeOf(s.store->approveHeld({}, deletionOf, true, audit())); });
    row("discardHeld", u"audit held keys"_s,
        [](const Scene &s) { return outcomeOf(s.store->discardHeld({}, audit())); });
    row("removeKey", u"audit held items keys lanes log meta outbox parked scan_seen timeline validators"_s,
        [](const Scene &s) { return outcomeOf(s.store->removeKey(key(), audit())); });
}

void AtomicSqlite::aFailureInAnyTableLeavesNothing()
{
    QFETCH(const Call, call);
    QFETCH(const QString, tables);
    const QTemporaryDir folder;
    const QString path = folder.filePath(u"store.db"_s);
    std::optional<Scene> scene = makeScene(path);
    QStringList failed;
    for (const QString &table : SqliteFile(path).tables()) {
        if (!scene) {
            QFile::remove(path);
            scene = makeScene(path);
        }
        SqliteFile file(path);
        const auto before = file.everything();
        // AFTER, so that the row is there already when the statement fails.
        for (const QString &change : {u"INSERT"_s, u"UPDATE"_s, u"DELETE"_s})
            file.run(
                u"CREATE TRIGGER fail_%2 AFTER %2 ON %1 BEGIN SELECT RAISE(ABORT, 'injected'); END"_s.arg(
                    table, change));
        const std::optional<Error> error = call(*scene);
        for (const QString &change : {u"INSERT"_s, u"UPDATE"_s, u"DELETE"_s})
            file.run(u"DROP TRIGGER fail_%1"_s.arg(change));
        if (!error) {
            scene.reset(); // the call does not touch this table, so it has happened
            continue;
        }
        QCOMPARE(error->kind, ErrorKind::Store);
        QVERIFY2(error->detail.contains(u"injected"_s), qPrintable(error->detail));
        QVERIFY2(file.everything() == before, qPrintable(table));
        failed.append(table);
    }
    QCOMPARE(failed.join(u' '), tables);
}

} // namespace watukuy::contract

QTEST_GUILESS_MAIN(watukuy::contract::AtomicSqlite)
#include "test_sqlite_atomic.moc"
