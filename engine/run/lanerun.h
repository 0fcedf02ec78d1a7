// SPDX-License-Identifier: GPL-3.0-or-later
// The work of one lane: what its pages have in common while it runs.
#pragma once

#include <memory>

#include "engine/change/change.h"
#include "engine/change/scanverdict.h"
#include "engine/cursor/progressguard.h"
#include "engine/run/lane.h"

namespace watukuy {

/// Lives in the frame of runLane(): fetching and paging in lane.cpp, diff and commit in lanecommit.cpp.
class LaneRun {
public:
    LaneRun(Cycle &cycle, LanePlan plan);
    QCoro::Task<LaneOutcome> run();

private:
    [[nodiscard]] bool ended() const
    {
        return m_outcome.error || m_outcome.throttle || m_outcome.deferral || m_cycle.abandoned ||
               m_cycle.poisonHalt;
    }
    [[nodiscard]] bool isKeyset() const { return m_plan.listing.pagination.kind == PagingKind::Keyset; }
    [[nodiscard]] const LaneCursor &askedWith() const { return isKeyset() ? m_ask : m_scan.from; }

    // Fetching and paging.
    QCoro::Task<void> onePage();
    /// The page that is asked for next, or was asked for last.
    [[nodiscard]] PageRequest asked() const;
    /// A position that an earlier run left may be one that the API knows no more (an expired token, an
    /// edited request): the scan then begins again, and that is stored. False when there was none to give up.
    QCoro::Task<bool> startAfresh();
    [[nodiscard]] BudgetKeeper::Wish share() const;
    /// Another page may be asked for: nobody stops the run, and the active windows, which bind all but
    /// what an operator triggered, are open.
    [[nodiscard]] bool mayAsk() const;
    [[nodiscard]] ScanState freshScan() const;
    /// Nothing when the page must be asked in full: a full scan after one that met a 304, so that its
    /// deletes do come; the rare lanes; and once per validatorMaxAge.
    QCoro::Task<std::optional<http::Validator>> validatorFor(QByteArray hash);
    /// 304 or an ignored page: nothing to diff; numbered pages can be asked on, others cannot.
    void goOnWithoutBody();
    /// Goes on, and stores where, so that no later run asks for the page again.
    QCoro::Task<void> passOver();
    QCoro::Task<void> storePlace();
    void go(const cursor::PagingStep &next);
    QCoro::Task<void> takePage(FetchedPage page, QByteArray hash);
    void stopAtMostPages();
    /// `maxCycleTime` is over. A cursor that moves goes on next time; a full scan is given up, like one
    /// with too many pages: what it left out cannot be told from what was deleted.
    void stopAtMostTime();
    /// Each kind of warning once per cycle.
    void warn(const QList<cursor::CursorWarning> &warnings);
    void noticeTotal(const json::PageBody &body);
    void stopAtTarget();

    // Step 4 of the seed, and the end of a scan.
    /// Validate, hash, diff, and one transaction for what came of it.
    QCoro::Task<void> commitPage(FetchedPage page, std::vector<bool> kept, QByteArray hash);
    QCoro::Task<Result<std::vector<StoredItem>>> storedRows(const change::IdentifiedPage &page);
    /// An identity that this scan has listed already counts as it was listed first.
    void dropListedBefore(change::IdentifiedPage &page, const std::vector<StoredItem> &stored);
    void noticeUnstable(const QString &identity);
    void countEvent(EventType type);
    Result<std::vector<ParkedRow>> quarantined(const json::PageBody &body,
                                               const change::IdentifiedPage &identified,
                                               const change::PageDiff &diff) const;
    QCoro::Task<void> commit(FetchedPage page, change::PageDiff diff, std::vector<ParkedRow> parked,
                             const std::vector<StoredItem> &stored, QByteArray hash);
    /// Keyset moves with each page; every other kind only when its scan is complete.
    [[nodiscard]] LaneCursor durableCursor() const;
    [[nodiscard]] Lease leaseOrNone() const { return m_cycle.keeper.lease().value_or(Lease{}); }
    void abandonOr(const Error &error);
    /// The verdict of a full scan, and with it the deletes (seed, commit protocol, rule 2).
    QCoro::Task<void> closeScan();
    QCoro::Task<void> completeScan(change::ScanFacts facts, std::optional<ScanState> next);
    /// When this listing confirms one and was cut into pieces like it.
    [[nodiscard]] std::optional<ListingBefore> listingBefore() const;

    Cycle &m_cycle;
    LanePlan m_plan;
    LaneOutcome m_outcome;
    ScanState m_scan;
    std::shared_ptr<const cursor::CursorStrategy> m_strategy;
    LaneCursor m_ask; ///< keyset: what the next page is asked with
    cursor::PagePosition m_position;
    cursor::ProgressGuard m_guard;
    bool m_resumed = false;
    bool m_finished = false;
    bool m_listingHasHoles = false;
    bool m_isCapped = false;      ///< pagination.maxPages or maxCycleTime was reached
    bool m_isHoldingBack = false; ///< the last page had items that are too new to be trusted
};

} // namespace watukuy
