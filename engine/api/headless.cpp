// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/api/headless.h"

#include <set>

#include "engine/definition/keychain.h"
#include "engine/definition/secrets.h"
#include "engine/delivery/envelope.h"
#include "engine/http/networktransport.h"
#include "engine/run/engine.h"
#include "engine/run/partitions.h"
#include "engine/run/trial.h"
#include "engine/store/memorystore.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype longestAnswer = 2000;

bool isInScope(const KeyScope &scope, const Key &key)
{
    return (scope.poller.isEmpty() || scope.poller == key.poller) &&
           (!scope.partition || *scope.partition == key.partition);
}

/// One result per key: the totals of all lanes that ran, under the first one's name and the last one's
/// verdict, or why none did.
void addResults(std::vector<TickResult> &results, const Key &key, const RunReport &report)
{
    if (report.lanes.empty()) {
        results.push_back({.key = key,
                           .delivered = report.delivered,
                           .error = report.error,
                           .skipped = report.skipped,
                           .sinkError = report.sinkError});
        return;
    }
    TickResult total{
        .key = key, .lane = report.lanes.front().lane, .delivered = report.delivered, .error = report.error};
    for (const PollSummary &summary : report.lanes) {
        total.verdict = summary.verdict;
        total.pages += summary.pages;
        total.items += summary.items;
        total.events += summary.events;
        total.took += summary.took;
    }
    total.sinkError = report.sinkError;
    total.warnings = report.warnings;
    results.push_back(std::move(total));
}

/// The partitions of a poller that this tick could not list.
TickResult unlistedResult(const QString &poller, const Error &error)
{
    TickResult result{.key = {poller, {}}};
    const bool hadNoRoom = isDeferral(error) || error.kind == ErrorKind::Cancelled;
    if (hadNoRoom) {
        result.skipped = u"not-due"_s;
        result.warnings = {
            {u"partitions-unlisted"_s,
             u"its partitions were not listed, those known are kept: %1"_s.arg(error.oneLine()),
             u"partitions"_s}};
    } else {
        result.error = error;
    }
    return result;
}

/// Adds what is listed now to what shall be.
void keepListed(PartitionsPatch &patch, const std::vector<KeyState> &states)
{
    std::set<QString> listed;
    for (const PartitionDefinition &partition : patch.listed)
        listed.insert(partition.key);
    for (const KeyState &state : states) {
        if (state.key.poller == patch.poller && state.partitionData && !listed.contains(state.key.partition))
            patch.listed.push_back({.key = state.key.partition, .data = *state.partitionData});
    }
}

/// What asks the API by hand is stopped by stopNow() alone.
bool notStopped()
{
    return true;
}

TestReport::Exchange shown(const TrialExchange &exchange, const Secrets &secrets)
{
    TestReport::Exchange view{.method = QString::fromLatin1(exchange.request.method),
                              .url = secrets.redact(exchange.request.url.toString(QUrl::FullyEncoded)),
                              .status = exchange.status,
                              .took = exchange.took,
                              .bytes = exchange.bytes};
    for (const auto &[name, value] : exchange.request.headers) {
        const bool isSecret = exchange.request.secretHeaders.contains(name.toLower());
        view.headers.append(
            {QString::fromLatin1(name), isSecret ? u"••••"_s : secrets.redact(QString::fromUtf8(value))});
    }
    // What is added when the request leaves.
    for (const QByteArray &name : exchange.request.secretHeaders) {
        const bool isThere = std::ranges::any_of(view.headers, [&](const auto &header) {
            return header.first.compare(QString::fromLatin1(name), Qt::CaseInsensitive) == 0;
        });
        if (!isThere)
            view.headers.append({QString::fromLatin1(name), u"••••"_s});
    }
    return view;
}

} // namespace

class Headless::Private {
public:
    explicit Private(WorkspaceDefinition definition)
        : workspace(std::move(definition))
        , secrets(workspace.folder)
    {
    }

    QCoro::Task<Result<void>> use(std::unique_ptr<StateStore> fresh)
    {
        auto opened = co_await fresh->open();
        if (!opened)
            co_return opened;
        store = std::move(fresh);
        operations = std::make_unique<Operations>(workspace, *store, clock);
        co_return opened;
    }

    /// Keys exist as soon as the workspace names them: one can be paused before its first run. Those that it
    /// names no more are for the engine to pause: another one may run on an older text.
    QCoro::Task<Result<void>> makeKeys()
    {
        const auto states = co_await store->loadKeys();
        if (!states)
            co_return fail(states.error());
        for (const auto &[name, poller] : workspace.pollers) {
            if (!poller.enabled || !areWritten(poller.partitions))
                continue;
            PartitionsPatch patch =
                partitionsPatch(poller, writtenPartitions(poller.partitions), clock.now());
            keepListed(patch, *states);
            if (auto set = co_await store->setPartitions(std::move(patch)); !set)
                co_return fail(set.error());
        }
        co_return Result<void>{};
    }

    QCoro::Task<Result<void>> prepareEngine(QString operation, EngineObserver observer)
    {
        if (auto allowed = operations->mayWrite(operation); !allowed)
            co_return allowed;
        if (auto read = co_await readKeychain(&secrets, secretReferences(workspace)); !read)
            co_return read;
        engine = std::make_unique<Engine>(workspace, *store, clock, random, transport, secrets,
                                          std::move(observer));
        auto prepared = co_await engine->prepare();
        if (!prepared)
            engine.reset();
        co_return prepared;
    }

    QCoro::Task<Result<PartitionDefinition>> partitionOf(Ports *ports, Key key);

    const WorkspaceDefinition workspace;
    SystemClock clock;
    SystemRandom random;
    Secrets secrets;
    http::NetworkTransport transport;
    std::unique_ptr<StateStore> store;
    std::unique_ptr<Operations> operations;
    std::unique_ptr<Engine> engine;
};

/// Asks the API without an engine. It keeps to what the budgets have left, and only it knows what it
/// takes itself: it may not write.
class Headless::Visit {
public:
    enum class Spending {
        Unseen, ///< nobody else hears of what is taken
        Shared  ///< it counts for everybody, as an engine's does
    };
    Visit(Private *headless, Spending spending)
        : m_headless(*headless)
        , m_spending(spending)
        , m_client(headless->transport, headless->clock, headless->secrets, headless->workspace.credentials)
        , m_budgets(headless->workspace.budgets, spending == Spending::Shared ? *headless->store : m_uses,
                    headless->clock, [](const Key &) {})
        , ports{headless->workspace,
                *headless->store,
                headless->clock,
                headless->random,
                m_client,
                m_budgets,
                instanceName(headless->workspace, headless->random)}
    {
    }

    /// First of all, once.
    QCoro::Task<Result<void>> begin()
    {
        const WorkspaceDefinition &workspace = m_headless.workspace;
        if (auto read = co_await readKeychain(&m_headless.secrets, secretReferences(workspace)); !read)
            co_return read;
        if (m_spending == Spending::Shared)
            co_return Result<void>{};
        for (const auto &[name, definition] : workspace.budgets) {
            BudgetRequest use{.budget = name, .windows = budget::windowsOf(definition)};
            const Instant since = m_headless.clock.now() - budget::longest(use.windows);
            const auto known = co_await m_headless.store->readBudget(name, since);
            if (!known)
                co_return fail(known.error());
            for (const budget::Use &one : *known) {
                use.cost = one.cost;
                use.now = Instant{one.at};
                (void)co_await m_uses.takeBudget(use);
            }
        }
        co_return Result<void>{};
    }

private:
    Private &m_headless;
    Spending m_spending;
    MemoryStore m_uses;
    http::Client m_client;
    BudgetKeeper m_budgets;

public:
    Ports ports;
};

Headless::Headless(WorkspaceDefinition workspace)
    : d(std::make_unique<Private>(std::move(workspace)))
{
}

Headless::~Headless() = default;

StoreAccess Headless::allowedAccess() const
{
    return d->workspace.readOnly ? StoreAccess::Read : StoreAccess::Write;
}

QCoro::Task<Result<void>> Headless::open(StoreAccess access)
{
    auto store = makeStore(d->workspace.store, access);
    if (!store)
        co_return fail(store.error());
    auto opened = co_await d->use(std::move(*store));
    if (opened && access == StoreAccess::Write)
        opened = co_await d->makeKeys();
    co_return opened;
}

QCoro::Task<Result<void>> Headless::openInMemory()
{
    auto store = makeStore(MemoryStoreDefinition{});
    if (!store)
        co_return fail(store.error());
    co_return co_await d->use(std::move(*store));
}

Operations &Headless::operations()
{
    return *d->operations;
}

QCoro::Task<Result<void>> Headless::start(std::function<void(const LogLine &)> observe,
                                          std::function<void(const Event &)> delivered)
{
    EngineObserver observer;
    observer.log = std::move(observe);
    observer.delivered = std::move(delivered);
    auto prepared = co_await d->prepareEngine(u"run"_s, std::move(observer));
    if (prepared)
        d->engine->start();
    co_return prepared;
}

QCoro::Task<void> Headless::stop(Duration limit)
{
    if (d->engine)
        co_await d->engine->stop(limit);
    d->engine.reset();
}

void Headless::endTick()
{
    if (d->engine)
        d->engine->endCycles();
}

void Headless::stopNow()
{
    d->transport.abortAll();
}

QCoro::Task<Result<std::vector<TickResult>>> Headless::tick(Duration maxDuration, KeyScope only)
{
    if (auto known = d->operations->knowsPoller(only.poller); !known)
        co_return fail(known.error());
    EngineObserver nobody;
    if (auto prepared = co_await d->prepareEngine(u"tick"_s, std::move(nobody)); !prepared)
        co_return fail(prepared.error());
    d->engine->limitTo(maxDuration);
    const auto unlisted = co_await d->engine->refreshPartitions(only.poller);
    QStringList partitions;
    for (const auto &[key, entry] : d->engine->keys()) {
        if (key.poller == only.poller)
            partitions.append(key.partition);
    }
    std::vector<TickResult> results;
    const bool isKnown = !only.partition || knowsPartition({only.poller, *only.partition}, partitions);
    if (isKnown) {
        const auto wanted = [only](const Key &key) { return isInScope(only, key); };
        for (const auto &[poller, error] : unlisted) {
            if (only.poller.isEmpty() || only.poller == poller)
                results.push_back(unlistedResult(poller, error));
        }
        const auto reports = co_await d->engine->tick(wanted);
        for (const auto &[key, report] : reports)
            addResults(results, key, report);
    }
    co_await d->engine->stop(Duration{0});
    d->engine.reset();
    if (!isKnown)
        co_return fail(knowsPartition({only.poller, *only.partition}, partitions).error());
    co_return results;
}

QCoro::Task<Result<ActionResult>> Headless::refreshPartitions(QString poller, Request request)
{
    if (auto known = d->operations->knowsPoller(poller); !known)
        co_return fail(known.error());
    if (auto allowed = d->operations->mayWrite(u"partitions refresh"_s);
        !allowed && request.run == Run::ForReal)
        co_return fail(allowed.error());
    Visit visit(d.get(), request.run == Run::ForReal ? Visit::Spending::Shared : Visit::Spending::Unseen);
    if (auto begun = co_await visit.begin(); !begun)
        co_return fail(begun.error());
    const auto definition = std::make_shared<const PollerDefinition>(d->workspace.pollers.at(poller));
    Result<PartitionsOutcome> outcome;
    if (request.run == Run::ForReal) {
        AuditRow audit = auditRow(u"partitions refresh"_s, {poller, {}}, request, d->clock.now());
        outcome = co_await watukuy::refreshPartitions(&visit.ports, definition, notStopped, std::move(audit));
    } else {
        const auto listed = co_await listPartitions(&visit.ports, definition, notStopped);
        const auto states = co_await d->store->loadKeys();
        if (!listed || !states)
            co_return fail(listed ? states.error() : listed.error());
        outcome = changeOf(poller, *listed, *states);
    }
    if (!outcome)
        co_return fail(outcome.error());
    ActionResult result;
    const auto tell = [&](const QStringList &partitions, const QString &what) {
        for (const QString &partition : partitions)
            result.details.append(u"%1: %2"_s.arg(Key{poller, partition}.toString(), what));
        result.done += partitions.size();
    };
    tell(outcome->added, u"new, due now"_s);
    tell(outcome->removed, u"no longer listed, paused"_s);
    tell(outcome->returned, u"listed again, goes on"_s);
    co_return result;
}

/// The partition as the store knows it, or, where it knows none, as it is listed now.
QCoro::Task<Result<PartitionDefinition>> Headless::Private::partitionOf(Ports *ports, Key key)
{
    const PollerDefinition &poller = workspace.pollers.at(key.poller);
    std::vector<PartitionDefinition> known = writtenPartitions(poller.partitions);
    if (!areWritten(poller.partitions)) {
        const auto states = co_await store->loadKeys();
        for (const KeyState &state : states.value_or(std::vector<KeyState>{})) {
            if (state.key.poller == key.poller && state.partitionData)
                known.push_back({.key = state.key.partition, .data = *state.partitionData});
        }
        if (known.empty()) {
            auto listed =
                co_await listPartitions(ports, std::make_shared<const PollerDefinition>(poller), notStopped);
            if (!listed)
                co_return fail(listed.error());
            known = std::move(*listed);
        }
    }
    QStringList keys;
    for (const PartitionDefinition &partition : known) {
        if (partition.key == key.partition)
            co_return partition;
        keys.append(partition.key);
    }
    co_return fail(knowsPartition(key, keys).error());
}

QCoro::Task<Result<TestReport>> Headless::test(QString poller, QString partition, int pages,
                                               std::optional<QString> cursor)
{
    if (auto known = d->operations->knowsPoller(poller); !known)
        co_return fail(known.error());
    Visit visit(d.get(), Visit::Spending::Unseen);
    if (auto begun = co_await visit.begin(); !begun)
        co_return fail(begun.error());
    Ports *ports = &visit.ports;
    const Key key{poller, partition};
    auto place = co_await d->partitionOf(ports, key);
    if (!place)
        co_return fail(place.error());
    const auto definition = std::make_shared<const PollerDefinition>(d->workspace.pollers.at(poller));
    TrialResult trial = co_await tryPoller(ports, key, std::move(*place), definition, pages, cursor);
    TestReport report{.itemCount = static_cast<qint64>(trial.items.size()),
                      .identities = trial.identities,
                      .nextCursor = trial.nextCursor.json,
                      .verdict = trial.finished ? Verdict::Complete : Verdict::Truncated,
                      .warnings = trial.warnings,
                      .error = trial.error};
    for (const auto &exchange : trial.exchanges)
        report.requests.append(shown(*exchange, d->secrets));
    if (trial.error && !trial.exchanges.empty())
        report.lastAnswer =
            d->secrets.redact(QString::fromUtf8(trial.exchanges.back()->answer)).left(longestAnswer);
    report.items = std::move(trial.items);
    for (const Event &event : trial.events)
        report.events.push_back(nativeEnvelope(event, 1));
    co_return report;
}

QCoro::Task<void> Headless::close()
{
    co_await stop(Duration{0});
    if (d->store)
        co_await d->store->close();
}

} // namespace watukuy
