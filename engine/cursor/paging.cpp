// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cursor/paging.h"

#include "engine/cursor/cursorjson.h"

using namespace Qt::StringLiterals;

namespace watukuy::cursor {

namespace {

bool followsLinks(PagingKind kind)
{
    return kind == PagingKind::Token || kind == PagingKind::NextUrl || kind == PagingKind::Link;
}

/// What an operator would look for in the request: the parameter, or the placeholder that fills it.
QString parameter(const PaginationDefinition &paging)
{
    if (!paging.param.isEmpty())
        return paging.param;
    switch (paging.kind) {
    case PagingKind::Page:
        return u"page"_s;
    case PagingKind::Offset:
        return u"offset"_s;
    case PagingKind::Token:
    case PagingKind::NextUrl:
    case PagingKind::Link:
        return u"next"_s;
    case PagingKind::Keyset:
    case PagingKind::None:
        break;
    }
    return u"cursor"_s;
}

CursorWarning repeatedPage(const PaginationDefinition &paging, const PagePosition &position)
{
    QString asked;
    if (paging.kind == PagingKind::Page)
        asked = u" (%1=%2)"_s.arg(parameter(paging)).arg(position.page);
    else if (paging.kind == PagingKind::Offset)
        asked = u" (%1=%2)"_s.arg(parameter(paging)).arg(position.offset);
    return {
        u"repeated-page"_s,
        u"The API answered with the items of the page before%1: it seems to ignore the paging parameter `%2`, or has no more pages. The scan ended there."_s
            .arg(asked, parameter(paging)),
        u"pagination.param"_s};
}

CursorWarning missingFlag()
{
    return {
        u"has-more-missing"_s,
        u"The body has no readable flag at the declared `hasMore` path; the scan ended as if it said false."_s,
        u"response.hasMore"_s};
}

/// APIs cut listings at round sizes; anything else was most likely everything there is.
bool looksFull(const PaginationDefinition &paging, qint64 items)
{
    if (paging.size)
        return *paging.size > 0 && items >= *paging.size;
    return items >= 10 && items % 10 == 0;
}

QList<CursorWarning> warningsWithoutPaging(const PaginationDefinition &paging, const PageSignals &page)
{
    QList<CursorWarning> warnings;
    if (page.hasMore == true) {
        warnings.append({u"more-without-pagination"_s,
                         u"The API says that there is more, but the poller declares no pagination."_s,
                         u"pagination.kind"_s});
    } else if (!page.hasMore && looksFull(paging, page.items)) {
        warnings.append(
            {u"full-page-no-pagination"_s,
             u"full page and no pagination: the listing had exactly %1 items, which looks like a page size; items beyond it are not seen."_s
                 .arg(page.items),
             u"pagination.kind"_s});
    }
    return warnings;
}

/// Ends of page, offset and keyset listings that declare no `hasMore`.
bool endsByCount(const PaginationDefinition &paging, const PageSignals &page)
{
    if (paging.kind == PagingKind::Keyset) {
        // A cursor that an empty page moved was given by the API, which therefore has more.
        const bool full = !paging.size || page.items >= *paging.size || page.items == 0;
        return !page.cursorMoved || !full;
    }
    return page.items == 0 || (paging.size && page.items < *paging.size);
}

bool endsByLink(const PagePosition &position, const PageSignals &page, QList<CursorWarning> &warnings)
{
    if (page.next.isEmpty()) {
        if (page.hasMore == true) {
            warnings.append(
                {u"next-missing"_s,
                 u"The API says that there is more, but names no next page; the scan ended there."_s,
                 u"pagination.path"_s});
        }
        return true;
    }
    // An empty page that names itself as the next one is how some APIs say "nothing new" (C03).
    return page.items == 0 && page.next == position.next;
}

PagePosition following(const PaginationDefinition &paging, const PagePosition &position,
                       const PageSignals &page)
{
    PagePosition next = position;
    next.page += paging.kind == PagingKind::Page ? paging.step : 1;
    next.offset += page.items;
    next.next = followsLinks(paging.kind) ? page.next : QString();
    return next;
}

} // namespace

QByteArray PagePosition::toJson() const
{
    return "{\"page\":" + QByteArray::number(page) + ",\"offset\":" + QByteArray::number(offset) +
           ",\"next\":" + json::quoted(next) + '}';
}

PagePosition PagePosition::fromJson(const QByteArray &json, const PaginationDefinition &paging)
{
    PagePosition position = firstPosition(paging);
    bool ok = false;
    if (const auto page = memberText(json, u"page"_s).value_or(QString()).toLongLong(&ok); ok)
        position.page = page;
    if (const auto offset = memberText(json, u"offset"_s).value_or(QString()).toLongLong(&ok); ok)
        position.offset = offset;
    position.next = memberText(json, u"next"_s).value_or(QString());
    return position;
}

PagePosition firstPosition(const PaginationDefinition &paging)
{
    PagePosition position;
    if (paging.kind == PagingKind::Page)
        position.page = paging.start;
    else if (paging.kind == PagingKind::Offset)
        position.offset = paging.start;
    return position;
}

PagingStep nextStep(const PaginationDefinition &paging, const PagePosition &position, const PageSignals &page)
{
    PagingStep step;
    step.finished = true;
    if (paging.kind == PagingKind::None) {
        step.warnings = warningsWithoutPaging(paging, page);
        return step;
    }
    // Two empty pages in a row are a repetition only where counting asked for them.
    const bool counts = paging.kind == PagingKind::Page || paging.kind == PagingKind::Offset;
    if (page.samePageAgain && (page.items > 0 || counts)) {
        step.warnings.append(repeatedPage(paging, position));
        return step;
    }
    if (page.strategyExhausted || page.hasMore == false)
        return step;
    if (page.hasMoreDeclared && !page.hasMore) {
        step.warnings.append(missingFlag());
        return step;
    }
    if (followsLinks(paging.kind) ? endsByLink(position, page, step.warnings)
                                  : page.hasMore != true && endsByCount(paging, page)) {
        return step;
    }
    step.finished = false;
    step.position = following(paging, position, page);
    return step;
}

std::optional<bool> readFlag(const std::optional<json::RawValue> &value)
{
    if (!value)
        return std::nullopt;
    if (value->kind == json::Kind::Null)
        return false;
    if (value->kind == json::Kind::Array || value->kind == json::Kind::Object)
        return std::nullopt;
    const QString text = value->scalarText();
    if (text == "1"_L1 || text.compare("true"_L1, Qt::CaseInsensitive) == 0)
        return true;
    if (text == "0"_L1 || text.compare("false"_L1, Qt::CaseInsensitive) == 0)
        return false;
    return std::nullopt;
}

} // namespace watukuy::cursor
