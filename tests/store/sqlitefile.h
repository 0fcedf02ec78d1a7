// SPDX-License-Identifier: GPL-3.0-or-later
// A second, plain connection to a SQLite file, so that tests can look and meddle behind a store's back.
#pragma once

#include <map>

#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QSqlRecord>
#include <QString>
#include <QTest>
#include <QVariant>

namespace watukuy::contract {

class SqliteFile {
public:
    explicit SqliteFile(const QString &path)
        : m_name(QStringLiteral("behind-the-back-%1").arg(++s_counter))
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), m_name);
        database.setDatabaseName(path);
        if (!database.open())
            QTest::qFail(qPrintable(database.lastError().text()), __FILE__, __LINE__);
    }
    ~SqliteFile() { QSqlDatabase::removeDatabase(m_name); }
    Q_DISABLE_COPY_MOVE(SqliteFile)

    void run(const QString &sql)
    {
        QSqlQuery query(QSqlDatabase::database(m_name));
        if (!query.exec(sql))
            QTest::qFail(qPrintable(sql + QStringLiteral(": ") + query.lastError().text()), __FILE__,
                         __LINE__);
    }
    [[nodiscard]] QVariant value(const QString &sql)
    {
        QSqlQuery query(QSqlDatabase::database(m_name));
        return query.exec(sql) && query.next() ? query.value(0) : QVariant();
    }
    [[nodiscard]] QStringList tables()
    {
        QStringList names;
        QSqlQuery query(QSqlDatabase::database(m_name));
        query.exec(
            QStringLiteral("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
                           " ORDER BY name"));
        while (query.next())
            names.append(query.value(0).toString());
        return names;
    }
    /// Every row of every table.
    [[nodiscard]] std::map<QString, QVariantList> everything()
    {
        std::map<QString, QVariantList> rows;
        for (const QString &table : tables()) {
            QSqlQuery query(QSqlDatabase::database(m_name));
            query.exec(QStringLiteral("SELECT * FROM ") + table);
            while (query.next()) {
                for (int column = 0; column < query.record().count(); ++column)
                    rows[table].append(query.value(column));
            }
        }
        return rows;
    }

private:
    static inline int s_counter = 0;
    QString m_name;
};

} // namespace watukuy::contract
