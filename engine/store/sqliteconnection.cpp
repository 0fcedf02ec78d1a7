// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/store/sqliteconnection.h"

#include <QFile>
#include <QFileInfo>
#include <QStorageInfo>

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

constexpr int applicationId = 0x57746b79; // "Wtky", in the file's header
constexpr int busyTimeoutMs = 10'000;
constexpr int maxRepeats = 5;
constexpr qint64 nearlyNothing = 1 << 20;

// Primary result codes, https://www.sqlite.org/rescode.html
enum SqliteCode {
    Busy = 5,
    Locked = 6,
    ReadOnly = 8,
    IoError = 10,
    Corrupt = 11,
    Full = 13,
    CannotOpen = 14,
    NoDatabase = 26,
    IoErrorWrite = 778,   // extended
    IoErrorShmSize = 4874 // extended
};

int primary(int code)
{
    return code & 0xff;
}

Error damaged(const QString &path, const QString &what)
{
    return {.kind = ErrorKind::StoreDamaged,
            .name = u"StoreDamagedError"_s,
            .title = u"The store file cannot be used: %1"_s.arg(what),
            .detail = u"%1 was left as it is"_s.arg(path),
            .nextStep = u"set the file aside and restore a backup, or name another store in the workspace"_s,
            .retryable = false};
}

Error storeError(const QString &name, const QString &title, const QString &detail, const QString &nextStep)
{
    return {.kind = ErrorKind::Store, .name = name, .title = title, .detail = detail, .nextStep = nextStep};
}

Error missing(const QString &path)
{
    return storeError(u"StoreMissing"_s, u"There is no store yet"_s, u"%1 does not exist"_s.arg(path),
                      u"run the workspace once, or name the right store in it"_s);
}

} // namespace

SqliteConnection::SqliteConnection(SqliteAccess access)
    : m_access(std::move(access))
{
}

SqliteConnection::~SqliteConnection() = default;

Result<void> SqliteConnection::open()
{
    if (isOpen())
        return {};
    clearFailure();
    Result<void> done = prepareFile();
    if (done)
        done = connectToFile();
    if (done)
        done = checkIdentity();
    if (done && m_access.mode == SqliteAccess::Mode::Write) {
        done = useWriteAheadLog();
        if (done)
            done = migrate(*this, m_access.migrations, m_access.path);
        if (done)
            done = transact(Durability::Full, [] {}); // a file that cannot be written shows it here
    }
    if (!done)
        close();
    clearFailure();
    return done;
}

Result<void> SqliteConnection::prepareFile() const
{
    const QFileInfo file(m_access.path);
    if (file.exists())
        return {};
    if (m_access.mode == SqliteAccess::Mode::Read)
        return fail(missing(m_access.path));
    if (!QFileInfo(file.path()).isDir())
        return fail(storeError(u"StoreFolderMissing"_s, u"The store's folder does not exist"_s,
                               u"%1, for the store %2"_s.arg(file.path(), file.fileName()),
                               u"create the folder, or name another store in the workspace"_s));
    // SQLite gives its -wal and -shm files the mode of the database, so this covers all three. NewOnly
    // fails when another process was faster, which is as good.
    QFile fresh(m_access.path);
    if (!fresh.open(QIODevice::WriteOnly | QIODevice::NewOnly, QFile::ReadOwner | QFile::WriteOwner) &&
        !QFileInfo::exists(m_access.path))
        return fail(storeError(u"StoreCannotOpen"_s, u"The store file cannot be created"_s,
                               u"%1: %2"_s.arg(m_access.path, fresh.errorString()),
                               u"make the folder writable, or name another store in the workspace"_s));
    return {};
}

Result<void> SqliteConnection::connectToFile()
{
    const bool reading = m_access.mode == SqliteAccess::Mode::Read;
    const bool opened = openDatabase(u"QSQLITE"_s, [&](QSqlDatabase &database) {
        database.setDatabaseName(m_access.path);
        database.setConnectOptions(u"QSQLITE_BUSY_TIMEOUT=%1%2"_s.arg(busyTimeoutMs)
                                       .arg(reading ? u";QSQLITE_OPEN_READONLY"_s : QString()));
    });
    m_synchronous = Durability::Full;
    if (!opened)
        return fail(takeFailure());
    execute(u"PRAGMA cache_size=-65536"_s);
    execute(u"PRAGMA foreign_keys=ON"_s);
    execute(u"PRAGMA synchronous=FULL"_s);
    execute(u"PRAGMA journal_size_limit=67108864"_s);
    if (m_access.maxPages > 0)
        execute(u"PRAGMA max_page_count=%1"_s.arg(m_access.maxPages));
    if (failed())
        return fail(takeFailure());
    return {};
}

Result<void> SqliteConnection::checkIdentity()
{
    qint64 id = 0;
    qint64 version = 0;
    qint64 objects = 0;
    // One reading: another process may be making the store in between.
    const auto read = transact(Durability::Read, [&] {
        id = ask(u"PRAGMA application_id"_s);
        version = ask(u"PRAGMA user_version"_s);
        objects = ask(u"SELECT count(*) FROM sqlite_schema"_s);
    });
    if (!read)
        return read;
    const bool empty = id == 0 && version == 0 && objects == 0;
    const bool reading = m_access.mode == SqliteAccess::Mode::Read;
    if (empty)
        return reading ? Result<void>(fail(missing(m_access.path))) : Result<void>();
    if (id != applicationId)
        return fail(damaged(m_access.path, u"it is a SQLite database, but not a Watukuy store"_s));
    const int known = m_access.migrations.empty() ? 0 : m_access.migrations.back().number;
    if (version > known)
        return fail(newerStore(m_access.path, static_cast<int>(version), known));
    if (reading && version < known)
        return fail(storeError(
            u"StoreNeedsMigration"_s, u"The store was written by an older version"_s,
            u"%1 has schema %2, this program needs %3"_s.arg(m_access.path).arg(version).arg(known),
            u"run `watukuy migrate`, or start the engine once"_s));
    return {};
}

Result<void> SqliteConnection::useWriteAheadLog()
{
    // Two processes that open a new file at once meet here, and SQLite gives up the change of mode
    // without waiting. A write transaction does wait for the other one.
    for (int attempt = 0; attempt < maxRepeats; ++attempt) {
        QSqlQuery query(database());
        if (query.exec(u"PRAGMA journal_mode=WAL"_s) && query.next() &&
            query.value(0).toString().compare("wal"_L1, Qt::CaseInsensitive) == 0)
            return {};
        const QSqlError error = query.lastError();
        query.finish();
        if (error.isValid() && primary(error.nativeErrorCode().toInt()) != Busy) {
            failFrom(error);
            return fail(takeFailure());
        }
        clearFailure();
        if (auto waited = transact(Durability::Full, [] {}); !waited)
            return waited;
    }
    return fail(storeError(u"StoreNoWal"_s, u"The store cannot be used from here"_s,
                           u"SQLite refused write-ahead logging for %1"_s.arg(m_access.path),
                           u"keep the store on a local disk, not on a network share"_s));
}

int SqliteConnection::schemaNumber()
{
    return static_cast<int>(ask(u"PRAGMA user_version"_s));
}

bool SqliteConnection::setSchemaNumber(int number)
{
    return execute(u"PRAGMA application_id=%1"_s.arg(applicationId)) &&
           execute(u"PRAGMA user_version=%1"_s.arg(number));
}

qint64 SqliteConnection::changeStamp()
{
    return ask(u"PRAGMA data_version"_s);
}

bool SqliteConnection::beginTransaction(Durability durability)
{
    if (durability == Durability::Read)
        return use("BEGIN").run();
    if (durability != m_synchronous) {
        // The pragma acts while it is prepared, so a cached statement would do nothing.
        if (!execute(durability == Durability::Full ? u"PRAGMA synchronous=FULL"_s
                                                    : u"PRAGMA synchronous=NORMAL"_s))
            return false;
        m_synchronous = durability;
    }
    return use("BEGIN IMMEDIATE").run();
}

bool SqliteConnection::commitTransaction()
{
    return use("COMMIT").run();
}

void SqliteConnection::rollbackTransaction()
{
    // Some failures have rolled back already; then this one has nothing to do and may fail.
    QSqlQuery query(database());
    query.exec(u"ROLLBACK"_s);
}

bool SqliteConnection::isDiskFull(int code) const
{
    if (primary(code) == Full)
        return true;
    return (code == IoErrorWrite || code == IoErrorShmSize) &&
           QStorageInfo(QFileInfo(m_access.path).path()).bytesAvailable() < nearlyNothing;
}

Error SqliteConnection::explain(const QSqlError &error) const
{
    const int code = error.nativeErrorCode().toInt();
    const QString where = u"%1: %2 (SQLite %3)"_s.arg(m_access.path, error.databaseText()).arg(code);
    if (isDiskFull(code))
        return {.kind = ErrorKind::StoreFull,
                .name = u"StoreFullError"_s,
                .title = u"There is no space left for the store"_s,
                .detail = where + u"; nothing was written"_s,
                .nextStep = u"free some space: polling goes on by itself"_s,
                .retryable = true};
    switch (primary(code)) {
    case Corrupt:
        return damaged(m_access.path, u"it is damaged (%1)"_s.arg(error.databaseText()));
    case NoDatabase:
        return damaged(m_access.path, u"it is not a database"_s);
    case ReadOnly:
        return storeError(u"StoreReadOnly"_s, u"The store is read-only"_s, where,
                          u"make the file and its folder writable, or name another store in the workspace"_s);
    case CannotOpen:
        return storeError(u"StoreCannotOpen"_s, u"The store cannot be opened"_s, where,
                          u"check that the folder exists and that file and folder are writable"_s);
    default:
        break;
    }
    const bool passing = primary(code) == Busy || primary(code) == Locked || primary(code) == IoError;
    return {.kind = ErrorKind::Store,
            .name = primary(code) == Busy ? u"StoreBusy"_s : u"StoreError"_s,
            .title = primary(code) == Busy ? u"The store is busy"_s : u"The store failed"_s,
            .detail = where,
            .nextStep = passing ? u"nothing to do unless it repeats: it is tried again"_s
                                : u"report this with the text above"_s,
            .retryable = passing};
}

bool SqliteConnection::isWorthRepeating(const QString &nativeCode, int attempt)
{
    const int code = nativeCode.toInt();
    if (primary(code) == Busy || primary(code) == Locked)
        return attempt < maxRepeats;
    if (isDiskFull(code) && attempt == 1) {
        // A write-ahead log that was carried over into the file starts anew in the space it has, so
        // acknowledgements go through although nothing can grow.
        QSqlQuery query(database());
        return query.exec(u"PRAGMA wal_checkpoint(RESTART)"_s) && query.next() && query.value(0).toInt() == 0;
    }
    return false;
}

} // namespace watukuy
