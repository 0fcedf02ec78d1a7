// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/run/pagefetch.h"

#include <QUrlQuery>

#include "engine/json/canonical.h"
#include "engine/run/placeholders.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

/// `pagination.param` carries the position when the template itself names none.
void addPagingParameter(http::Request &request, const PageRequest &page)
{
    const PaginationDefinition &paging = page.listing.pagination;
    if (paging.param.isEmpty())
        return;
    QString value;
    if (paging.kind == PagingKind::Page)
        value = QString::number(page.position.page);
    else if (paging.kind == PagingKind::Offset)
        value = QString::number(page.position.offset);
    else if (paging.kind == PagingKind::Token)
        value = page.position.next;
    if (value.isEmpty())
        return;
    QUrlQuery query(request.url);
    query.removeQueryItem(paging.param);
    query.addQueryItem(paging.param, QString::fromUtf8(QUrl::toPercentEncoding(value)));
    request.url.setQuery(query);
}

/// What an answer said for paging, besides the cursor.
cursor::PageSignals signalsOf(const FetchedPage &page, const Listing &listing)
{
    cursor::PageSignals said;
    said.items = static_cast<qint64>(page.body.items.size() + page.body.broken.size());
    said.hasMoreDeclared = listing.response.shape.hasMore.has_value();
    said.hasMore = cursor::readFlag(page.body.hasMore);
    switch (listing.pagination.kind) {
    case PagingKind::Link:
        said.next = page.answer.linkNext;
        break;
    case PagingKind::NextUrl:
    case PagingKind::Token:
        said.next = listing.pagination.header.isEmpty()
                        ? (page.body.next ? page.body.next->scalarText() : QString())
                        : page.answer.nextHeader;
        break;
    case PagingKind::Keyset:
    case PagingKind::Page:
    case PagingKind::Offset:
    case PagingKind::None:
        break;
    }
    return said;
}

} // namespace

Result<http::Request> requestOf(const PageRequest &page, const WorkspaceDefinition &workspace,
                                const cursor::CursorStrategy &strategy, http::Client &client)
{
    const PlaceholderValues values{workspace,      strategy, page.cursor, page.position,
                                   page.partition, page.key, page.lane};
    const PagingKind kind = page.listing.pagination.kind;
    const bool nextIsUrl = kind == PagingKind::NextUrl || kind == PagingKind::Link;
    auto request = client.prepare(
        page.listing.request, [&](const QString &name) { return placeholderValue(name, values); },
        nextIsUrl ? page.position.next : QString());
    if (request)
        addPagingParameter(*request, page);
    return request;
}

bool usesValidators(const RequestDefinition &request)
{
    if (request.validators != Validators::Auto)
        return request.validators == Validators::On;
    return request.method == "GET" && !request.uses(u"cursor.");
}

QCoro::Task<Result<FetchedPage>> fetchPage(Fetcher fetcher, BudgetKeeper::Wish share, http::Request request,
                                           Listing listing, std::optional<http::Validator> validator)
{
    auto granted = co_await fetcher.budgets.take(std::move(share));
    if (!granted)
        co_return fail(granted.error());
    const auto held = std::make_shared<BudgetKeeper::Share>(std::move(*granted));
    request.mayLeave = [budgets = &fetcher.budgets, held](http::Request *) { return budgets->spend(held); };
    request.answered = [budgets = &fetcher.budgets, held,
                        also = std::move(request.answered)](const http::Response &response) {
        budgets->answered(*held);
        if (also)
            also(response);
    };
    auto answer = co_await fetcher.client.fetch(std::move(request), listing.response, std::move(validator),
                                                listing.pagination.header);
    if (!answer)
        co_return fail(answer.error());
    FetchedPage page{.answer = std::move(*answer), .body = {}};
    if (page.answer.outcome == http::Answer::Outcome::Page) {
        auto body = json::takeApart(page.answer.body, listing.response.shape);
        if (!body) {
            Error error = body.error();
            error.httpStatus = page.answer.response.status;
            co_return fail(std::move(error));
        }
        page.body = std::move(*body);
        page.answer.body.clear();
    }
    co_return page;
}

Result<PageTurn> turnPage(const FetchedPage &page, const PageRequest &asked, bool isSameAgain,
                          const cursor::CursorStrategy &strategy, Instant now)
{
    PageTurn turn{.moved = {}, .said = signalsOf(page, asked.listing), .next = {}};
    auto moved = strategy.advance(asked.cursor, {page.body, now, turn.said.hasMoreDeclared});
    if (!moved)
        return fail(moved.error());
    turn.moved = std::move(*moved);
    turn.said.cursorMoved = turn.moved.next != asked.cursor;
    const bool mayEnd = asked.listing.pagination.kind == PagingKind::Keyset || strategy.endsAnyListing();
    turn.said.strategyExhausted = turn.moved.exhausted && mayEnd;
    turn.said.samePageAgain = isSameAgain;
    turn.next = cursor::nextStep(asked.listing.pagination, asked.position, turn.said);
    return turn;
}

std::vector<QByteArray> keptItems(std::vector<QByteArray> items, const std::vector<bool> &kept)
{
    size_t index = 0;
    std::erase_if(items, [&](const QByteArray &) {
        const bool isHeldBack = index < kept.size() && !kept[index];
        ++index;
        return isHeldBack;
    });
    return items;
}

QByteArray fingerprintOfPage(const json::PageBody &body)
{
    QByteArray all;
    for (const QByteArray &item : body.items)
        all += item;
    return all.isEmpty() ? QByteArray() : json::sha256(all);
}

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

} // namespace watukuy
