// SPDX-License-Identifier: GPL-3.0-or-later
// One page of a lane: the request that asks for it, the answer taken apart.
#pragma once

#include <optional>

#include <QCoroTask>

#include "engine/cursor/paging.h"
#include "engine/cursor/strategy.h"
#include "engine/definition/definition.h"
#include "engine/http/client.h"
#include "engine/model/key.h"
#include "engine/model/state.h"
#include "engine/run/budgetkeeper.h"
#include "engine/store/statestore.h"

namespace watukuy {

/// What a lane asks and how it reads the answers; the poller's own, or reconcile's laid over them.
struct Listing {
    RequestDefinition request;
    ResponseDefinition response;
    PaginationDefinition pagination;
};

/// Where in which listing the page is.
struct PageRequest {
    Listing listing;
    Key key;
    Lane lane = Lane::Live;
    PartitionDefinition partition;
    LaneCursor cursor;
    cursor::PagePosition position;
};

/// A page as it came.
struct FetchedPage {
    http::Answer answer; ///< without its body: that was taken apart
    json::PageBody body;
};

/// The request of `page` with everything in place: the paging parameter, the next URL. Reads
/// secrets, touches nothing else.
[[nodiscard]] Result<http::Request> requestOf(const PageRequest &page, const WorkspaceDefinition &workspace,
                                              const cursor::CursorStrategy &strategy, http::Client &client);

/// True when answers to this listing may be asked for conditionally: GET, and no part of the
/// request moves with the cursor (others would store a validator per cycle).
[[nodiscard]] bool usesValidators(const RequestDefinition &request);

/// What is needed to fetch; belongs to the awaiting caller.
struct Fetcher {
    http::Client &client;
    BudgetKeeper &budgets;
};

/// Sends `request` when its budget allows it, and takes the answer apart. Writes nothing.
QCoro::Task<Result<FetchedPage>> fetchPage(Fetcher fetcher, BudgetKeeper::Wish share, http::Request request,
                                           Listing listing, std::optional<http::Validator> validator);

/// What a page means: where the cursor goes, and which page is the next.
struct PageTurn {
    cursor::Advance moved;
    cursor::PageSignals said;
    cursor::PagingStep next;
};
/// `asked` = what the page was asked with and for; `isSameAgain` = its items are those of the page before.
/// Pure. Errors: a cursor that cannot be read off the page.
[[nodiscard]] Result<PageTurn> turnPage(const FetchedPage &page, const PageRequest &asked, bool isSameAgain,
                                        const cursor::CursorStrategy &strategy, Instant now);

/// Those of `items` that are not held back; what `kept` has no word for is kept.
[[nodiscard]] std::vector<QByteArray> keptItems(std::vector<QByteArray> items, const std::vector<bool> &kept);

/// The items of a page, to compare with those of the next; empty when it has none.
[[nodiscard]] QByteArray fingerprintOfPage(const json::PageBody &body);

/// The progress guard: `request` was sent before in this scan (spec-engine 2).
[[nodiscard]] Error repeatedRequest(const http::Request &request, const Listing &listing);

} // namespace watukuy
