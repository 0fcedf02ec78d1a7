// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/store/contract.h"

using namespace Qt::StringLiterals;

namespace watukuy::contract {

namespace {

const QString shop = u"shop"_s;

Key of(const QString &partition)
{
    return {shop, partition};
}

PartitionsPatch listing(const QStringList &keys, qint64 ms)
{
    PartitionsPatch patch{.poller = shop, .listedAt = at(ms), .firstInterval = Duration{7}, .now = at(ms)};
    for (const QString &each : keys)
        patch.listed.push_back({each, "{\"slug\":\"" + each.toUtf8() + "\"}"});
    patch.resume = [ms](ScheduleState schedule) {
        schedule.nextDueAt = at(ms);
        schedule.reason = ScheduleReason::Resumed;
        return schedule;
    };
    return patch;
}

} // namespace

/// What becomes of a poller's keys when its partitions are listed.
class PartitionContract final : public Contract {
    Q_OBJECT
public:
    using Contract::Contract;

private:
    PartitionsOutcome list(const QStringList &keys, qint64 ms)
    {
        return must(m_store->setPartitions(listing(keys, ms)));
    }
    KeyState stateOf(const QString &partition) { return must(m_store->loadKey(of(partition))); }

private Q_SLOTS:
    void aNewPartitionIsDueAtOnce()
    {
        const PartitionsOutcome outcome = list({u"b"_s, u"a"_s}, 10);
        QCOMPARE(outcome.added, (QStringList{u"b"_s, u"a"_s}));
        const KeyState fresh = stateOf(u"a"_s);
        QCOMPARE(fresh.schedule.nextDueAt, at(10));
        QCOMPARE(fresh.schedule.interval, Duration{7});
        QCOMPARE(fresh.partitionData, std::optional(QByteArray("{\"slug\":\"a\"}")));
        QCOMPARE(state().partitionData, std::optional(QByteArray())); // of another poller: untouched
    }

    void C66_whatIsNoLongerListedIsPausedAndGoesOnWhenItIsBack()
    {
        (void)list({u"a"_s, u"b"_s}, 10);
        PartitionsOutcome outcome = list({u"a"_s}, 20);
        QCOMPARE(outcome.removed, QStringList{u"b"_s});
        QVERIFY(outcome.added.isEmpty());
        QCOMPARE(stateOf(u"b"_s).pause, Pause::PartitionRemoved);
        QVERIFY(!stateOf(u"b"_s).partitionData);
        QVERIFY(list({u"a"_s}, 25).isEmpty());

        outcome = list({u"a"_s, u"b"_s}, 30);
        QCOMPARE(outcome.returned, QStringList{u"b"_s});
        QCOMPARE(stateOf(u"b"_s).pause, Pause::None);
        QCOMPARE(stateOf(u"b"_s).schedule.nextDueAt, at(30));
        QCOMPARE(toString(stateOf(u"b"_s).schedule.reason), "resumed"_L1);
        QVERIFY(stateOf(u"b"_s).partitionData);
    }

    void C66_whatAnOperatorPausedStaysPaused()
    {
        (void)list({u"a"_s, u"b"_s}, 10);
        AuditRow row = audit(u"pause"_s);
        row.key = of(u"b"_s);
        must(m_store->pauseKey(of(u"b"_s), Pause::Operator, row));
        QVERIFY(list({u"a"_s}, 20).removed.isEmpty());
        QVERIFY(list({u"a"_s, u"b"_s}, 30).returned.isEmpty());
        QCOMPARE(stateOf(u"b"_s).pause, Pause::Operator);
        QCOMPARE(stateOf(u"b"_s).pauseReason, u"because"_s);
    }

    void dataFollowsTheListing()
    {
        (void)list({u"a"_s}, 10);
        PartitionsPatch patch = listing({u"a"_s}, 20);
        patch.listed.front().data = "{\"slug\":\"new\"}";
        QVERIFY(must(m_store->setPartitions(patch)).isEmpty());
        QCOMPARE(stateOf(u"a"_s).partitionData, std::optional(QByteArray("{\"slug\":\"new\"}")));
        QCOMPARE(stateOf(u"a"_s).schedule.nextDueAt, at(10));
    }

    void aFailedListingIsRememberedUntilOneSucceeds()
    {
        QCOMPARE(must(m_store->readPartitionListing(shop)), PartitionListing{});
        (void)list({u"a"_s}, 10);
        const Error error{.kind = ErrorKind::Http, .name = u"X"_s, .title = u"down"_s};
        must(m_store->failPartitions(shop, error, at(20)));
        const PartitionListing failed = must(m_store->readPartitionListing(shop));
        QCOMPARE(failed.listedAt, std::optional(at(10)));
        QCOMPARE(failed.triedAt, std::optional(at(20)));
        QCOMPARE(failed.lastError.value_or(Error{}).title, u"down"_s);
        QCOMPARE(stateOf(u"a"_s).pause, Pause::None);
        (void)list({u"a"_s}, 30);
        QCOMPARE(must(m_store->readPartitionListing(shop)),
                 (PartitionListing{.listedAt = at(30), .triedAt = at(30), .lastError = {}}));
    }

    void aRefreshByHandIsAudited()
    {
        PartitionsPatch patch = listing({u"a"_s}, 10);
        patch.audit = audit(u"partitions refresh"_s);
        (void)must(m_store->setPartitions(patch));
        QCOMPARE(must(m_store->readAudit(std::nullopt, 9)), (std::vector<AuditRow>{*patch.audit}));
    }
};

std::unique_ptr<Contract> makePartitionContract(StoreFactory factory)
{
    return std::make_unique<PartitionContract>(std::move(factory));
}

} // namespace watukuy::contract

#include "partitioncontract.moc"
