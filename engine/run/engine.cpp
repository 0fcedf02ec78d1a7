// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/run/engine.h"

#include <set>

#include <QCoreApplication>
#include <QSysInfo>

#include "engine/cursor/strategy.h"
#include "engine/run/partitions.h"
#include "engine/run/wake.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

constexpr int mostRunning = 32;
constexpr int mostWaiting = 256; ///< beside those, for budgets
constexpr Duration beat{1000};
constexpr Duration recentErrorWindow = std::chrono::minutes{5};
constexpr Duration storePause{5000};
constexpr Duration housekeepingEvery = std::chrono::minutes{1};
constexpr int pruneSlice = 2000;

bool isStoreError(const std::optional<Error> &error)
{
    return error && (error->kind == ErrorKind::Store || error->kind == ErrorKind::StoreFull ||
                     error->kind == ErrorKind::StoreDamaged);
}

} // namespace

QString instanceName(const WorkspaceDefinition &workspace, Random &random)
{
    if (!workspace.instance.isEmpty())
        return workspace.instance;
    const auto suffix = static_cast<quint32>(random.uniform() * 0xffffff);
    return u"%1-%2-%3"_s.arg(QSysInfo::machineHostName())
        .arg(QCoreApplication::applicationPid())
        .arg(suffix, 6, 16, QChar(u'0'));
}

Engine::Engine(const WorkspaceDefinition &workspace, StateStore &store, Clock &clock, Random &random,
               http::Transport &transport, Secrets &secrets, EngineObserver observer)
    : m_workspace(workspace)
    , m_store(store)
    , m_clock(clock)
    , m_random(random)
    , m_transport(transport)
    , m_secrets(secrets)
    , m_observer(std::move(observer))
    , m_client(transport, clock, secrets, workspace.credentials)
    , m_budgets(workspace.budgets, store, clock, [this](const Key &key) { noticeWaiting(key); })
    , m_ports{workspace, store, clock, random, m_client, m_budgets, instanceName(workspace, random)}
{
}

Engine::~Engine() = default;

QCoro::Task<Result<void>> Engine::prepare()
{
    if (auto made = makeSinks(); !made)
        co_return made;
    if (auto made = makePollers(); !made)
        co_return made;
    m_dispatcher =
        std::make_unique<Dispatcher>(m_store, m_clock, m_random, m_sinks, m_workspace.dispatchBatchSize,
                                     [this](const Event &event) { m_observer.delivered(event); });
    m_runner = std::make_unique<Runner>(m_ports, *m_dispatcher);
    if (auto written = co_await writePartitions(); !written)
        co_return written;
    co_return co_await loadKeys();
}

Result<void> Engine::makeSinks()
{
    for (const auto &[name, definition] : m_workspace.sinks) {
        const bool isUsed = std::ranges::any_of(m_workspace.pollers, [&](const auto &poller) {
            return poller.second.enabled && poller.second.deliver.to.contains(name);
        });
        if (!isUsed)
            continue;
        auto sink = makeSink(definition, {m_clock, m_secrets, m_transport, m_workspace.variables});
        if (!sink)
            return fail(sink.error());
        m_sinks.emplace(name, std::move(*sink));
    }
    return {};
}

/// What the poll cycle cannot honour is refused at the start, never ignored.
Result<void> Engine::makePollers()
{
    for (const auto &[name, definition] : m_workspace.pollers) {
        if (!definition.enabled)
            continue;
        if (auto strategy = cursor::makeStrategy(definition.cursor); !strategy)
            return fail(strategy.error());
        m_pollers[name].poller = std::make_shared<const PollerDefinition>(definition);
    }
    return {};
}

/// The partitions that the workspace names itself; of the others, when they were listed.
QCoro::Task<Result<void>> Engine::writePartitions()
{
    for (auto &[name, listings] : m_pollers) {
        const PollerDefinition &poller = *listings.poller;
        if (areWritten(poller.partitions)) {
            PartitionsPatch patch =
                partitionsPatch(poller, writtenPartitions(poller.partitions), m_clock.now());
            if (auto set = co_await m_store.setPartitions(std::move(patch)); !set)
                co_return fail(set.error());
            continue;
        }
        const auto listing = co_await m_store.readPartitionListing(name);
        if (!listing)
            co_return fail(listing.error());
        listings.next = nextListing(poller, *listing, m_clock.now());
        listings.error = listing->lastError;
    }
    co_return Result<void>{};
}

QCoro::Task<std::map<QString, Error>> Engine::refreshPartitions(QString only)
{
    const Instant now = m_clock.now();
    std::vector<QCoro::Task<void>> under;
    std::vector<QString> asked;
    for (const auto &[name, listings] : m_pollers) {
        const bool isWanted = only.isEmpty() || only == name;
        if (isWanted && listings.next && *listings.next <= now && !listings.isUnderWay) {
            asked.push_back(name);
            under.push_back(relist(name));
        }
    }
    for (auto &listing : under)
        co_await listing;
    std::map<QString, Error> failures;
    for (const QString &name : asked) {
        const Listings &listings = m_pollers.at(name);
        if (const auto &error = listings.putOff ? listings.putOff : listings.error)
            failures.emplace(name, *error);
    }
    co_return failures;
}

QCoro::Task<void> Engine::relist(QString poller)
{
    Listings &listings = m_pollers.at(poller);
    listings.isUnderWay = true;
    ++m_running;
    listings.isOutdated = false;
    const auto outcome =
        co_await watukuy::refreshPartitions(&m_ports, listings.poller, [this] { return mayGoOn(); });
    const auto listing = co_await m_store.readPartitionListing(poller);
    const bool isPutOff =
        !outcome && (isDeferral(outcome.error()) || outcome.error().kind == ErrorKind::Cancelled);
    const bool isFailure = !outcome && !isPutOff;
    const bool isNews = listings.error.has_value() != isFailure;
    listings.error = isFailure ? std::optional(outcome.error()) : std::nullopt;
    listings.putOff = isPutOff ? std::optional(outcome.error()) : std::nullopt;
    for (const auto &[key, entry] : m_keys) {
        if (isNews && key.poller == poller)
            m_observer.keyChanged(key);
    }
    listings.next = nextListing(*listings.poller, listing.value_or(PartitionListing{}), m_clock.now());
    if (!listing || (!outcome && !isFailure))
        listings.next = m_clock.now() + listings.poller->schedule.min;
    if (!outcome && outcome.error().notBefore)
        listings.next = std::max(*listings.next, *outcome.error().notBefore);
    else if (listings.isOutdated)
        listings.next = m_clock.now();
    if (isFailure)
        say(LogLevel::Error, {poller, {}},
            u"The partitions stay as they are: %1"_s.arg(outcome.error().oneLine()));
    if (outcome && !outcome->isEmpty()) {
        say(LogLevel::Info, {poller, {}},
            u"Partitions: %1 new, %2 no longer listed, %3 back"_s.arg(outcome->added.size())
                .arg(outcome->removed.size())
                .arg(outcome->returned.size()));
        co_await loadKeys();
    }
    listings.isUnderWay = false;
    --m_running;
    m_progress.ring();
    pump();
}

/// A snapshot that changed may list other partitions of those who take theirs from it. A running engine
/// lists them with its next beat: many changes cost one listing.
void Engine::relistFrom(const Key &key, const RunReport &report)
{
    const bool changed =
        std::ranges::any_of(report.lanes, [](const PollSummary &lane) { return lane.events.total() > 0; });
    for (auto &[name, listings] : m_pollers) {
        const PartitionsDefinition &partitions = listings.poller->partitions;
        const bool isListedThere =
            partitions.source == PartitionSource::Poller && partitions.poller == key.poller;
        if (!changed || !isListedThere)
            continue;
        listings.isOutdated = true;
        listings.next = m_clock.now();
        if (!m_started && !listings.isUnderWay && mayGoOn())
            relist(name);
    }
}

std::optional<Error> Engine::listingErrorOf(const QString &poller) const
{
    const auto found = m_pollers.find(poller);
    return found == m_pollers.end() ? std::nullopt : found->second.error;
}

QCoro::Task<Result<void>> Engine::loadKeys()
{
    auto states = co_await m_store.loadKeys();
    if (!states)
        co_return fail(states.error());
    dropMissing(*states);
    for (KeyState &state : *states) {
        if (m_pollers.contains(state.key.poller))
            takeState(std::move(state));
    }
    co_return Result<void>{};
}

void Engine::takeState(KeyState state)
{
    const Key key = state.key;
    KeyEntry &entry = m_keys[key];
    if (entry.running || entry.state == state)
        return;
    entry.poller = m_pollers.at(key.poller).poller;
    entry.state = std::move(state);
    entry.deliveryWaits = false;
    entry.notBefore.reset();
    reschedule(key, entry);
    m_observer.keyChanged(key);
}

/// Keys that an operator has removed.
void Engine::dropMissing(const std::vector<KeyState> &states)
{
    std::set<Key> present;
    for (const KeyState &state : states)
        present.insert(state.key);
    std::vector<Key> gone;
    for (const auto &[key, entry] : m_keys) {
        if (!present.contains(key) && !entry.running)
            gone.push_back(key);
    }
    for (const Key &key : gone)
        forget(key);
}

void Engine::forget(const Key &key)
{
    m_due.remove(key);
    m_keys.erase(key);
    m_observer.keyRemoved(key);
}

void Engine::start()
{
    m_started = true;
    m_ports.listingPatience = std::chrono::years{10}; // a pass has no time for it, a running engine has
    say(LogLevel::Info, {}, u"Engine started: %1 keys, instance %2"_s.arg(m_keys.size()).arg(instance()));
    heartbeat();
}

void Engine::heartbeat()
{
    if (m_stopping)
        return;
    m_beat = m_clock.wakeAfter(beat, [this] { heartbeat(); });
    noticeClockJump();
    lookForChanges();
    housekeeping();
    refreshPartitions({});
    pump();
}

/// Due times are wall-clock instants: after a jump each is worked out again, so that a clock that was
/// set back stops no key and one that was set forward starts none twice.
void Engine::noticeClockJump()
{
    const Duration offset = m_clock.now().time_since_epoch() - m_clock.steady();
    const Duration jump = offset - m_wallMinusSteady.value_or(offset);
    m_wallMinusSteady = offset;
    if (std::chrono::abs(jump) < beat)
        return;
    say(LogLevel::Info, {},
        u"The clock jumped by %1 s; due times are worked out again"_s.arg(
            std::chrono::duration_cast<std::chrono::seconds>(jump).count()));
    for (auto &[name, listings] : m_pollers) {
        if (listings.next)
            listings.next = std::min(*listings.next, m_clock.now() + listings.poller->partitions.refresh);
    }
    for (auto &[key, entry] : m_keys) {
        entry.notBefore.reset();
        entry.sinkRetryAt.reset();
        reschedule(key, entry);
    }
}

void Engine::noticeChanges()
{
    m_mustLook = true;
    if (m_started && !m_stopping)
        lookForChanges();
}

QCoro::Task<void> Engine::lookForChanges()
{
    if (std::exchange(m_looking, true))
        co_return;
    do {
        const bool mustLook = std::exchange(m_mustLook, false);
        const auto stamp = co_await m_store.changeStamp();
        if (m_stopping || !stamp || (*stamp == m_changeStamp && !mustLook))
            break;
        m_changeStamp = *stamp;
        co_await loadKeys();
        pump();
    } while (m_mustLook);
    m_looking = false;
    if (m_stopping)
        m_progress.ring();
}

QCoro::Task<void> Engine::housekeeping()
{
    if (m_lastHousekeeping && m_clock.steady() - *m_lastHousekeeping < housekeepingEvery)
        co_return;
    m_lastHousekeeping = m_clock.steady();
    ++m_running;
    for (const auto &[name, poller] : m_workspace.pollers) {
        qint64 removed = pruneSlice;
        while (poller.logRetention && removed == pruneSlice && !m_stopping)
            removed = (co_await m_store.pruneLog(name, m_clock.now() - *poller.logRetention, pruneSlice))
                          .value_or(0);
        removed = pruneSlice;
        while (removed == pruneSlice && !m_stopping)
            removed = (co_await m_store.pruneTombstones(name, m_clock.now() - poller.tombstoneRetention,
                                                        pruneSlice))
                          .value_or(0);
    }
    --m_running;
    m_progress.ring();
}

std::optional<Instant> Engine::dueOf(const KeyEntry &entry) const
{
    const Instant now = m_clock.now();
    auto due = nextWake(entry.state, *entry.poller, now, {entry.deliveryWaits, entry.sinkRetryAt});
    if (due && entry.notBefore)
        due = std::max(*due, *entry.notBefore);
    return due;
}

void Engine::reschedule(const Key &key, KeyEntry &entry)
{
    if (const auto due = dueOf(entry); due && !entry.running)
        m_due.set(key, *due);
    else
        m_due.remove(key);
}

/// Runs that wait for a budget keep no place from the others.
bool Engine::hasRoom() const
{
    return busy() < mostRunning && m_running < mostRunning + mostWaiting;
}

void Engine::noticeWaiting(const Key &key)
{
    if (m_keys.contains(key)) // a listing of partitions waits under its poller's name
        m_observer.keyChanged(key);
    m_progress.ring();
    QMetaObject::invokeMethod(this, [this] { pump(); }, Qt::QueuedConnection);
}

void Engine::pump()
{
    if (!m_started || m_stopping)
        return;
    const Instant now = m_clock.now();
    while (hasRoom()) {
        const auto key = m_due.takeDue(now);
        if (!key)
            break;
        runDue(*key);
    }
    const auto next = m_due.nextDue();
    if (next && *next > now)
        m_dueWake = m_clock.wakeAfter(*next - now, [this] { pump(); });
}

QCoro::Task<void> Engine::runDue(Key key)
{
    co_await runKey(key, [this] { return mayGoOn(); });
    pump();
}

QCoro::Task<RunReport> Engine::runKey(Key key, std::function<bool()> mayGoOn)
{
    KeyEntry &entry = m_keys.at(key);
    entry.running = true;
    ++m_running;
    m_observer.keyChanged(key);
    RunReport report = co_await m_runner->run(key, entry.poller, std::move(mayGoOn));
    auto state = co_await m_store.loadKey(key);
    const bool isGone = !state && state.error().name == u"UnknownKey";
    if (state)
        entry.state = std::move(*state);
    entry.running = false;
    digest(entry, report);
    tell(key, report);
    relistFrom(key, report);
    if (isGone) {
        forget(key);
    } else {
        reschedule(key, entry);
        m_observer.keyChanged(key);
    }
    --m_running;
    m_progress.ring();
    co_return report;
}

/// What a finished run means for when the key may run again.
void Engine::digest(KeyEntry &entry, const RunReport &report)
{
    const Instant now = m_clock.now();
    entry.notBefore.reset();
    entry.sinkRetryAt = report.deliverAgainAt;
    entry.deliveryWaits =
        entry.poller->deliver.to.isEmpty() || (report.error && report.error->name == u"PoisonHalt"_s);
    if (report.skipped == u"leased") {
        const Instant expires = entry.state.lease ? entry.state.lease->expiresAt : now + beat;
        entry.notBefore = std::clamp(expires, now + beat, now + std::max(beat, m_workspace.leaseTtl));
    } else if (!report.skipped.isEmpty()) {
        entry.notBefore = now + beat;
    } else if (isStoreError(report.error)) {
        entry.notBefore = now + storePause;
    }
    if (!report.lanes.empty())
        entry.warnings = report.warnings;
    if (report.error)
        entry.recentErrors.push_back(now);
    while (!entry.recentErrors.empty() && now - entry.recentErrors.front() > recentErrorWindow)
        entry.recentErrors.pop_front();
}

void Engine::tell(const Key &key, const RunReport &report)
{
    for (const PollSummary &summary : report.lanes) {
        const bool isNews = summary.events.total() > 0 || summary.lane != Lane::Live;
        say(isNews ? LogLevel::Info : LogLevel::Debug, key,
            u"%1: %2 items on %3 pages, %4 created, %5 updated, %6 deleted in %7 ms"_s
                .arg(toString(summary.lane))
                .arg(summary.items)
                .arg(summary.pages)
                .arg(summary.events.created)
                .arg(summary.events.updated)
                .arg(summary.events.deleted)
                .arg(summary.took.count()));
        if (summary.verdict == Verdict::Suspect)
            say(LogLevel::Warning, key,
                u"The listing lost so many items that their deletes are held for approval"_s);
    }
    for (const Warning &warning : report.warnings)
        say(LogLevel::Warning, key, u"%1 (%2, see \"%3\")"_s.arg(warning.message, warning.code, warning.key));
    if (report.error)
        say(report.error->kind == ErrorKind::Cancelled ? LogLevel::Debug : LogLevel::Error, key,
            report.error->oneLine());
    if (report.deliverAgainAt && report.sinkError)
        say(LogLevel::Warning, key,
            u"A sink is down; delivery is tried again at %1. %2"_s.arg(toRfc3339(*report.deliverAgainAt),
                                                                       report.sinkError->oneLine()));
}

void Engine::say(LogLevel level, const Key &key, const QString &text)
{
    m_observer.log({m_clock.now(), level, key, m_secrets.redact(text)});
}

void Engine::limitTo(Duration maxDuration)
{
    m_passEnds = m_clock.steady() + maxDuration;
    m_passEnd = m_clock.wakeAfter(maxDuration, [this] { m_budgets.endWaits(); });
}

bool Engine::mayGoOn() const
{
    return !m_stopping && (!m_passEnds || m_clock.steady() < *m_passEnds);
}

QCoro::Task<std::vector<std::pair<Key, RunReport>>> Engine::tick(std::function<bool(const Key &)> wanted)
{
    std::deque<Key> waiting;
    std::set<Key> seen;
    const auto collect = [&] {
        for (const auto &[key, entry] : m_keys) {
            if (wanted(key) && seen.insert(key).second)
                waiting.push_back(key);
        }
    };
    collect();
    std::vector<std::pair<Key, RunReport>> reports;
    // The lambda outlives its coroutines: all of them are awaited below.
    // NOLINTNEXTLINE(cppcoreguidelines-avoid-capturing-lambda-coroutines)
    const auto run = [&](Key key) -> QCoro::Task<void> {
        RunReport report = co_await runKey(key, [this] { return mayGoOn(); });
        reports.emplace_back(std::move(key), std::move(report));
    };
    std::vector<QCoro::Task<void>> runs;
    while ((!waiting.empty() && mayGoOn()) || m_running > 0) {
        while (!waiting.empty() && mayGoOn() && hasRoom()) {
            const Key key = waiting.front();
            waiting.pop_front();
            if (m_keys.contains(key)) // it may have been removed meanwhile
                runs.push_back(run(key));
        }
        if (m_running > 0)
            co_await m_progress.ringing();
        collect(); // a listing may have brought new keys
    }
    for (auto &ended : runs)
        co_await ended;
    if (!m_stopping)
        co_await housekeeping();
    std::ranges::sort(reports, {}, [](const auto &report) { return report.first; });
    co_return reports;
}

void Engine::endCycles()
{
    m_stopping = true;
    m_budgets.endWaits();
}

QCoro::Task<void> Engine::stop(Duration limit)
{
    if (!m_stopping && m_started)
        say(LogLevel::Info, {}, u"Engine stops: %1 cycles end at their next page"_s.arg(m_running));
    endCycles();
    m_dueWake.reset();
    m_beat.reset();
    const Duration deadline = m_clock.steady() + limit;
    const auto timeIsUp = m_clock.wakeAfter(limit, [this] { m_progress.ring(); });
    while (m_running > 0 && m_clock.steady() < deadline)
        co_await m_progress.ringing();
    m_transport.abortAll();
    while (m_running > 0 || m_looking)
        co_await m_progress.ringing();
}

} // namespace watukuy
