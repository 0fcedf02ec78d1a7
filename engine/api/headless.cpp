// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/api/headless.h"

#include "engine/definition/keychain.h"
#include "engine/definition/secrets.h"
#include "engine/delivery/envelope.h"
#include "engine/http/networktransport.h"
#include "engine/run/engine.h"
#include "engine/run/trial.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

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
        results.push_back(
            {.key = key, .delivered = report.delivered, .error = report.error, .skipped = report.skipped});
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
    results.push_back(std::move(total));
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

    /// Keys exist as soon as the workspace names them: one can be paused before its first run.
    QCoro::Task<Result<void>> makeKeys()
    {
        std::vector<std::pair<Key, Duration>> wanted;
        for (const auto &[name, poller] : workspace.pollers) {
            const auto partitions = partitionsOf(poller);
            if (!partitions || !poller.enabled)
                continue; // the engine says why when it is to run them
            for (const PartitionDefinition &partition : *partitions)
                wanted.emplace_back(Key{name, partition.key}, poller.schedule.min);
        }
        co_return co_await store->ensureKeys(std::move(wanted), clock.now());
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

    const WorkspaceDefinition workspace;
    SystemClock clock;
    SystemRandom random;
    Secrets secrets;
    http::NetworkTransport transport;
    std::unique_ptr<StateStore> store;
    std::unique_ptr<Operations> operations;
    std::unique_ptr<Engine> engine;
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
    if (auto known = d->operations->knows(only); !known)
        co_return fail(known.error());
    EngineObserver nobody;
    if (auto prepared = co_await d->prepareEngine(u"tick"_s, std::move(nobody)); !prepared)
        co_return fail(prepared.error());
    const auto wanted = [only](const Key &key) { return isInScope(only, key); };
    const auto reports = co_await d->engine->tick(maxDuration, wanted);
    std::vector<TickResult> results;
    for (const auto &[key, report] : reports)
        addResults(results, key, report);
    co_await d->engine->stop(Duration{0});
    d->engine.reset();
    co_return results;
}

QCoro::Task<Result<TestReport>> Headless::test(QString poller, QString partition, int pages,
                                               std::optional<QString> cursor)
{
    const auto definition = d->workspace.pollers.find(poller);
    if (auto known = d->operations->knows({poller, partition}); !known)
        co_return fail(known.error());
    if (auto read = co_await readKeychain(&d->secrets, secretReferences(d->workspace)); !read)
        co_return fail(read.error());
    const auto partitions = partitionsOf(definition->second);
    const PartitionDefinition place = *std::ranges::find(*partitions, partition, &PartitionDefinition::key);

    http::Client client(d->transport, d->clock, d->secrets, d->workspace.credentials);
    Ports ports{d->workspace, *d->store, d->clock, d->random, client, instanceName(d->workspace, d->random)};
    const Key key{poller, partition};
    TrialResult trial = co_await tryPoller(
        &ports, key, place, std::make_shared<const PollerDefinition>(definition->second), pages, cursor);
    TestReport report{.itemCount = static_cast<qint64>(trial.items.size()),
                      .identities = trial.identities,
                      .nextCursor = trial.nextCursor.json,
                      .verdict = trial.finished ? Verdict::Complete : Verdict::Truncated,
                      .warnings = trial.warnings,
                      .error = trial.error};
    for (const TrialExchange &exchange : trial.exchanges)
        report.requests.append(shown(exchange, d->secrets));
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
