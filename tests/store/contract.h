// SPDX-License-Identifier: GPL-3.0-or-later
// The store contract as tests: classes of them that every store must pass, and what they are written with.
#pragma once

#include <functional>
#include <memory>

#include <QCoroTask>
#include <QObject>
#include <QTest>

#include "engine/store/statestore.h"

namespace watukuy::contract {

/// A new, empty store of the kind under test.
using StoreFactory = std::function<std::unique_ptr<StateStore>()>;

/// The value of a call that must succeed.
template <typename T>
T must(StoreTask<T> task)
{
    Result<T> result = QCoro::waitFor(std::move(task));
    if (!result)
        QTest::qFail(qPrintable(result.error().name + QStringLiteral(": ") + result.error().oneLine()),
                     __FILE__, __LINE__);
    if constexpr (!std::is_void_v<T>)
        return result ? std::move(*result) : T{};
}

/// The error of a call that must fail.
template <typename T>
Error failureOf(StoreTask<T> task)
{
    const Result<T> result = QCoro::waitFor(std::move(task));
    if (result)
        QTest::qFail("the call succeeded although it must not", __FILE__, __LINE__);
    return result ? Error{} : result.error();
}

inline constexpr Duration ttl{30'000};
[[nodiscard]] Instant at(qint64 ms);
[[nodiscard]] Key key(const QString &partition = {});
[[nodiscard]] ItemRow item(const QString &identity, qint64 revision = 1);
[[nodiscard]] Event newEvent(const QString &subject, EventType type = EventType::Created);
[[nodiscard]] ParkedRow poison(bool holdKey = true);
[[nodiscard]] ParkedRow invalid(const QByteArray &raw);
[[nodiscard]] AuditRow audit(const QString &operation = QStringLiteral("test"), qint64 ms = 5'000);
/// A page with one created event per subject, and their rows.
[[nodiscard]] PollCommit page(const QStringList &subjects);
/// An open scan; id 0 begins one.
[[nodiscard]] ScanState scan(qint64 id = 0);
[[nodiscard]] std::pair<ItemRow, Event> deletionOf(const ItemRow &row);
[[nodiscard]] QStringList subjectsOf(const std::vector<OutboxRow> &rows);
[[nodiscard]] std::vector<qint64> sequencesOf(const std::vector<OutboxRow> &rows);

/// A store with one leased key for each test.
class Contract : public QObject {
    Q_OBJECT
public:
    explicit Contract(StoreFactory factory)
        : m_factory(std::move(factory))
    {
    }

protected:
    [[nodiscard]] CommitReceipt commit(const PollCommit &page)
    {
        return must(m_store->commitPoll(key(), m_lease, page));
    }
    [[nodiscard]] std::vector<OutboxRow> pending(qint64 nowMs = 10'000, int limit = 100,
                                                 QSet<QString> busy = {});
    [[nodiscard]] KeyState state() { return must(m_store->loadKey(key())); }
    [[nodiscard]] std::optional<StoredItem> stored(const QString &identity,
                                                   std::optional<qint64> scanId = {});

    StoreFactory m_factory;
    std::unique_ptr<StateStore> m_store;
    Lease m_lease;

private Q_SLOTS:
    void init();
    void cleanup();
};

/// Runs every class of the contract; the number of failures, for main().
[[nodiscard]] int runContract(const StoreFactory &factory, const QStringList &arguments);

[[nodiscard]] std::unique_ptr<Contract> makeLeaseContract(StoreFactory factory);
[[nodiscard]] std::unique_ptr<Contract> makePollContract(StoreFactory factory);
[[nodiscard]] std::unique_ptr<Contract> makeScanContract(StoreFactory factory);
[[nodiscard]] std::unique_ptr<Contract> makeDeliveryContract(StoreFactory factory);
[[nodiscard]] std::unique_ptr<Contract> makeParkedContract(StoreFactory factory);
[[nodiscard]] std::unique_ptr<Contract> makeAdminContract(StoreFactory factory);
[[nodiscard]] std::unique_ptr<Contract> makePartitionContract(StoreFactory factory);

} // namespace watukuy::contract
