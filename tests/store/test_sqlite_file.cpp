// SPDX-License-Identifier: GPL-3.0-or-later
// What only a store in a SQLite file can meet: other files, other processes, full disks, old schemas.
#include <unistd.h>

#include <QElapsedTimer>
#include <QTemporaryDir>

#include "engine/store/sqliteconnection.h"
#include "engine/store/sqlstore.h"
#include "tests/store/contract.h"
#include "tests/store/sqlitefile.h"
#include "tests/support/liveheap.h"
#include "tests/support/makekeys.h"

using namespace Qt::StringLiterals;

namespace watukuy::contract {

class SqliteFileTest final : public QObject {
    Q_OBJECT

private:
    [[nodiscard]] QString path(const QString &name = u"store.db"_s) const { return m_folder->filePath(name); }
    [[nodiscard]] std::unique_ptr<StateStore> store() const
    {
        return makeStore(SqliteStoreDefinition{path()}).value();
    }
    [[nodiscard]] std::unique_ptr<StoreReader> reader() const
    {
        return makeStoreReader(SqliteStoreDefinition{path()}).value();
    }
    [[nodiscard]] std::unique_ptr<StateStore> opened() const;
    [[nodiscard]] Error refusal() const { return failureOf(store()->open()); }
    void write(const QByteArray &bytes) const;
    [[nodiscard]] QByteArray contents() const;

    std::unique_ptr<QTemporaryDir> m_folder;

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void itsFilesBelongToTheirOwnerOnly();
    void whatWasWrittenIsThereAfterReopening();
    void callsOnAClosedStoreSaySo();
    void closingWaitsForWhatWasAskedBefore();
    void aFileThatIsNoDatabaseIsLeftAlone();
    void aForeignDatabaseIsLeftAlone();
    void aNewerStoreIsLeftAlone();
    void aDamagedStoreIsNamed();
    void aMissingFolderIsNamed();
    void aFolderThatCannotBeWrittenIsNamed();
    void aFileThatCannotBeWrittenIsNamed();
    void migrationsLeadFromEveryVersionToTheNewest();
    void aMigrationThatFailsLeavesTheVersionBefore();
    void twoProcessesMayCreateTheStoreAtOnce();
    void C49_twoProcessesWriteWithoutMeetingBusy();
    void C50_aFullDiskWritesNothingAndIsOvercome();
    void aReaderWaitsForItsStore();
    void aReaderSeesWhatIsCommittedWhileOthersWrite();
    void aReaderRefusesAnOlderSchema();
    void theStampChangesWithTheWritesOfOthers();
    void rowsBehindAParkedEventAreSetAsideAndBroughtBack();
    void marksOfEndedScansDoNotStay();
    void whatAScanDeletesIsReadInPieces();
    void otherKinds();
    void howFastItIs();
};

std::unique_ptr<StateStore> SqliteFileTest::opened() const
{
    auto fresh = store();
    must(fresh->open());
    must(tests::ensureKeys(fresh.get(), {{key(), Duration{1}}}, at(1)));
    return fresh;
}

void SqliteFileTest::write(const QByteArray &bytes) const
{
    QFile file(path());
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
}

QByteArray SqliteFileTest::contents() const
{
    QFile file(path());
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void SqliteFileTest::itsFilesBelongToTheirOwnerOnly()
{
    const auto running = opened();
    for (const QString &suffix : {u""_s, u"-wal"_s, u"-shm"_s}) {
        const QFileInfo file(path() + suffix);
        QVERIFY2(file.exists(), qPrintable(suffix));
        const auto others = QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther | QFile::WriteOther;
        QVERIFY2(!(file.permissions() & others), qPrintable(suffix));
    }
}

void SqliteFileTest::whatWasWrittenIsThereAfterReopening()
{
    KeyState before;
    {
        const auto first = opened();
        const Lease lease = *must(first->acquireLease(key(), u"a"_s, ttl, at(1)));
        must(first->commitPoll(key(), lease, page({u"1"_s})));
        before = must(first->loadKey(key()));
    }
    const auto second = opened();
    QCOMPARE(must(second->loadKey(key())), before);
}

void SqliteFileTest::callsOnAClosedStoreSaySo()
{
    const auto closed = store();
    QCOMPARE(failureOf(closed->loadKeys()).name, u"StoreNotOpen"_s);
    must(closed->open());
    must(closed->open());
    must(closed->close());
    QCOMPARE(failureOf(closed->loadKey(key())).name, u"StoreNotOpen"_s);
    must(closed->open());
    QVERIFY(must(closed->loadKeys()).empty());
}

void SqliteFileTest::closingWaitsForWhatWasAskedBefore()
{
    const auto running = opened();
    const Lease lease = *must(running->acquireLease(key(), u"a"_s, ttl, at(1)));
    auto commit = running->commitPoll(key(), lease, page({u"1"_s}));
    must(running->close());
    QCOMPARE(must(std::move(commit)).lastSequence, 1);
}

void SqliteFileTest::aFileThatIsNoDatabaseIsLeftAlone()
{
    const QByteArray text = QByteArray("to be or not to be\n").repeated(500);
    for (const QByteArray &bytes : {text, text.left(10)}) {
        write(bytes);
        const Error error = refusal();
        QCOMPARE(error.kind, ErrorKind::StoreDamaged);
        QVERIFY2(error.detail.contains(path()), qPrintable(error.detail));
        QVERIFY(!error.nextStep.isEmpty());
        QCOMPARE(contents(), bytes);
    }
}

void SqliteFileTest::aForeignDatabaseIsLeftAlone()
{
    SqliteFile(path()).run(u"CREATE TABLE notes(text TEXT)"_s);
    const QByteArray before = contents();
    const Error error = refusal();
    QCOMPARE(error.kind, ErrorKind::StoreDamaged);
    QVERIFY2(error.title.contains(u"not a Watukuy store"_s), qPrintable(error.title));
    QCOMPARE(contents(), before);
    QCOMPARE(failureOf(reader()->loadKeys()).kind, ErrorKind::StoreDamaged);
}

void SqliteFileTest::aNewerStoreIsLeftAlone()
{
    (void)opened();
    SqliteFile(path()).run(u"PRAGMA user_version = 99"_s);
    const Error error = refusal();
    QCOMPARE(error.kind, ErrorKind::StoreNewer);
    QVERIFY2(error.detail.contains(path()) && error.detail.contains(u"99"_s), qPrintable(error.detail));
    QCOMPARE(SqliteFile(path()).value(u"PRAGMA user_version"_s).toInt(), 99);
    QCOMPARE(failureOf(reader()->loadKeys()).kind, ErrorKind::StoreNewer);
}

void SqliteFileTest::aDamagedStoreIsNamed()
{
    {
        const auto running = opened();
        const Lease lease = *must(running->acquireLease(key(), u"a"_s, ttl, at(1)));
        PollCommit big = page({});
        for (int number = 0; number < 500; ++number)
            big.upserts.push_back(item(QString::number(number)));
        must(running->commitPoll(key(), lease, big));
    }
    QByteArray bytes = contents();
    for (qsizetype offset = 4'096; offset < bytes.size(); ++offset)
        bytes[offset] = '\x5a';
    write(bytes);
    const auto broken = store();
    const Result<void> done = QCoro::waitFor(broken->open());
    const Error error = done ? failureOf(broken->loadKeys()) : done.error();
    QCOMPARE(error.kind, ErrorKind::StoreDamaged);
    QVERIFY(error.detail.contains(path()));
}

void SqliteFileTest::aMissingFolderIsNamed()
{
    const auto homeless = makeStore(SqliteStoreDefinition{path(u"no/such/store.db"_s)}).value();
    const Error error = failureOf(homeless->open());
    QCOMPARE(error.name, u"StoreFolderMissing"_s);
    QVERIFY(error.detail.contains(path(u"no/such"_s)));
    QVERIFY(!QFileInfo::exists(path(u"no"_s)));
}

/// For the time of a test somebody whom file modes concern.
struct Nobody {
    Nobody()
        : wasRoot(geteuid() == 0)
    {
        changed = !wasRoot || seteuid(65'534) == 0;
    }
    ~Nobody()
    {
        if (wasRoot && changed && seteuid(0) != 0)
            qFatal("cannot become root again");
    }
    bool wasRoot;
    bool changed = false;
};

void SqliteFileTest::aFolderThatCannotBeWrittenIsNamed()
{
    QVERIFY(QFile::setPermissions(m_folder->path(),
                                  QFile::ReadOwner | QFile::ExeOwner | QFile::ReadOther | QFile::ExeOther));
    {
        const Nobody nobody;
        if (!nobody.changed)
            QSKIP("root may write everywhere");
        const Error error = refusal();
        QCOMPARE(error.kind, ErrorKind::Store);
        QCOMPARE(error.name, u"StoreCannotOpen"_s);
        QVERIFY(error.detail.contains(path()) && !error.nextStep.isEmpty());
    }
    QFile::setPermissions(m_folder->path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
}

void SqliteFileTest::aFileThatCannotBeWrittenIsNamed()
{
    (void)opened();
    QVERIFY(QFile::setPermissions(m_folder->path(), QFile::Permissions(0x7777)));
    QVERIFY(QFile::setPermissions(path(), QFile::ReadOwner | QFile::ReadOther));
    const Nobody nobody;
    if (!nobody.changed)
        QSKIP("root may write everywhere");
    const Error error = refusal();
    QCOMPARE(error.kind, ErrorKind::Store);
    QVERIFY2(error.name == u"StoreReadOnly"_s || error.name == u"StoreCannotOpen"_s, qPrintable(error.name));
    QVERIFY(error.detail.contains(path()) && !error.nextStep.isEmpty());
}

void SqliteFileTest::migrationsLeadFromEveryVersionToTheNewest()
{
    const auto all = sqliteMigrations();
    for (size_t version = 0; version <= all.size(); ++version) {
        const QString file = path(u"v%1.db"_s.arg(version));
        {
            SqliteConnection old({.path = file, .migrations = all.first(version)});
            QVERIFY(old.open());
            old.close();
        }
        const auto newest = makeStore(SqliteStoreDefinition{file}).value();
        must(newest->open());
        must(tests::ensureKeys(newest.get(), {{key(), Duration{1}}}, at(1)));
        QCOMPARE(must(newest->loadKeys()).size(), size_t{1});
        QCOMPARE(SqliteFile(file).value(u"PRAGMA user_version"_s).toInt(), all.back().number);
    }
    for (size_t index = 0; index < all.size(); ++index)
        QCOMPARE(all[index].number, static_cast<int>(index) + 1);
}

void SqliteFileTest::aMigrationThatFailsLeavesTheVersionBefore()
{
    static constexpr std::array first{"CREATE TABLE one(a)", "INSERT INTO one VALUES(1)"};
    static constexpr std::array second{"ALTER TABLE one ADD COLUMN b", "UPDATE one SET b = 2",
                                       "not SQL at all"};
    static constexpr std::array steps{Migration{1, first}, Migration{2, second}};
    {
        SqliteConnection connection({.path = path(), .migrations = steps});
        const Result<void> done = connection.open();
        QVERIFY(!done);
        QCOMPARE(done.error().kind, ErrorKind::Store);
        connection.close();
    }
    SqliteFile file(path());
    QCOMPARE(file.value(u"PRAGMA user_version"_s).toInt(), 1);
    QCOMPARE(file.value(u"SELECT count(*) FROM pragma_table_info('one')"_s).toInt(), 1);
}

void SqliteFileTest::twoProcessesMayCreateTheStoreAtOnce()
{
    for (int round = 0; round < 20; ++round) {
        const SqliteStoreDefinition definition{path(u"%1.db"_s.arg(round))};
        std::vector<std::unique_ptr<StateStore>> stores;
        std::vector<StoreTask<void>> openings;
        for (int number = 0; number < 4; ++number)
            stores.push_back(makeStore(definition).value());
        for (const auto &each : stores)
            openings.push_back(each->open());
        for (auto &opening : openings)
            must(std::move(opening));
        for (const auto &each : stores)
            must(tests::ensureKeys(each.get(), {{key(), Duration{1}}}, at(1)));
        QCOMPARE(must(stores.front()->loadKeys()).size(), size_t{1});
    }
}

void SqliteFileTest::C49_twoProcessesWriteWithoutMeetingBusy()
{
    constexpr int rounds = 100;
    const std::array stores{opened(), opened()};
    std::array<Lease, 2> leases;
    for (size_t number = 0; number < 2; ++number) {
        must(
            tests::ensureKeys(stores.at(number).get(), {{key(QString::number(number)), Duration{1}}}, at(1)));
        leases.at(number) =
            *must(stores.at(number)->acquireLease(key(QString::number(number)), u"x"_s, ttl, at(1)));
    }
    std::vector<StoreTask<CommitReceipt>> commits;
    std::vector<StoreTask<BudgetAnswer>> budgets;
    std::vector<StoreTask<std::vector<OutboxRow>>> reads;
    for (int round = 0; round < rounds; ++round) {
        for (size_t number = 0; number < 2; ++number) {
            const Key own = key(QString::number(number));
            PollCommit some = page({u"a%1"_s.arg(round), u"b%1"_s.arg(round)});
            some.log = true;
            commits.push_back(stores.at(number)->commitPoll(own, leases.at(number), some));
            budgets.push_back(stores.at(number)->takeBudget(
                {.budget = u"api"_s, .windows = {{150, Duration{60'000}}}, .now = at(round)}));
            reads.push_back(stores.at(number)->loadPending(own, {at(1), 10, {}}));
        }
    }
    for (auto &each : commits)
        (void)must(std::move(each));
    int granted = 0;
    for (auto &each : budgets)
        granted += must(std::move(each)).granted ? 1 : 0;
    for (auto &each : reads)
        (void)must(std::move(each));
    QCOMPARE(granted, 150);
    for (size_t number = 0; number < 2; ++number) {
        const Key own = key(QString::number(number));
        QCOMPARE(must(stores.at(1 - number)->loadKey(own)).counts, (KeyCounts{2 * rounds, 2 * rounds, 0, 0}));
    }
    QCOMPARE(
        must(stores.front()->readLog({.poller = {}, .partition = {}, .from = {}, .to = {}, .limit = 9'999}))
            .size(),
        size_t{4 * rounds});
}

void SqliteFileTest::C50_aFullDiskWritesNothingAndIsOvercome()
{
    (void)opened();
    Lease lease;
    qint64 stored = 0;
    PollCommit big = page({u"1"_s});
    big.events.front().data = QByteArray(200'000, 'x');
    {
        SqlStore small(std::make_unique<SqliteConnection>(SqliteAccess{.path = path(), .maxPages = 300}));
        must(small.open());
        lease = *must(small.acquireLease(key(), u"a"_s, ttl, at(1)));
        std::optional<Error> full;
        while (!full) {
            const KeyState before = must(small.loadKey(key()));
            big.cursor.json = QByteArray::number(stored);
            const Result<CommitReceipt> done = QCoro::waitFor(small.commitPoll(key(), lease, big));
            if (done) {
                ++stored;
                QVERIFY(stored < 100);
                continue;
            }
            full = done.error();
            QCOMPARE(must(small.loadKey(key())), before);
        }
        QCOMPARE(full->kind, ErrorKind::StoreFull);
        QVERIFY(full->retryable && full->detail.contains(path()));
        QVERIFY(stored > 0);
        // Delivery goes on, and what it frees can be used.
        must(small.ackEvents(key(), lease, {1}));
        (void)must(small.commitPoll(key(), lease, big));
        QCOMPARE(must(small.loadKey(key())).counts.outboxPending, stored);
    }
    const auto roomy = opened();
    (void)must(roomy->commitPoll(key(), lease, big));
    QCOMPARE(must(roomy->loadKey(key())).lastSequence, stored + 2);
}

void SqliteFileTest::aReaderWaitsForItsStore()
{
    const auto early = reader();
    const Error error = failureOf(early->loadKeys());
    QCOMPARE(error.name, u"StoreMissing"_s);
    QVERIFY(error.detail.contains(path()));
    QVERIFY(!QFileInfo::exists(path()));
    const auto running = opened();
    QCOMPARE(must(early->loadKeys()).size(), size_t{1});
}

void SqliteFileTest::aReaderSeesWhatIsCommittedWhileOthersWrite()
{
    const auto running = opened();
    const auto watching = reader();
    const Lease lease = *must(running->acquireLease(key(), u"a"_s, ttl, at(1)));
    std::vector<StoreTask<CommitReceipt>> commits;
    std::vector<StoreTask<KeyState>> looks;
    for (int round = 0; round < 50; ++round) {
        commits.push_back(
            running->commitPoll(key(), lease, page({u"a%1"_s.arg(round), u"b%1"_s.arg(round)})));
        looks.push_back(watching->loadKey(key()));
    }
    qint64 seen = 0;
    for (auto &each : looks) {
        const KeyState state = must(std::move(each));
        QVERIFY(state.counts.items % 2 == 0 && state.counts.items >= seen);
        QCOMPARE(state.counts.items, state.lastSequence);
        seen = state.counts.items;
    }
    for (auto &each : commits)
        (void)must(std::move(each));
    QCOMPARE(must(watching->loadKey(key())), must(running->loadKey(key())));
    QCOMPARE(must(watching->readOutbox(key(), 0, 1'000)).size(), size_t{100});
    must(running->close());
    QCOMPARE(must(watching->readItems(key(), {}, 1'000)).size(), size_t{100});
}

void SqliteFileTest::aReaderRefusesAnOlderSchema()
{
    (void)opened();
    SqliteFile(path()).run(u"PRAGMA user_version = 0"_s);
    QCOMPARE(failureOf(reader()->loadKeys()).name, u"StoreNeedsMigration"_s);
}

void SqliteFileTest::theStampChangesWithTheWritesOfOthers()
{
    const auto one = opened();
    const auto two = opened();
    const auto watching = reader();
    const qint64 before = must(one->changeStamp());
    const qint64 watched = must(watching->changeStamp());
    QCOMPARE(must(one->changeStamp()), before);
    QCOMPARE(must(watching->changeStamp()), watched);
    must(two->pauseKey(key(), Pause::Operator, audit()));
    QVERIFY(must(one->changeStamp()) != before);
    QVERIFY(must(watching->changeStamp()) != watched);
}

void SqliteFileTest::rowsBehindAParkedEventAreSetAsideAndBroughtBack()
{
    const auto running = opened();
    const Lease lease = *must(running->acquireLease(key(), u"a"_s, ttl, at(1)));
    PollCommit many = page({});
    for (int number = 0; number < 1'000; ++number)
        many.events.push_back(newEvent(number % 2 ? u"odd"_s : u"even"_s));
    must(running->commitPoll(key(), lease, many));
    must(running->parkEvent(key(), lease, 1, poison()));
    must(running->parkEvent(key(), lease, 2, poison()));
    QVERIFY(must(running->loadPending(key(), {at(1), 100, {}})).empty());
    SqliteFile file(path());
    QCOMPARE(file.value(u"SELECT count(*) FROM outbox WHERE aside = 1"_s).toInt(), 998);
    ParkedFilter first;
    first.limit = 1;
    QCOMPARE(must(running->discardParked(first, audit())).done, 1);
    QCOMPARE(file.value(u"SELECT count(*) FROM outbox WHERE aside = 1"_s).toInt(), 499);
    QCOMPARE(must(running->loadPending(key(), {at(1), 9'999, {}})).size(), size_t{499});
    QCOMPARE(must(running->retryParked({}, audit())).done, 1);
    QCOMPARE(file.value(u"SELECT count(*) FROM outbox WHERE aside = 1"_s).toInt(), 0);
}

void SqliteFileTest::marksOfEndedScansDoNotStay()
{
    const auto running = opened();
    const Lease lease = *must(running->acquireLease(key(), u"a"_s, ttl, at(1)));
    SqliteFile file(path());
    const auto marks = [&] { return file.value(u"SELECT count(*) FROM scan_seen"_s).toInt(); };
    PollCommit listing = page({u"1"_s});
    listing.scan = scan();
    listing.markSeen = true;
    (void)must(running->commitPoll(key(), lease, listing));
    const auto second = must(running->commitPoll(key(), lease, listing)).scanId;
    QCOMPARE(marks(), 1);
    ScanCompletion last;
    last.scanId = *second;
    (void)must(running->completeScan(key(), lease, last));
    QCOMPARE(marks(), 0);
    (void)must(running->commitPoll(key(), lease, listing));
    (void)must(running->commitPoll(key(), lease, page({})));
    QCOMPARE(marks(), 0);
    (void)must(running->commitPoll(key(), lease, listing));
    must(running->resetCursor(key(), {}, false, {}, audit()));
    QCOMPARE(marks(), 0);
}

void SqliteFileTest::otherKinds()
{
    QVERIFY(makeStoreReader(MemoryStoreDefinition{}).value() == nullptr);
    QCOMPARE(makeStore(PostgresStoreDefinition{}).error().kind, ErrorKind::Workspace);
    QCOMPARE(makeStoreReader(RedisStoreDefinition{}).error().kind, ErrorKind::Workspace);
}

void SqliteFileTest::whatAScanDeletesIsReadInPieces()
{
    constexpr int total = 20'000;
    const auto running = opened();
    const Lease lease = *must(running->acquireLease(key(), u"a"_s, ttl, at(1)));
    PollCommit all = page({});
    all.scan = scan();
    for (int number = 0; number < total; ++number) {
        all.upserts.push_back(item(QString::number(number)));
        all.upserts.back().payload = QByteArray(500, 'x');
    }
    ScanCompletion last;
    last.scanId = *must(running->commitPoll(key(), lease, std::move(all))).scanId;
    last.deletes = ScanCompletion::Deletes::Emit;
    std::optional<qint64> held;
    last.makeDeletion = [&held, before = tests::liveHeap()](const ItemRow &row) {
        held = held.value_or(tests::liveHeap() - before);
        return deletionOf(row);
    };
    QCOMPARE(must(running->completeScan(key(), lease, last)).deleted, total);
    QVERIFY2(*held < 4'000'000, qPrintable(QString::number(*held)));
}

/// Printed, never asserted: a page of 500 events is committed, read and acknowledged by 100.
void SqliteFileTest::howFastItIs()
{
    constexpr int pages = 40;
    const auto running = opened();
    const Lease lease = *must(running->acquireLease(key(), u"a"_s, ttl, at(1)));
    QElapsedTimer timer;
    timer.start();
    qint64 acknowledged = 0;
    for (int number = 0; number < pages; ++number) {
        PollCommit some = page({});
        std::vector<QString> identities;
        for (int index = 0; index < 500; ++index) {
            identities.push_back(QString::number(number * 500 + index));
            some.upserts.push_back(item(identities.back()));
            some.upserts.back().payload.reset();
            some.events.push_back(newEvent(identities.back()));
        }
        (void)must(running->loadVersions(key(), identities, std::nullopt));
        (void)must(running->commitPoll(key(), lease, some));
        for (auto rows = must(running->loadPending(key(), {at(1), 100, {}})); !rows.empty();
             rows = must(running->loadPending(key(), {at(1), 100, {}}))) {
            must(running->ackEvents(key(), lease, sequencesOf(rows)));
            acknowledged += static_cast<qint64>(rows.size());
        }
    }
    QCOMPARE(acknowledged, 500 * pages);
    qInfo("%lld items/s read, committed, loaded and acknowledged",
          acknowledged * 1'000 / std::max<qint64>(1, timer.elapsed()));
}

} // namespace watukuy::contract

QTEST_GUILESS_MAIN(watukuy::contract::SqliteFileTest)
#include "test_sqlite_file.moc"
