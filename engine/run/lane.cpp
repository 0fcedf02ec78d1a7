// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/run/lane.h"

#include <QSet>

#include "engine/change/change.h"
#include "engine/change/scanverdict.h"
#include "engine/json/canonical.h"
#include "engine/run/deletion.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

Error repeatedRequest(const http::Request &request, const Listing &listing)
{
    const QString parameter = listing.pagination.param.isEmpty() ? u"pagination"_s : listing.pagination.param;
    return {.kind = ErrorKind::Progress,
            .name = u"RepeatedRequestError"_s,
            .title = u"The listing goes round in circles"_s,
            .detail = u"The next page's request equals one already sent in this scan: %1 %2"_s.arg(
                QString::fromLatin1(request.method), request.url.path()),
            .nextStep = u"Check %1 and the cursor: each page must ask for something new."_s.arg(parameter)};
}

QByteArray fingerprintOfPage(const json::PageBody &body)
{
    QByteArray all;
    for (const QByteArray &item : body.items)
        all += item;
    return all.isEmpty() ? QByteArray() : json::sha256(all);
}

/// Full scans beside a timestamp cursor take everything that is listed: an item that the live lane
/// would hold back must not look deleted.
std::shared_ptr<const cursor::CursorStrategy> strategyFor(const LanePlan &plan, const Cycle &cycle)
{
    if (plan.lane != Lane::Reconcile)
        return {std::shared_ptr<void>(), cycle.strategy.get()};
    CursorDefinition definition = cycle.poller->cursor;
    const bool paged = plan.listing.pagination.kind != PagingKind::Keyset;
    if (paged)
        definition.strategy = Strategy::SnapshotDiff;
    definition.lag = Duration::zero();
    definition.overlap = Duration::zero();
    definition.maxAhead = std::chrono::years{1000};
    auto strategy = cursor::makeStrategy(definition);
    if (strategy)
        return std::shared_ptr<const cursor::CursorStrategy>(std::move(*strategy));
    return {std::shared_ptr<void>(), cycle.strategy.get()};
}

/// The work of one lane; lives in the frame of runLane().
class LaneRun {
public:
    LaneRun(Cycle &cycle, LanePlan plan)
        : m_cycle(cycle)
        , m_plan(std::move(plan))
        , m_position(cursor::firstPosition(m_plan.listing.pagination))
    {
        m_outcome.cursor = m_plan.cursor;
        m_outcome.summary.lane = m_plan.lane;
        m_outcome.summary.startedAt = m_cycle.ports.clock.now();
        m_resumed = m_plan.scan.has_value();
        m_strategy = strategyFor(m_plan, m_cycle);
        m_ask = m_strategy->scanStart(m_plan.cursor);
        m_scan = m_plan.scan.value_or(freshScan());
        if (m_resumed && isKeyset()) { // a cursor that moves bounds itself: maxPages is for one run of it
            m_ask = m_scan.from;
            m_scan.pages = 0;
        }
        m_position = cursor::PagePosition::fromJson(m_scan.position, m_plan.listing.pagination);
    }

    QCoro::Task<LaneOutcome> run()
    {
        const Duration began = m_cycle.ports.clock.steady();
        while (!m_finished && !m_isCapped && !ended()) {
            if (m_outcome.summary.pages >= m_plan.maxPages || !m_cycle.mayGoOn()) {
                m_outcome.summary.truncated = true;
                break;
            }
            co_await onePage();
            if (auto renewed = co_await m_cycle.keeper.renew(); !renewed)
                abandonOr(renewed.error());
        }
        if (!ended() && m_plan.fullScan)
            co_await closeScan();
        m_outcome.summary.took = m_cycle.ports.clock.steady() - began;
        if (!m_finished && !(m_isCapped && m_plan.fullScan))
            m_outcome.scan = m_scan;
        co_return std::move(m_outcome);
    }

private:
    [[nodiscard]] bool ended() const
    {
        return m_outcome.error || m_outcome.throttle || m_cycle.abandoned || m_cycle.poisonHalt;
    }
    [[nodiscard]] bool isKeyset() const { return m_plan.listing.pagination.kind == PagingKind::Keyset; }
    [[nodiscard]] const LaneCursor &askedWith() const { return isKeyset() ? m_ask : m_scan.from; }

    QCoro::Task<void> onePage()
    {
        const PageRequest page{m_plan.listing,    m_cycle.key, m_plan.lane,
                               m_cycle.partition, askedWith(), m_position};
        auto request = requestOf(page, m_cycle.ports.workspace, *m_cycle.strategy, m_cycle.ports.client);
        if (!request) {
            if (!startAfresh())
                m_outcome.error = request.error();
            co_return;
        }
        const QByteArray hash = http::requestHash(*request);
        if (m_asked.contains(hash)) {
            m_outcome.error = repeatedRequest(*request, m_plan.listing);
            co_return;
        }
        m_asked.insert(hash);

        const auto validator = co_await validatorFor(hash);
        auto fetched =
            co_await fetchPage(&m_cycle.ports.client, std::move(*request), m_plan.listing, validator);
        if (!fetched) {
            const int status = fetched.error().httpStatus;
            const bool isPositionRefused = status == 400 || status == 404 || status == 410 || status == 422;
            if (!isPositionRefused || !startAfresh())
                m_outcome.error = fetched.error();
            co_return;
        }
        ++m_outcome.summary.pages;
        ++m_scan.pages;
        if (fetched->answer.rateLimit)
            m_outcome.rateLimit = fetched->answer.rateLimit;
        switch (fetched->answer.outcome) {
        case http::Answer::Outcome::Throttled:
            m_outcome.throttle = fetched->answer.throttle;
            m_outcome.retryAfter = fetched->answer.retryAfter;
            break;
        case http::Answer::Outcome::NotModified:
            m_scan.sawUnmodified = true;
            m_outcome.summary.notModified = true;
            goOnWithoutBody();
            break;
        case http::Answer::Outcome::IgnorePage:
            m_listingHasHoles = true;
            goOnWithoutBody();
            break;
        case http::Answer::Outcome::Page:
            co_await takePage(std::move(*fetched), hash);
            break;
        }
    }

    /// A position that an earlier run left may be one that the API knows no more (an expired token, an
    /// edited request): the scan then begins again. False when there was none to give up.
    bool startAfresh()
    {
        if (!m_resumed || m_outcome.summary.pages > 0)
            return false;
        m_resumed = false;
        m_asked.clear();
        m_ask = m_strategy->scanStart(m_plan.cursor);
        m_position = cursor::firstPosition(m_plan.listing.pagination);
        m_scan = freshScan();
        return true;
    }

    [[nodiscard]] ScanState freshScan() const
    {
        return {.from = m_ask,
                .watermark = m_plan.cursor,
                .position = m_position.toJson(),
                .startedAt = m_outcome.summary.startedAt};
    }

    /// Nothing when the page must be asked in full: a full scan after one that met a 304, so that its
    /// deletes do come; the rare lanes; and once per validatorMaxAge.
    QCoro::Task<std::optional<http::Validator>> validatorFor(QByteArray hash)
    {
        const auto &last = m_cycle.state.schedule.lastPoll;
        const bool askInFull = (m_plan.fullScan && last && last->verdict == Verdict::Unmodified) ||
                               m_cycle.state.schemaVersion != m_cycle.poller->schemaVersion;
        if (!usesValidators(m_plan.listing.request) || m_resumed || askInFull || m_plan.lane != Lane::Live)
            co_return std::nullopt;
        const auto row = co_await m_cycle.ports.store.loadValidator(m_cycle.key, hash);
        if (!row || !*row ||
            m_cycle.ports.clock.now() - (*row)->savedAt >= m_plan.listing.request.validatorMaxAge)
            co_return std::nullopt;
        co_return http::Validator{(*row)->etag, (*row)->lastModified};
    }

    /// 304 or an ignored page: nothing to diff; numbered pages can be asked on, others cannot.
    void goOnWithoutBody()
    {
        const PagingKind kind = m_plan.listing.pagination.kind;
        const bool numbered = kind == PagingKind::Page || kind == PagingKind::Offset;
        const auto &last = m_cycle.state.schedule.lastPoll;
        const bool wasLastPage = last && !last->truncated && m_scan.pages >= last->pages;
        if (!numbered || wasLastPage || m_scan.pages >= m_plan.listing.pagination.maxPages) {
            m_finished = true;
            return;
        }
        cursor::PageSignals said;
        said.items = m_plan.listing.pagination.size.value_or(1);
        said.hasMore = true;
        said.hasMoreDeclared = true;
        step(said);
    }

    void step(const cursor::PageSignals &said)
    {
        const cursor::PagingStep next = cursor::nextStep(m_plan.listing.pagination, m_position, said);
        m_finished = next.finished;
        warn(next.warnings);
        if (m_finished)
            return;
        m_position = next.position;
        m_scan.position = m_position.toJson();
    }

    QCoro::Task<void> takePage(FetchedPage page, QByteArray hash)
    {
        cursor::PageSignals said = signalsOf(page, m_plan.listing);
        auto moved =
            m_strategy->advance(askedWith(), {page.body, m_cycle.ports.clock.now(), said.hasMoreDeclared});
        if (!moved) {
            m_outcome.error = moved.error();
            co_return;
        }
        said.cursorMoved = moved->next != askedWith();
        said.strategyExhausted = moved->exhausted && mayEndTheListing();
        m_isHoldingBack = !std::ranges::all_of(moved->kept, std::identity{});
        if (m_plan.fullScan)
            moved->kept.assign(moved->kept.size(), true);
        warn(moved->warnings);
        const QByteArray content = fingerprintOfPage(page.body);
        said.samePageAgain = !content.isEmpty() && content == m_previousContent;
        m_previousContent = content;
        noticeTotal(page.body);

        m_outcome.summary.items += said.items;
        m_scan.items += said.items;
        m_ask = moved->next;
        if (!m_plan.fullScan)
            m_scan.watermark = m_strategy->further(m_scan.watermark, moved->next);
        step(said);
        if (m_scan.pages >= m_plan.listing.pagination.maxPages && !m_finished)
            stopAtMostPages();
        if (said.samePageAgain) { // its items are known; what it ends is committed
            page.body.items.clear();
            page.body.broken.clear();
            moved->kept.clear();
        }
        stopAtTarget();
        co_await commitPage(std::move(page), moved->kept, std::move(hash));
    }

    /// A strategy may end a listing that pages by its cursor, and a script any; the others end by
    /// their own signs.
    [[nodiscard]] bool mayEndTheListing() const
    {
        return isKeyset() || m_cycle.poller->cursor.strategy == Strategy::Custom;
    }

    void stopAtMostPages()
    {
        m_isCapped = true;
        m_listingHasHoles = m_plan.fullScan;
        m_outcome.summary.truncated = !m_plan.fullScan;
        warn({{u"max-pages"_s,
               u"The listing did not end within %1 pages"_s.arg(m_plan.listing.pagination.maxPages),
               u"pagination.maxPages"_s}});
    }

    /// Each kind of warning once per cycle.
    void warn(const QList<cursor::CursorWarning> &warnings)
    {
        for (const cursor::CursorWarning &warning : warnings) {
            const bool isKnown = std::ranges::any_of(
                m_outcome.warnings, [&](const Warning &known) { return known.code == warning.code; });
            if (!isKnown)
                m_outcome.warnings.append({warning.code, warning.message, warning.key});
        }
    }

    void noticeTotal(const json::PageBody &body)
    {
        if (!body.total)
            return;
        bool isNumber = false;
        const qint64 total = body.total->scalarText().toLongLong(&isNumber);
        if (!isNumber)
            return;
        if (m_scan.total && *m_scan.total != total)
            m_scan.sawUnstable = true;
        m_scan.total = m_scan.total.value_or(total);
    }

    void stopAtTarget()
    {
        if (m_plan.until && m_finished)
            m_outcome.reachedTarget = true;
        // A page may go past the target without standing at it.
        if (m_plan.until && m_strategy->further(m_scan.watermark, *m_plan.until) == m_scan.watermark) {
            m_outcome.reachedTarget = true;
            m_finished = true;
        }
    }

    /// Step 4 of the seed: validate, hash, diff, and one transaction for what came of it.
    QCoro::Task<void> commitPage(FetchedPage page, std::vector<bool> kept, QByteArray hash)
    {
        const PollerDefinition &poller = *m_cycle.poller;
        change::IdentifiedPage identified = change::identify(keptItems(page.body, kept), poller.identity);
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
        for (Event &event : diff.events) {
            event.orderingKey = change::orderingKeyOf(event, poller.deliver.orderingKey);
            countEvent(event.type);
        }
        auto parked = quarantined(page.body, identified, diff);
        if (!parked) {
            m_outcome.error = parked.error();
            co_return;
        }
        co_await commit(std::move(page), std::move(diff), std::move(*parked), *stored, std::move(hash));
    }

    static std::vector<QByteArray> keptItems(json::PageBody &body, const std::vector<bool> &kept)
    {
        if (std::ranges::all_of(kept, std::identity{}))
            return std::move(body.items);
        std::vector<QByteArray> items;
        for (size_t index = 0; index < body.items.size(); ++index) {
            if (index >= kept.size() || kept[index])
                items.push_back(std::move(body.items[index]));
        }
        return items;
    }

    QCoro::Task<Result<std::vector<StoredItem>>> storedRows(const change::IdentifiedPage &page)
    {
        std::vector<QString> identities;
        identities.reserve(page.items.size());
        for (const change::IdentifiedItem &item : page.items)
            identities.push_back(item.identity);
        const auto scan = m_plan.fullScan && m_scan.id != 0 ? std::optional(m_scan.id) : std::nullopt;
        return m_cycle.ports.store.loadVersions(m_cycle.key, std::move(identities), scan);
    }

    /// An identity that this scan has listed already counts as it was listed first.
    void dropListedBefore(change::IdentifiedPage &page, const std::vector<StoredItem> &stored)
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

    void noticeUnstable(const QString &identity)
    {
        m_scan.sawUnstable = true;
        warn({{u"unstable-identity"_s,
               u"%1 was listed twice with different content; the first listing counts"_s.arg(identity),
               u"identity"_s}});
    }

    void countEvent(EventType type)
    {
        EventCounts &counts = m_outcome.summary.events;
        counts.created += type == EventType::Created ? 1 : 0;
        counts.updated += type == EventType::Updated ? 1 : 0;
        counts.deleted += type == EventType::Deleted ? 1 : 0;
    }

    Result<std::vector<ParkedRow>> quarantined(const json::PageBody &body,
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

    QCoro::Task<void> commit(FetchedPage page, change::PageDiff diff, std::vector<ParkedRow> parked,
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
        if (m_plan.fullScan || (!m_finished && !m_listingHasHoles))
            batch.scan = m_scan;
        if (m_plan.fullScan)
            batch.seen = seenHandles(stored, batch.upserts);
        if (page.answer.validator && usesValidators(m_plan.listing.request) && !m_isHoldingBack)
            batch.validator = ValidatorRow{hash, page.answer.validator->etag,
                                           page.answer.validator->lastModified, batch.now};
        const bool hadEvents = !batch.events.empty();

        auto receipt = co_await m_cycle.ports.store.commitPoll(m_cycle.key, leaseOrNone(), std::move(batch));
        if (!receipt)
            co_return abandonOr(receipt.error());
        m_outcome.cursor = durableCursor();
        m_scan.id = receipt->scanId.value_or(m_scan.id);
        if (hadEvents)
            co_await m_cycle.deliverCommitted();
    }

    /// Keyset moves with each page; every other kind only when its scan is complete.
    [[nodiscard]] LaneCursor durableCursor() const
    {
        if (m_plan.fullScan)
            return m_plan.cursor;
        return isKeyset() || m_finished ? m_scan.watermark : m_plan.cursor;
    }

    static std::vector<qint64> seenHandles(const std::vector<StoredItem> &stored,
                                           const std::vector<ItemRow> &upserts)
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

    [[nodiscard]] Lease leaseOrNone() const { return m_cycle.keeper.lease().value_or(Lease{}); }

    void abandonOr(const Error &error)
    {
        if (error.kind == ErrorKind::LeaseLost)
            m_cycle.abandoned = true;
        m_outcome.error = error;
    }

    /// The verdict of a full scan, and with it the deletes (seed, commit protocol, rule 2).
    QCoro::Task<void> closeScan()
    {
        if (!m_finished && !m_listingHasHoles) {
            m_outcome.summary.verdict = Verdict::Truncated;
            co_return;
        }
        MissingCount counts;
        if (m_scan.id != 0) {
            auto counted = co_await m_cycle.ports.store.countMissing(m_cycle.key, m_scan.id);
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
        if (m_resumed && facts.finished && (counts.missing > 0 || facts.sawUnstable)) {
            m_outcome.listAgain = true;
            m_outcome.summary.verdict = Verdict::Truncated;
        }
        if (m_scan.id != 0)
            co_await completeScan(facts);
    }

    QCoro::Task<void> completeScan(change::ScanFacts facts)
    {
        using Deletes = ScanCompletion::Deletes;
        const Verdict verdict = m_outcome.summary.verdict;
        ScanCompletion completion{.lane = m_plan.lane,
                                  .scanId = m_scan.id,
                                  .deletes = verdict == Verdict::Complete  ? Deletes::Emit
                                             : verdict == Verdict::Suspect ? Deletes::Hold
                                                                           : Deletes::None,
                                  .holdReason = change::guardReason(facts, m_cycle.poller->deleteGuard),
                                  .cursor = m_plan.cursor,
                                  .log = m_cycle.poller->logRetention.has_value(),
                                  .now = m_cycle.ports.clock.now()};
        completion.makeDeletion = makeDeletion(m_cycle.poller, m_cycle.key, m_plan.lane, completion.now);
        auto outcome =
            co_await m_cycle.ports.store.completeScan(m_cycle.key, leaseOrNone(), std::move(completion));
        if (!outcome)
            co_return abandonOr(outcome.error());
        m_outcome.summary.events.deleted += outcome->deleted;
        if (outcome->deleted > 0)
            co_await m_cycle.deliverCommitted();
    }

    Cycle &m_cycle;
    LanePlan m_plan;
    LaneOutcome m_outcome;
    ScanState m_scan;
    std::shared_ptr<const cursor::CursorStrategy> m_strategy;
    LaneCursor m_ask; ///< keyset: what the next page is asked with
    cursor::PagePosition m_position;
    QSet<QByteArray> m_asked;
    QByteArray m_previousContent;
    bool m_resumed = false;
    bool m_finished = false;
    bool m_listingHasHoles = false;
    bool m_isCapped = false;      ///< pagination.maxPages was reached
    bool m_isHoldingBack = false; ///< the last page had items that are too new to be trusted
};

} // namespace

QCoro::Task<LaneOutcome> runLane(Cycle *cycle, LanePlan plan)
{
    LaneRun lane(*cycle, std::move(plan));
    co_return co_await lane.run();
}

} // namespace watukuy
