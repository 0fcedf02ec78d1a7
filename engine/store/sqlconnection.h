// SPDX-License-Identifier: GPL-3.0-or-later
// One database connection, its prepared statements and its transactions; used on one thread only.
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <unordered_map>

#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QVariant>

#include "engine/model/error.h"
#include "engine/model/instant.h"

namespace watukuy {

/// What a commit must survive.
enum class Durability {
    Read,    ///< nothing is written: one consistent view
    Relaxed, ///< survives the process, perhaps not a power cut: losing it repeats work, no more
    Full     ///< survives a power cut
};

class SqlConnection;

/// A prepared statement in use. Values are bound in order with bind(), then run() executes; rows are
/// read with next() and the column getters. The end of its life frees its read lock. After a failure
/// on the connection every call is without effect.
class Statement {
public:
    Statement(SqlConnection &connection, QSqlQuery *query)
        : m_connection(connection)
        , m_query(query)
    {
    }
    ~Statement()
    {
        if (m_query)
            m_query->finish();
    }
    Q_DISABLE_COPY_MOVE(Statement)

    template <typename... Values>
    Statement &bind(const Values &...values)
    {
        (bindOne(toVariant(values)), ...);
        return *this;
    }

    /// Binds `values`, if any, and executes. Statements may run again and again.
    template <typename... Values>
    bool run(const Values &...values)
    {
        bind(values...);
        return execute();
    }

    bool next();
    [[nodiscard]] bool isNull(int column) const { return m_query->isNull(column); }
    [[nodiscard]] qint64 integer(int column) const { return m_query->value(column).toLongLong(); }
    [[nodiscard]] int number(int column) const { return static_cast<int>(integer(column)); }
    [[nodiscard]] QString text(int column) const { return m_query->value(column).toString(); }
    [[nodiscard]] QByteArray bytes(int column) const { return m_query->value(column).toByteArray(); }
    [[nodiscard]] Instant instant(int column) const { return fromEpochMs(integer(column)); }
    [[nodiscard]] std::optional<qint64> maybeInteger(int column) const;
    [[nodiscard]] std::optional<Instant> maybeInstant(int column) const;
    [[nodiscard]] std::optional<QByteArray> maybeBytes(int column) const;
    [[nodiscard]] std::optional<QString> maybeText(int column) const;

    [[nodiscard]] qint64 changedRows() const { return m_query ? m_query->numRowsAffected() : 0; }
    [[nodiscard]] qint64 newId() const { return m_query ? m_query->lastInsertId().toLongLong() : 0; }

private:
    static QVariant toVariant(qint64 value) { return value; }
    static QVariant toVariant(int value) { return value; }
    static QVariant toVariant(bool value) { return value ? 1 : 0; }
    static QVariant toVariant(Instant value) { return static_cast<qint64>(toEpochMs(value)); }
    static QVariant toVariant(Duration value) { return static_cast<qint64>(value.count()); }
    // A null string or byte array would become NULL; here only nullopt is nothing.
    static QVariant toVariant(const QString &value)
    {
        return value.isNull() ? QString(QLatin1StringView("")) : value;
    }
    static QVariant toVariant(const QByteArray &value) { return value.isNull() ? QByteArray("") : value; }
    static QVariant toVariant(std::nullopt_t) { return {}; }
    template <typename T>
    static QVariant toVariant(const std::optional<T> &value)
    {
        return value ? toVariant(*value) : QVariant();
    }
    template <typename T>
        requires std::is_enum_v<T>
    static QVariant toVariant(T value)
    {
        return static_cast<int>(value);
    }

    void bindOne(const QVariant &value);
    bool execute();

    SqlConnection &m_connection;
    QSqlQuery *m_query; ///< null after a failure
    int m_bound = 0;
};

/// A transaction that rolls back unless it was committed. Move-only.
class Transaction {
public:
    /// Nothing when it could not begin; the connection has the failure.
    [[nodiscard]] static std::optional<Transaction> begin(SqlConnection &connection, Durability durability);
    [[nodiscard]] bool commit();

    ~Transaction();
    Transaction(Transaction &&other) noexcept
        : m_connection(std::exchange(other.m_connection, nullptr))
    {
    }
    Transaction &operator=(Transaction &&) = delete;
    Transaction(const Transaction &) = delete;
    Transaction &operator=(const Transaction &) = delete;

private:
    explicit Transaction(SqlConnection *connection)
        : m_connection(connection)
    {
    }
    SqlConnection *m_connection;
};

/// A connection that remembers its first failure: from then on nothing is executed any more, so work
/// may be written straight down and a transaction with a failure can never be committed. Subclasses
/// know one database each. Created anywhere, opened, used and closed on one thread.
class SqlConnection {
public:
    SqlConnection();
    virtual ~SqlConnection();
    Q_DISABLE_COPY_MOVE(SqlConnection)

    [[nodiscard]] virtual Result<void> open() = 0;
    void close();
    [[nodiscard]] bool isOpen() const { return m_database.isOpen(); }

    /// The statement with this text, prepared once. `sql` must be a literal: it is found by address.
    [[nodiscard]] Statement use(const char *sql);
    /// Executes `sql` unprepared. For pragmas and schema.
    bool execute(const QString &sql);
    /// The single number that `sql` answers with.
    [[nodiscard]] qint64 ask(const QString &sql);

    [[nodiscard]] bool failed() const { return m_failure.has_value(); }
    /// Makes the running work fail with `error`; the first failure stays.
    void failWith(Error error);
    [[nodiscard]] Error takeFailure();

    /// Runs `work()` in one transaction. A busy database repeats it, bounded, so `work` must be
    /// repeatable. Any failure rolls back and is the answer.
    template <typename Work>
    [[nodiscard]] auto transact(Durability durability, Work &&work) -> Result<std::invoke_result_t<Work &>>
    {
        for (int attempt = 1;; ++attempt) {
            if (auto answer = tryOnce(durability, work); answer || !mayRepeat(attempt))
                return answer;
        }
    }

    /// The number of the last migration that was applied; 0 for an empty database.
    [[nodiscard]] virtual int schemaNumber() = 0;
    virtual bool setSchemaNumber(int number) = 0;
    /// Changes whenever another connection has written.
    [[nodiscard]] virtual qint64 changeStamp() = 0;

protected:
    friend class Statement;
    friend class Transaction;

    [[nodiscard]] virtual bool beginTransaction(Durability durability) = 0;
    [[nodiscard]] virtual bool commitTransaction() = 0;
    virtual void rollbackTransaction() = 0;
    /// Our error for the database's.
    [[nodiscard]] virtual Error explain(const QSqlError &error) const = 0;
    /// After a failure with this code: whether the transaction may be tried again, the `attempt`-th time.
    [[nodiscard]] virtual bool isWorthRepeating(const QString &nativeCode, int attempt) = 0;

    bool failFrom(const QSqlError &error);
    [[nodiscard]] QSqlDatabase &database() { return m_database; }
    [[nodiscard]] bool openDatabase(const QString &driver,
                                    const std::function<void(QSqlDatabase &)> &configure);
    void clearFailure();

private:
    template <typename Work>
    [[nodiscard]] auto tryOnce(Durability durability, Work &work) -> Result<std::invoke_result_t<Work &>>
    {
        using Answer = std::invoke_result_t<Work &>;
        if (!checkOpen())
            return fail(takeFailure());
        if (auto transaction = Transaction::begin(*this, durability)) {
            if constexpr (std::is_void_v<Answer>) {
                work();
                if (!failed() && transaction->commit())
                    return {};
            } else {
                Answer answer = work();
                if (!failed() && transaction->commit())
                    return answer;
            }
        }
        return fail(*m_failure);
    }
    [[nodiscard]] bool checkOpen();
    [[nodiscard]] bool mayRepeat(int attempt);

    QString m_name;
    QSqlDatabase m_database;
    std::unordered_map<const char *, std::unique_ptr<QSqlQuery>> m_statements;
    std::optional<Error> m_failure;
    QString m_failureCode;
};

} // namespace watukuy
