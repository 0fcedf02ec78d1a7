// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/run/leasekeeper.h"

namespace watukuy {

LeaseKeeper::LeaseKeeper(StateStore &store, Clock &clock, Key key, Lease lease, Duration ttl,
                         Duration renewEvery)
    : m_store(store)
    , m_clock(clock)
    , m_key(std::move(key))
    , m_ttl(ttl)
    , m_renewEvery(renewEvery)
    , m_beat(std::make_shared<Beat>())
{
    m_beat->lease = std::move(lease);
    scheduleBeat();
}

LeaseKeeper::~LeaseKeeper()
{
    m_beat->ended = true;
    m_beat->wake.reset();
}

void LeaseKeeper::scheduleBeat()
{
    m_beat->wake = m_clock.wakeAfter(m_renewEvery, [this] {
        if (isLost())
            return;
        scheduleBeat();
        renewWith(&m_store, &m_clock, m_key, m_ttl, m_beat);
    });
}

QCoro::Task<Result<void>> LeaseKeeper::renew()
{
    return renewWith(&m_store, &m_clock, m_key, m_ttl, m_beat);
}

/// Only a lost lease ends the run: a store that is busy or full for a moment does not, because the
/// epoch is compared again by every write.
QCoro::Task<Result<void>> LeaseKeeper::renewWith(StateStore *store, Clock *clock, Key key, Duration ttl,
                                                 std::shared_ptr<Beat> beat)
{
    if (!beat->lease)
        co_return fail({.kind = ErrorKind::LeaseLost,
                        .name = QStringLiteral("LeaseLostError"),
                        .title = QStringLiteral("Another instance took over %1").arg(key.toString())});
    auto renewed = co_await store->renewLease(key, *beat->lease, ttl, clock->now());
    if (beat->ended)
        co_return Result<void>{};
    if (renewed) {
        beat->lease = std::move(renewed->lease);
        beat->pause = renewed->pause;
    } else if (renewed.error().kind == ErrorKind::LeaseLost) {
        beat->lease.reset();
    }
    if (!beat->lease)
        co_return fail(renewed.error());
    co_return Result<void>{};
}

QCoro::Task<Result<void>> LeaseKeeper::release()
{
    m_beat->wake.reset();
    if (!m_beat->lease)
        co_return Result<void>{};
    co_return co_await m_store.releaseLease(m_key, *m_beat->lease);
}

} // namespace watukuy
