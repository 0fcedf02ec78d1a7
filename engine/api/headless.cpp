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

constexpr size_t mostItemsShown = 40;

bool isInScope(const KeyScope &scope, const Key &key)
{
    return (scope.poller.isEmpty() || scope.poller == key.poller) &&
           (!scope.partition || *scope.partition == key.partition);
}

/// One tick result per lane that ran; one that says why when none did.
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

QCoro::Task<Result<void>> Headless::open()
{
    auto store = makeStore(d->workspace.store);
    if (!store)
        co_return fail(store.error());
    d->store = std::move(*store);
    auto opened = co_await d->store->open();
    if (!opened) {
        d->store.reset();
        co_return opened;
    }
    d->operations = std::make_unique<Operations>(d->workspace, *d->store, d->clock);
    if (!d->workspace.readOnly)
        opened = co_await d->makeKeys();
    co_return opened;
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
    if (auto known = d->operations->knowsPoller(poller); !known)
        co_return fail(known.error());
    if (auto read = co_await readKeychain(&d->secrets, secretReferences(d->workspace)); !read)
        co_return fail(read.error());
    const auto &list = definition->second.partitions.list;
    const auto found = std::ranges::find(list, partition, &PartitionDefinition::key);
    const PartitionDefinition place = found == list.end() ? PartitionDefinition{partition, {}} : *found;

    http::Client client(d->transport, d->clock, d->secrets, d->workspace.credentials);
    Ports ports{d->workspace, *d->store, d->clock, d->random, client, instanceName(d->workspace, d->random)};
    const Key key{poller, partition};
    TrialResult trial = co_await tryPoller(
        &ports, key, place, std::make_shared<const PollerDefinition>(definition->second), pages, cursor);
    TestReport report{.itemCount = static_cast<qint64>(trial.items.size()),
                      .identities = trial.identities.mid(0, mostItemsShown),
                      .nextCursor = trial.nextCursor.json,
                      .verdict = trial.finished ? Verdict::Complete : Verdict::Truncated,
                      .warnings = trial.warnings,
                      .error = trial.error};
    for (const TrialExchange &exchange : trial.exchanges)
        report.requests.append(shown(exchange, d->secrets));
    trial.items.resize(std::min(trial.items.size(), mostItemsShown));
    report.items = std::move(trial.items);
    for (size_t index = 0; index < std::min(trial.events.size(), mostItemsShown); ++index)
        report.events.push_back(nativeEnvelope(trial.events[index], 1));
    co_return report;
}

QCoro::Task<void> Headless::close()
{
    co_await stop(Duration{0});
    if (d->store)
        co_await d->store->close();
}

} // namespace watukuy
