// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/run/partitions.h"

#include <map>

#include <QFile>
#include <QSet>

#include "engine/definition/partitionreader.h"
#include "engine/run/pagefetch.h"
#include "engine/schedule/schedule.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

using Listed = Result<std::vector<PartitionDefinition>>;

constexpr int mostPages = 1000;
constexpr int rowsAtOnce = 1000;
constexpr qint64 mostFileBytes = 64LL * 1024 * 1024;

Error listingError(const PollerDefinition &poller, const QString &detail, const QString &nextStep)
{
    return {.kind = ErrorKind::Body,
            .name = u"PartitionListingError"_s,
            .title = u"The partitions of %1 cannot be listed"_s.arg(poller.name),
            .detail = detail,
            .nextStep = nextStep};
}

Listed fromFile(const PollerDefinition &poller)
{
    QFile file(poller.partitions.file);
    if (!file.open(QIODevice::ReadOnly))
        return fail(listingError(poller, u"%1: %2"_s.arg(file.fileName(), file.errorString()),
                                 u"Correct partitions.file, or let the program read it"_s));
    if (file.size() > mostFileBytes)
        return fail(listingError(poller, u"%1 is larger than 64 MB"_s.arg(file.fileName()),
                                 u"Name a file that holds the partitions only"_s));
    return parsePartitionFile(file.readAll(), file.fileName());
}

/// The listing as the page fetcher knows listings. Further pages come by `Link: rel=next`.
Listing listingOf(const PartitionsDefinition &partitions)
{
    Listing listing{.request = *partitions.request, .response = {}, .pagination = {}};
    listing.response.shape.items = partitions.items;
    listing.pagination.kind = PagingKind::Link;
    return listing;
}

/// `${poller}`, `${lane}` and `${var.NAME}`. A credential that is shared with the poller may name more.
Template::Lookup lookupFor(const Ports &ports, const PollerDefinition &poller)
{
    return [&ports, &poller](const QString &name) -> Result<std::optional<QString>> {
        if (name == u"poller")
            return poller.name;
        if (name == u"lane")
            return QString(toString(Lane::Live));
        const auto variable = ports.workspace.variables.find(name.mid(4));
        if (name.startsWith(u"var."_s) && variable != ports.workspace.variables.end())
            return variable->second;
        return fail(listingError(poller, u"Nothing is known as ${%1} before there is a partition"_s.arg(name),
                                 u"Give partitions.request a credential of its own"_s));
    };
}

/// Adds the partitions of a page; a key that came before counts once.
Result<void> addItems(const FetchedPage &page, const PollerDefinition &poller, QSet<QString> &keys,
                      std::vector<PartitionDefinition> &listed)
{
    if (!page.body.broken.empty())
        return fail(listingError(poller, page.body.broken.front().reason, u"Look at what the API answers"_s));
    for (const QByteArray &item : page.body.items) {
        const auto value = json::find(item, poller.partitions.key);
        if (!value)
            return fail(value.error());
        const bool isKey =
            *value && ((*value)->kind == json::Kind::String || (*value)->kind == json::Kind::Number);
        const QString key = isKey ? (*value)->scalarText() : QString();
        if (key.isEmpty())
            return fail(
                listingError(poller,
                             u"Item %1 has no text or number at \"%2\": %3"_s.arg(listed.size() + 1)
                                 .arg(poller.partitions.key.text(), QString::fromUtf8(item.left(200))),
                             u"Correct partitions.key"_s));
        if (keys.contains(key))
            continue;
        keys.insert(key);
        listed.push_back({.key = key, .data = item});
    }
    return {};
}

Error noPage(const PollerDefinition &poller, const http::Answer &answer, Instant now)
{
    Error error = answer.throttle.value_or(
        listingError(poller, u"The API answered %1"_s.arg(answer.response.status), {}));
    if (answer.retryAfter)
        error.notBefore = now + *answer.retryAfter;
    return error;
}

Error stopped(const PollerDefinition &poller)
{
    Error error =
        listingError(poller, u"It was stopped before its end"_s, u"Nothing to do: it begins again."_s);
    error.kind = ErrorKind::Cancelled;
    return error;
}

QCoro::Task<Listed> fromListing(Ports *ports, std::shared_ptr<const PollerDefinition> poller,
                                std::function<bool()> mayGoOn)
{
    const Fetcher fetcher{ports->client, ports->budgets};
    const Listing listing = listingOf(poller->partitions);
    std::vector<PartitionDefinition> listed;
    QSet<QString> keys;
    QString next;
    QSet<QString> followed;
    for (int pages = 0; pages < mostPages; ++pages) {
        if (!mayGoOn())
            co_return fail(stopped(*poller));
        auto request = ports->client.prepare(listing.request, lookupFor(*ports, *poller), next);
        if (!request)
            co_return fail(request.error());
        BudgetKeeper::Wish share{.budget = poller->budget,
                                 .key = {poller->name, {}},
                                 .cost = listing.request.cost,
                                 .patience = ports->listingPatience,
                                 .mayWait = mayGoOn};
        auto page = co_await fetchPage(fetcher, std::move(share), std::move(*request), listing, std::nullopt);
        if (!page)
            co_return fail(page.error());
        if (page->answer.outcome != http::Answer::Outcome::Page)
            co_return fail(noPage(*poller, page->answer, ports->clock.now()));
        if (auto added = addItems(*page, *poller, keys, listed); !added)
            co_return fail(added.error());
        next = page->answer.linkNext;
        if (next.isEmpty())
            co_return listed;
        if (followed.contains(next))
            co_return fail(listingError(*poller, u"Its pages lead round in circles, by %1"_s.arg(next),
                                        u"Look at the Link header that the API sends"_s));
        followed.insert(next);
    }
    co_return fail(listingError(*poller, u"It goes on after %1 pages"_s.arg(mostPages),
                                u"Ask for more partitions at once"_s));
}

/// Names where partitions are listed: after a change of it the list of before is out of date.
QByteArray sourceOf(const PartitionsDefinition &partitions)
{
    QStringList parts{QString::number(static_cast<int>(partitions.source)), partitions.file,
                      partitions.poller, partitions.items.text(), partitions.key.text()};
    if (partitions.request) {
        parts << partitions.request->url.text() << QString::fromLatin1(partitions.request->method)
              << partitions.request->body.text() << partitions.request->credential;
        for (const auto &[name, value] : partitions.request->query)
            parts << name << value.text();
    }
    return parts.join(u'\n').toUtf8();
}

QCoro::Task<Listed> fromSnapshot(Ports *ports, std::shared_ptr<const PollerDefinition> poller)
{
    const auto states = co_await ports->store.loadKeys();
    if (!states)
        co_return fail(states.error());
    std::vector<PartitionDefinition> listed;
    QSet<QString> keys;
    for (const KeyState &state : *states) {
        if (state.key.poller != poller->partitions.poller)
            continue;
        QString after;
        for (;;) {
            const auto rows = co_await ports->store.readItems(state.key, after, rowsAtOnce);
            if (!rows)
                co_return fail(rows.error());
            for (const ItemRow &row : *rows) {
                if (!keys.contains(row.identity))
                    listed.push_back({.key = row.identity, .data = row.payload.value_or(QByteArray())});
                keys.insert(row.identity);
            }
            if (rows->size() < rowsAtOnce)
                break;
            after = rows->back().identity;
        }
    }
    co_return listed;
}

} // namespace

bool areWritten(const PartitionsDefinition &partitions)
{
    return partitions.source == PartitionSource::Single || partitions.source == PartitionSource::List;
}

std::vector<PartitionDefinition> writtenPartitions(const PartitionsDefinition &partitions)
{
    if (partitions.source == PartitionSource::Single)
        return {PartitionDefinition{}};
    return partitions.list;
}

PartitionsPatch partitionsPatch(const PollerDefinition &poller, std::vector<PartitionDefinition> listed,
                                Instant now)
{
    return {.poller = poller.name,
            .listed = std::move(listed),
            .listedAt = areWritten(poller.partitions) ? std::nullopt : std::optional(now),
            .source = sourceOf(poller.partitions),
            .firstInterval = poller.schedule.min,
            .resume = [now](const ScheduleState &state) { return schedule::afterResume(state, now).state; },
            .now = now};
}

QCoro::Task<Listed> listPartitions(Ports *ports, std::shared_ptr<const PollerDefinition> poller,
                                   std::function<bool()> mayGoOn)
{
    switch (poller->partitions.source) {
    case PartitionSource::File:
        co_return fromFile(*poller);
    case PartitionSource::Http:
        co_return co_await fromListing(ports, poller, std::move(mayGoOn));
    case PartitionSource::Poller:
        co_return co_await fromSnapshot(ports, poller);
    case PartitionSource::Single:
    case PartitionSource::List:
        break;
    }
    co_return writtenPartitions(poller->partitions);
}

QCoro::Task<Result<PartitionsOutcome>> refreshPartitions(Ports *ports,
                                                         std::shared_ptr<const PollerDefinition> poller,
                                                         std::function<bool()> mayGoOn,
                                                         std::optional<AuditRow> audit)
{
    auto listed = co_await listPartitions(ports, poller, std::move(mayGoOn));
    const Instant now = ports->clock.now();
    if (!listed) {
        if (listed.error().kind != ErrorKind::Cancelled && !isDeferral(listed.error()))
            (void)co_await ports->store.failPartitions(poller->name, listed.error(), now);
        co_return fail(listed.error());
    }
    PartitionsPatch patch = partitionsPatch(*poller, std::move(*listed), now);
    patch.audit = std::move(audit);
    co_return co_await ports->store.setPartitions(std::move(patch));
}

PartitionsOutcome changeOf(const QString &poller, const std::vector<PartitionDefinition> &listed,
                           const std::vector<KeyState> &states)
{
    std::map<QString, Pause> known;
    for (const KeyState &state : states) {
        if (state.key.poller == poller)
            known.emplace(state.key.partition, state.pause);
    }
    PartitionsOutcome outcome;
    for (const PartitionDefinition &partition : listed) {
        const auto found = known.find(partition.key);
        if (found == known.end())
            outcome.added.append(partition.key);
        else if (found->second == Pause::PartitionRemoved)
            outcome.returned.append(partition.key);
        if (found != known.end())
            known.erase(found);
    }
    for (const auto &[partition, pause] : known) {
        if (pause == Pause::None)
            outcome.removed.append(partition);
    }
    return outcome;
}

std::optional<Instant> nextListing(const PollerDefinition &poller, const PartitionListing &listing,
                                   Instant now)
{
    if (areWritten(poller.partitions))
        return {};
    // A time in the future was written by a clock that has been set back since.
    const auto after = [now](Instant at, Duration wait) { return std::min(at, now) + wait; };
    if (listing.lastError && listing.triedAt)
        return std::max(after(*listing.triedAt, poller.schedule.min),
                        listing.lastError->notBefore.value_or(*listing.triedAt));
    if (!listing.listedAt || listing.source != sourceOf(poller.partitions))
        return now;
    return after(*listing.listedAt, poller.partitions.refresh);
}

} // namespace watukuy
