// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/delivery/dispatcher.h"

#include <deque>

#include "engine/delivery/envelope.h"
#include "engine/schedule/schedule.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

constexpr size_t ackGroupSize = 100;
constexpr Duration ackGroupAge{50};
const BackoffDefinition sinkBackoff{Duration{1000}, 2, Duration{60'000}};

struct Parking {
    qint64 sequence = 0;
    ParkedRow row;
};

} // namespace

/// One batch of eligible rows on its way, shared by the coroutines that deliver it.
struct Dispatcher::Slice {
    std::shared_ptr<const PollerDefinition> poller;
    Key key;
    DrainPermit permit;
    std::deque<OutboxRow> rows;  ///< to be offered, in order of sequence
    QSet<QString> closedKeys;    ///< ordering keys with a row under way or a row that failed
    std::vector<Event> accepted; ///< by all sinks, not acked yet
    std::optional<Duration> acceptedSince;
    std::vector<RetryPatch> retries;
    std::vector<Parking> parkings;
    bool stop = false;
    bool settling = false;
    DrainReport report;

    /// The first row whose ordering key is open; closes the key.
    std::optional<OutboxRow> take()
    {
        const auto found = std::ranges::find_if(
            rows, [this](const OutboxRow &row) { return !closedKeys.contains(row.event.orderingKey); });
        if (found == rows.end())
            return {};
        OutboxRow row = std::move(*found);
        rows.erase(found);
        closedKeys.insert(row.event.orderingKey);
        return row;
    }

    [[nodiscard]] bool ackIsDue(Duration now) const
    {
        return accepted.size() >= ackGroupSize || (acceptedSince && now - *acceptedSince >= ackGroupAge);
    }
};

Dispatcher::Dispatcher(StateStore &store, const Clock &clock, Random &random, const Sinks &sinks,
                       int batchSize, std::function<void(const Event &)> delivered)
    : m_store(store)
    , m_clock(clock)
    , m_random(random)
    , m_sinks(sinks)
    , m_batchSize(batchSize)
    , m_delivered(std::move(delivered))
{
}

std::optional<Instant> Dispatcher::downUntil(const QString &sink) const
{
    const auto health = m_health.find(sink);
    if (health == m_health.end() || !(health->second.downUntil > m_clock.steady()))
        return {};
    return m_clock.now() + (*health->second.downUntil - m_clock.steady());
}

std::optional<Instant> Dispatcher::allDownUntil(const DeliverDefinition &deliver) const
{
    std::optional<Instant> earliest;
    for (const QString &name : deliver.to) {
        if (!m_sinks.contains(name))
            continue;
        const auto until = downUntil(name);
        if (!until)
            return {};
        earliest = std::min(earliest.value_or(*until), *until);
    }
    return earliest;
}

QCoro::Task<DrainReport> Dispatcher::drain(std::shared_ptr<const PollerDefinition> poller, Key key,
                                           DrainPermit permit)
{
    Slice slice{.poller = poller, .key = key, .permit = std::move(permit)};
    while (!slice.stop && !slice.report.error && slice.permit.mayGoOn()) {
        if (const auto until = allDownUntil(poller->deliver)) {
            slice.report.tryAgainAt = until;
            break;
        }
        PendingQuery query{.now = m_clock.now(), .limit = m_batchSize};
        auto pending = co_await m_store.loadPending(key, std::move(query));
        if (!pending) {
            slice.report.error = pending.error();
            break;
        }
        if (pending->empty())
            break;
        slice.rows.assign(std::make_move_iterator(pending->begin()), std::make_move_iterator(pending->end()));
        std::vector<QCoro::Task<void>> workers;
        for (int worker = 0; worker < std::max(1, poller->deliver.concurrency); ++worker)
            workers.push_back(deliverInOrder(&slice));
        for (auto &worker : workers)
            co_await worker;
        slice.rows.clear();
        slice.closedKeys.clear();
        co_await settle(&slice);
        if (auto renewed = co_await slice.permit.renew(); !renewed && !slice.report.error)
            slice.report.error = renewed.error();
    }
    co_return std::move(slice.report);
}

QCoro::Task<void> Dispatcher::deliverInOrder(Slice *slice)
{
    while (!slice->stop && slice->permit.mayGoOn()) {
        std::optional<OutboxRow> row = slice->take();
        if (!row)
            co_return;
        const SinkAnswer answer = co_await offer(slice, &*row);
        if (answer.outcome != SinkAnswer::Outcome::Accepted)
            continue;
        slice->closedKeys.remove(row->event.orderingKey);
        slice->accepted.push_back(std::move(row->event));
        if (!slice->acceptedSince)
            slice->acceptedSince = m_clock.steady();
        if (slice->ackIsDue(m_clock.steady()) && !slice->settling)
            co_await settle(slice);
    }
}

/// Offers the event to every sink that has not taken it. One that is down or refuses it keeps it from
/// no other.
QCoro::Task<SinkAnswer> Dispatcher::offer(Slice *slice, OutboxRow *row)
{
    const DeliverDefinition &deliver = slice->poller->deliver;
    const int attempt = row->attempts + 1;
    const qsizetype before = row->acceptedBy.size();
    std::optional<std::pair<QString, SinkAnswer>> refusal;
    std::optional<Instant> waitUntil;
    const auto waitFor = [&](const QString &sink) {
        const Instant until = downUntil(sink).value_or(m_clock.now());
        waitUntil = std::max(waitUntil.value_or(until), until);
    };
    for (const QString &name : deliver.to) {
        const auto sink = m_sinks.find(name);
        if (row->acceptedBy.contains(name) || sink == m_sinks.end())
            continue;
        if (downUntil(name)) {
            waitFor(name);
            continue;
        }
        Delivery delivery{.event = row->event,
                          .attempt = attempt,
                          .format = deliver.format,
                          .envelope = envelopeOf(row->event, attempt, deliver.format)};
        const SinkAnswer answer = co_await sink->second->deliver(std::move(delivery));
        if (answer.outcome == SinkAnswer::Outcome::Accepted) {
            m_health[name] = {};
            row->acceptedBy.append(name);
        } else if (answer.outcome == SinkAnswer::Outcome::Refused) {
            refusal = refusal.value_or(std::pair{name, answer});
        } else {
            markDown(slice, name, answer);
            waitFor(name);
        }
    }
    if (refusal) {
        judge(slice, *row, refusal->second, refusal->first);
        co_return refusal->second;
    }
    if (!waitUntil)
        co_return SinkAnswer{};
    // With every sink down nothing is written: the whole outbox waits for them.
    if (!slice->stop || row->acceptedBy.size() > before)
        slice->retries.push_back({row->event.sequence, row->attempts, waitUntil, row->acceptedBy, {}});
    SinkAnswer waits;
    waits.outcome = SinkAnswer::Outcome::Later;
    co_return waits;
}

void Dispatcher::markDown(Slice *slice, const QString &sink, const SinkAnswer &answer)
{
    SinkHealth &health = m_health[sink];
    const bool isFault = answer.outcome == SinkAnswer::Outcome::Down;
    health.failures += isFault ? 1 : 0;
    const Duration wait = std::max(Duration{100}, answer.retryAfter.value_or(schedule::backoffDelay(
                                                      health.failures, sinkBackoff, m_random.uniform())));
    health.downUntil = m_clock.steady() + wait;
    const Instant until = m_clock.now() + wait;
    slice->report.tryAgainAt = std::min(slice->report.tryAgainAt.value_or(until), until);
    slice->stop = slice->stop || allDownUntil(slice->poller->deliver).has_value();
    if (isFault)
        slice->report.sinkError = answer.error;
}

void Dispatcher::judge(Slice *slice, OutboxRow row, const SinkAnswer &answer, const QString &sink)
{
    const Instant now = m_clock.now();
    const DeliverDefinition &deliver = slice->poller->deliver;
    const AttemptRecord record{now, sink, answer.error.oneLine()};
    ++row.attempts;
    if (row.attempts < deliver.retry.attempts) {
        const Duration wait = schedule::backoffDelay(row.attempts, deliver.retry.backoff, m_random.uniform());
        slice->retries.push_back({row.event.sequence, row.attempts, now + wait, row.acceptedBy, record});
        return;
    }
    if (deliver.poisonAction == PoisonAction::Halt) {
        slice->stop = true;
        slice->report.error = Error{
            .kind = ErrorKind::Sink,
            .name = u"PoisonHalt"_s,
            .title = u"Event %1 could not be delivered and the poller halts on such events"_s.arg(
                QString::fromLatin1(row.event.id.toHex())),
            .detail = answer.error.oneLine(),
            .nextStep = u"Mend the receiver, then trigger the poller: the event is tried again first."_s};
        slice->retries.push_back({row.event.sequence, row.attempts - 1, {}, row.acceptedBy, record});
        return;
    }
    ParkedRow parked{.key = slice->key,
                     .kind = ParkedKind::Poison,
                     .event = row.event,
                     .error = answer.error,
                     .history = row.history,
                     .attempts = row.attempts,
                     .parkedAt = now,
                     .holdKey = deliver.holdKey,
                     .acceptedBy = row.acceptedBy};
    parked.history.append(record);
    slice->parkings.push_back({row.event.sequence, std::move(parked)});
}

/// Stores what the sinks said: acks only after every sink flushed, each kind in its own write. Events
/// of a sink that could not flush stay in the outbox and are offered again.
QCoro::Task<void> Dispatcher::settle(Slice *slice)
{
    slice->settling = true;
    std::vector<Event> accepted = std::exchange(slice->accepted, {});
    const std::vector<RetryPatch> retries = std::exchange(slice->retries, {});
    const std::vector<Parking> parkings = std::exchange(slice->parkings, {});
    slice->acceptedSince.reset();
    Result<void> stored;
    for (const QString &name : slice->poller->deliver.to) {
        const auto sink = m_sinks.find(name);
        if (accepted.empty() || sink == m_sinks.end())
            continue;
        const auto flushed = co_await sink->second->flush();
        if (!flushed) {
            const SinkAnswer down{SinkAnswer::Outcome::Down, flushed.error(), {}};
            markDown(slice, name, down);
            accepted.clear();
        }
    }
    const auto lease = slice->permit.lease();
    if (!lease) {
        stored = fail({.kind = ErrorKind::LeaseLost,
                       .name = u"LeaseLostError"_s,
                       .title = u"Another instance took over %1"_s.arg(slice->key.toString())});
    }
    if (stored && !accepted.empty()) {
        std::vector<qint64> sequences;
        sequences.reserve(accepted.size());
        for (const Event &event : accepted)
            sequences.push_back(event.sequence);
        stored = co_await m_store.ackEvents(slice->key, *lease, std::move(sequences));
        if (stored) {
            slice->report.delivered += static_cast<qint64>(accepted.size());
            for (const Event &event : accepted)
                m_delivered(event);
        }
    }
    if (stored && !retries.empty())
        stored = co_await m_store.retryEvents(slice->key, *lease, retries);
    for (const Parking &parking : parkings) {
        if (!stored)
            break;
        stored = co_await m_store.parkEvent(slice->key, *lease, parking.sequence, parking.row);
        slice->report.parked += stored ? 1 : 0;
    }
    if (!stored) {
        slice->report.error = stored.error();
        slice->stop = true;
    }
    slice->settling = false;
}

} // namespace watukuy
