// SPDX-License-Identifier: GPL-3.0-or-later
// Leases kept alive, lost and given back.
#include <QCoreApplication>
#include <QTest>

#include "engine/run/leasekeeper.h"
#include "tests/support/virtualclock.h"
#include "tests/support/makekeys.h"

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace watukuy;
using tests::VirtualClock;

class TestLeaseKeeper : public QObject {
    Q_OBJECT

    Key m_key{u"orders"_s, {}};
    VirtualClock m_clock;
    std::unique_ptr<StateStore> m_store;
    std::unique_ptr<LeaseKeeper> m_keeper;

    KeyState state() { return *QCoro::waitFor(m_store->loadKey(m_key)); }

    void pass(Duration by)
    {
        m_clock.advance(by);
        (void)state(); // answers come in order: the renewal is done when this one is
        QCoreApplication::processEvents();
    }

    void steal()
    {
        const auto stolen = QCoro::waitFor(m_store->acquireLease(m_key, u"other"_s, 30s, m_clock.now() + 1h));
        QVERIFY(stolen && *stolen);
    }

private Q_SLOTS:
    void init()
    {
        m_store = std::move(*makeStore(MemoryStoreDefinition{}));
        QVERIFY(QCoro::waitFor(m_store->open()));
        QVERIFY(QCoro::waitFor(tests::ensureKeys(m_store.get(), {{m_key, 1s}}, m_clock.now())));
        const auto lease = QCoro::waitFor(m_store->acquireLease(m_key, u"me"_s, 30s, m_clock.now()));
        m_keeper = std::make_unique<LeaseKeeper>(*m_store, m_clock, m_key, **lease, 30s, 10s);
    }
    void cleanup() { m_keeper.reset(); }

    void theHeartbeatMovesTheExpiry()
    {
        for (int beat = 1; beat <= 10; ++beat) {
            pass(10s);
            QCOMPARE(state().lease->expiresAt, m_clock.now() + 30s);
        }
        QCOMPARE(m_keeper->lease()->epoch, 1);
        QCOMPARE(m_clock.pendingWakes(), 1);
    }

    void aStolenLeaseIsNoticedByTheHeartbeat()
    {
        steal();
        QVERIFY(!m_keeper->isLost());
        pass(10s);
        QVERIFY(m_keeper->isLost());
        pass(30s);
        QCOMPARE(m_clock.pendingWakes(), 0);
        QCOMPARE(state().lease->owner, u"other"_s);
    }

    void aLostLeaseIsNotGivenBack()
    {
        steal();
        const auto renewed = QCoro::waitFor(m_keeper->renew());
        QVERIFY(!renewed);
        QCOMPARE(renewed.error().kind, ErrorKind::LeaseLost);
        QVERIFY(QCoro::waitFor(m_keeper->release()));
        QCOMPARE(state().lease->owner, u"other"_s);
    }

    void aReleaseEndsTheHeartbeat()
    {
        QVERIFY(QCoro::waitFor(m_keeper->release()));
        QVERIFY(!state().lease);
        QCOMPARE(m_clock.pendingWakes(), 0);
    }

    void aKeeperThatIsGoneRenewsNoMore()
    {
        m_clock.advance(10s); // a renewal is under way
        m_keeper.reset();
        QCoreApplication::processEvents();
        QCOMPARE(m_clock.pendingWakes(), 0);
        (void)state();
    }

    void aPauseIsLearntFromARenewal()
    {
        QVERIFY(!m_keeper->isPaused());
        QVERIFY(QCoro::waitFor(m_store->pauseKey(m_key, Pause::Operator, {})));
        QVERIFY(QCoro::waitFor(m_keeper->renew()));
        QVERIFY(m_keeper->isPaused());
    }
};

QTEST_GUILESS_MAIN(TestLeaseKeeper)

#include "test_leasekeeper.moc"
