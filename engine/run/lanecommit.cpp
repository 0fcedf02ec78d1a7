// SPDX-License-Identifier: GPL-3.0-or-later
// A page's change detection and commit, and the verdict of a scan.
#include "engine/run/deletion.h"
#include "engine/run/lanerun.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

std::vector<qint64> seenHandles(const std::vector<StoredItem> &stored, const std::vector<ItemRow> &upserts)
{
    QSet<QString> written;
    written.reserve(static_cast<qsizetype>(upserts.size()));
    for (const ItemRow &row : upserts)
        written.insert(row.identity);
    std::vector<qint64> seen;
    seen.reserve(stored.size());
    for (const StoredItem &item : stored) {
        if (!item.seenInScan && !written.contains(item.row.identity))
            seen.push_back(item.handle);
    }
    return seen;
}

} // namespace

QCoro::Task<void> LaneRun::commitPage(FetchedPage page, std::vector<bool> kept, QByteArray hash)
{
    const PollerDefinition &poller = *m_cycle.poller;
    change::IdentifiedPage identified =
        change::identify(keptItems(std::move(page.body.items), kept), poller.identity);
    auto stored = co_await storedRows(identified);
    if (!stored)
        co_return abandonOr(stored.error());
    dropListedBefore(identified, *stored);
    if (m_plan.fullScan && !identified.unstable.isEmpty())
        noticeUnstable(identified.unstable.first());
    if (!page.body.broken.empty())
        m_scan.sawUnstable = true; // whose lines they were cannot be told

    QHash<QString, ItemRow> rows;
    for (const StoredItem &item : *stored)
        rows.insert(item.row.identity, item.row);
    change::PageDiff diff = change::diffPage(identified.items, rows, poller,
                                             {.key = m_cycle.key,
                                              .lane = m_plan.lane,
                                              .now = m_cycle.ports.clock.now(),
                                              .cursor = m_scan.watermark.json,
                                              .reemitKnown = m_plan.reemitKnown});
    if (diff.duplicateNames > 0)
        warn({{u"duplicate-names"_s, u"Items hold the same name twice; the last one counts"_s,
               u"response"_s}});
    auto parked = quarantined(page.body, identified, diff);
    if (!parked) {
        m_outcome.error = parked.error();
        co_return;
    }
    for (Event &event : diff.events) {
        event.orderingKey = change::orderingKeyOf(event, poller.deliver.orderingKey);
        countEvent(event.type);
    }
    co_await commit(std::move(page), std::move(diff), std::move(*parked), *stored, std::move(hash));
}

QCoro::Task<Result<std::vector<StoredItem>>> LaneRun::storedRows(const change::IdentifiedPage &page)
{
    std::vector<QString> identities;
    identities.reserve(page.items.size());
    for (const change::IdentifiedItem &item : page.items)
        identities.push_back(item.identity);
    const auto scan = m_plan.fullScan && m_scan.id != 0 ? std::optional(m_scan.id) : std::nullopt;
    return m_cycle.ports.store.loadVersions(m_cycle.key, std::move(identities), scan);
}

void LaneRun::dropListedBefore(change::IdentifiedPage &page, const std::vector<StoredItem> &stored)
{
    QHash<QString, QByteArray> listed;
    for (const StoredItem &item : stored) {
        if (item.seenInScan)
            listed.insert(item.row.identity, item.row.hash);
    }
    if (listed.isEmpty())
        return;
    std::erase_if(page.items, [&](const change::IdentifiedItem &item) {
        const auto before = listed.constFind(item.identity);
        if (before == listed.constEnd())
            return false;
        const auto fingerprint = change::fingerprintOf(item.raw, *m_cycle.poller);
        if (!fingerprint || fingerprint->hash != *before)
            noticeUnstable(item.identity);
        return true;
    });
}

void LaneRun::countEvent(EventType type)
{
    EventCounts &counts = m_outcome.summary.events;
    counts.created += type == EventType::Created ? 1 : 0;
    counts.updated += type == EventType::Updated ? 1 : 0;
    counts.deleted += type == EventType::Deleted ? 1 : 0;
}

Result<std::vector<ParkedRow>> LaneRun::quarantined(const json::PageBody &body,
                                                    const change::IdentifiedPage &identified,
                                                    const change::PageDiff &diff) const
{
    std::vector<change::InvalidItem> invalid = identified.invalid;
    invalid.insert(invalid.end(), diff.invalid.begin(), diff.invalid.end());
    for (const json::BrokenItem &broken : body.broken)
        invalid.push_back({broken.raw, {}, {{QString(), broken.reason}}});
    std::vector<ParkedRow> parked;
    for (const change::InvalidItem &item : invalid) {
        const ItemIssue issue = item.issues.value(0);
        Error error{.kind = ErrorKind::Validation,
                    .name = u"InvalidItemError"_s,
                    .title = u"An item cannot become an event"_s,
                    .detail = issue.path.isEmpty() ? issue.message : issue.path + u": "_s + issue.message,
                    .nextStep =
                        u"Correct the item at the API, or the poller's identity, schema or onInvalid."_s};
        if (m_cycle.poller->onInvalid == OnInvalid::Fail)
            return fail(std::move(error));
        if (m_cycle.poller->onInvalid == OnInvalid::Skip)
            continue;
        parked.push_back({.key = m_cycle.key,
                          .kind = ParkedKind::Invalid,
                          .item = item.raw,
                          .error = std::move(error),
                          .issues = item.issues,
                          .parkedAt = m_cycle.ports.clock.now()});
    }
    return parked;
}

QCoro::Task<void> LaneRun::commit(FetchedPage page, change::PageDiff diff, std::vector<ParkedRow> parked,
                                  const std::vector<StoredItem> &stored, QByteArray hash)
{
    PollCommit batch{.lane = m_plan.lane,
                     .cursor = durableCursor(),
                     .schemaVersion = m_cycle.poller->schemaVersion,
                     .upserts = std::move(diff.upserts),
                     .events = std::move(diff.events),
                     .log = m_cycle.poller->logRetention.has_value(),
                     .parked = std::move(parked),
                     .markSeen = m_plan.fullScan,
                     .backfillDone = m_plan.lane == Lane::Backfill && m_outcome.reachedTarget,
                     .now = m_cycle.ports.clock.now()};
    if (isKeyset())
        m_scan.from = m_ask;
    m_scan.milestone = m_guard.marks().milestone;
    m_scan.lastContent = m_guard.marks().lastContent;
    if (m_plan.fullScan || (!m_finished && !m_listingHasHoles))
        batch.scan = m_scan;
    if (m_plan.fullScan)
        batch.seen = seenHandles(stored, batch.upserts);
    if (page.answer.validator && usesValidators(m_plan.listing.request) && !m_isHoldingBack)
        batch.validator =
            ValidatorRow{hash, page.answer.validator->etag, page.answer.validator->lastModified, batch.now};
    const bool hadEvents = !batch.events.empty();

    auto receipt = co_await m_cycle.ports.store.commitPoll(m_cycle.key, leaseOrNone(), std::move(batch));
    if (!receipt)
        co_return abandonOr(receipt.error());
    m_outcome.cursor = durableCursor();
    m_scan.id = receipt->scanId.value_or(m_scan.id);
    if (hadEvents)
        co_await m_cycle.deliverCommitted();
}

LaneCursor LaneRun::durableCursor() const
{
    if (m_plan.fullScan)
        return m_plan.cursor;
    return isKeyset() || m_finished ? m_scan.watermark : m_plan.cursor;
}

QCoro::Task<void> LaneRun::closeScan()
{
    if (!m_finished && !m_listingHasHoles) {
        m_outcome.summary.verdict = Verdict::Truncated;
        co_return;
    }
    MissingCount counts;
    if (m_scan.id != 0) {
        auto counted = co_await m_cycle.ports.store.countMissing(m_cycle.key, m_scan.id, listingBefore());
        if (!counted)
            co_return abandonOr(counted.error());
        counts = *counted;
    }
    const change::ScanFacts facts{.finished = m_finished && !m_listingHasHoles,
                                  .sawUnmodified = m_scan.sawUnmodified,
                                  .sawUnstable = m_scan.sawUnstable,
                                  .listed = m_scan.items,
                                  .stored = counts.stored,
                                  .missing = counts.missing};
    m_outcome.summary.verdict = change::verdictOf(facts, m_cycle.poller->deleteGuard);
    // A listing in pieces misses what moved up meanwhile: nothing is believed that it says alone.
    const bool isInDoubt =
        m_resumed && facts.finished && !facts.sawUnmodified && (counts.missing > 0 || facts.sawUnstable);
    std::optional<ScanState> again;
    if (isInDoubt && m_scan.confirms == 0) {
        again = freshScan();
        again->confirms = m_scan.id;
        again->startedAt = m_scan.startedAt;
        m_outcome.summary.truncated = true;
        m_outcome.summary.verdict = Verdict::Truncated;
    }
    if (m_scan.id != 0)
        co_await completeScan(facts, std::move(again));
}

std::optional<ListingBefore> LaneRun::listingBefore() const
{
    if (!m_resumed || m_scan.confirms == 0)
        return std::nullopt;
    return ListingBefore{m_scan.confirms, m_scan.startedAt};
}

QCoro::Task<void> LaneRun::completeScan(change::ScanFacts facts, std::optional<ScanState> next)
{
    using Deletes = ScanCompletion::Deletes;
    const Verdict verdict = m_outcome.summary.verdict;
    ScanCompletion completion{.lane = m_plan.lane,
                              .scanId = m_scan.id,
                              .before = listingBefore(),
                              .deletes = verdict == Verdict::Complete  ? Deletes::Emit
                                         : verdict == Verdict::Suspect ? Deletes::Hold
                                                                       : Deletes::None,
                              .holdReason = change::guardReason(facts, m_cycle.poller->deleteGuard),
                              .cursor = m_plan.cursor,
                              .next = next,
                              .log = m_cycle.poller->logRetention.has_value(),
                              .now = m_cycle.ports.clock.now()};
    completion.makeDeletion = makeDeletion(m_cycle.poller, m_cycle.key, m_plan.lane, completion.now);
    auto outcome =
        co_await m_cycle.ports.store.completeScan(m_cycle.key, leaseOrNone(), std::move(completion));
    if (!outcome)
        co_return abandonOr(outcome.error());
    if (next) {
        next->id = outcome->nextScanId;
        m_outcome.scan = std::move(next);
        m_outcome.listAgain = true;
    }
    m_outcome.summary.events.deleted += outcome->deleted;
    if (outcome->deleted > 0)
        co_await m_cycle.deliverCommitted();
}

} // namespace watukuy
