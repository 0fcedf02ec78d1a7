// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/store/sqlconnection.h"

#include <atomic>

#include "engine/store/storeerrors.h"

namespace watukuy {

using namespace Qt::StringLiterals;

bool Statement::next()
{
    if (!m_query)
        return false;
    if (m_query->next())
        return true;
    if (m_query->lastError().isValid())
        m_connection.failFrom(m_query->lastError());
    return false;
}

std::optional<qint64> Statement::maybeInteger(int column) const
{
    return isNull(column) ? std::nullopt : std::optional(integer(column));
}

std::optional<Instant> Statement::maybeInstant(int column) const
{
    return isNull(column) ? std::nullopt : std::optional(instant(column));
}

std::optional<QByteArray> Statement::maybeBytes(int column) const
{
    return isNull(column) ? std::nullopt : std::optional(bytes(column));
}

std::optional<QString> Statement::maybeText(int column) const
{
    return isNull(column) ? std::nullopt : std::optional(text(column));
}

void Statement::bindOne(const QVariant &value)
{
    if (m_query)
        m_query->bindValue(m_bound++, value);
}

bool Statement::execute()
{
    m_bound = 0;
    if (!m_query || m_connection.failed())
        return false;
    return m_query->exec() || m_connection.failFrom(m_query->lastError());
}

std::optional<Transaction> Transaction::begin(SqlConnection &connection, Durability durability)
{
    if (connection.failed() || !connection.beginTransaction(durability))
        return std::nullopt;
    return Transaction(&connection);
}

bool Transaction::commit()
{
    if (!m_connection->commitTransaction())
        return false;
    m_connection = nullptr;
    return true;
}

Transaction::~Transaction()
{
    if (m_connection)
        m_connection->rollbackTransaction();
}

SqlConnection::SqlConnection()
{
    static std::atomic<int> counter{0};
    m_name = u"watukuy-store-%1"_s.arg(++counter);
}

SqlConnection::~SqlConnection()
{
    Q_ASSERT(!m_database.isValid()); // close() must happen on the thread that opened it
}

bool SqlConnection::openDatabase(const QString &driver, const std::function<void(QSqlDatabase &)> &configure)
{
    m_database = QSqlDatabase::addDatabase(driver, m_name);
    configure(m_database);
    return m_database.open() || failFrom(m_database.lastError());
}

void SqlConnection::close()
{
    m_statements.clear();
    if (!m_database.isValid())
        return;
    m_database.close();
    m_database = QSqlDatabase();
    QSqlDatabase::removeDatabase(m_name);
}

Statement SqlConnection::use(const char *sql)
{
    if (!checkOpen() || failed())
        return {*this, nullptr};
    auto &query = m_statements[sql];
    if (!query) {
        auto fresh = std::make_unique<QSqlQuery>(m_database);
        fresh->setForwardOnly(true);
        if (!fresh->prepare(QString::fromLatin1(sql))) {
            m_statements.erase(sql);
            failFrom(fresh->lastError());
            return {*this, nullptr};
        }
        query = std::move(fresh);
    }
    return {*this, query.get()};
}

bool SqlConnection::execute(const QString &sql)
{
    if (failed())
        return false;
    QSqlQuery query(m_database);
    return query.exec(sql) || failFrom(query.lastError());
}

qint64 SqlConnection::ask(const QString &sql)
{
    if (failed())
        return 0;
    QSqlQuery query(m_database);
    query.setForwardOnly(true);
    if (!query.exec(sql) || !query.next()) {
        failFrom(query.lastError());
        return 0;
    }
    return query.value(0).toLongLong();
}

void SqlConnection::failWith(Error error)
{
    if (m_failure)
        return;
    m_failure = std::move(error);
    m_failureCode.clear();
}

bool SqlConnection::failFrom(const QSqlError &error)
{
    if (!m_failure) {
        m_failure = explain(error);
        m_failureCode = error.nativeErrorCode();
    }
    return false;
}

Error SqlConnection::takeFailure()
{
    Error error = m_failure.value_or(Error{});
    clearFailure();
    return error;
}

void SqlConnection::clearFailure()
{
    m_failure.reset();
    m_failureCode.clear();
}

bool SqlConnection::checkOpen()
{
    if (isOpen())
        return true;
    failWith(storeerrors::notOpen());
    return false;
}

bool SqlConnection::mayRepeat(int attempt)
{
    const QString code = std::exchange(m_failureCode, QString());
    clearFailure();
    return !code.isEmpty() && isWorthRepeating(code, attempt);
}

} // namespace watukuy
