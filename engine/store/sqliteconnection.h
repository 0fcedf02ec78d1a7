// SPDX-License-Identifier: GPL-3.0-or-later
// A connection to a SQLite file: opening it with care, durability, and what its errors mean.
#pragma once

#include "engine/store/migrations.h"
#include "engine/store/sqlconnection.h"

namespace watukuy {

/// How a SQLite file is opened.
struct SqliteAccess {
    enum class Mode { Write, Read };
    QString path; ///< absolute
    Mode mode = Mode::Write;
    qint64 maxPages = 0; ///< a cap on the file, in pages, beyond which it counts as full; 0 = none
    std::span<const Migration> migrations = sqliteMigrations();
};

/// WAL, IMMEDIATE transactions, file mode 0600. A file that is no Watukuy store, is damaged or is
/// newer is refused before anything in it is changed.
class SqliteConnection final : public SqlConnection {
public:
    explicit SqliteConnection(SqliteAccess access);
    ~SqliteConnection() override;

    [[nodiscard]] Result<void> open() override;
    [[nodiscard]] int schemaNumber() override;
    bool setSchemaNumber(int number) override;
    [[nodiscard]] qint64 changeStamp() override;

protected:
    [[nodiscard]] bool beginTransaction(Durability durability) override;
    [[nodiscard]] bool commitTransaction() override;
    void rollbackTransaction() override;
    [[nodiscard]] Error explain(const QSqlError &error) const override;
    [[nodiscard]] bool isWorthRepeating(const QString &nativeCode, int attempt) override;

private:
    [[nodiscard]] Result<void> prepareFile() const;
    [[nodiscard]] Result<void> connectToFile();
    [[nodiscard]] Result<void> checkIdentity();
    [[nodiscard]] Result<void> useWriteAheadLog();
    [[nodiscard]] bool isDiskFull(int code) const;

    SqliteAccess m_access;
    Durability m_synchronous = Durability::Full; ///< what the connection's pragma says now
};

} // namespace watukuy
