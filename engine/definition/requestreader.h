// SPDX-License-Identifier: GPL-3.0-or-later
// Reads how a poller asks and how it reads the answers: request, response, pagination.
#pragma once

#include "engine/definition/definition.h"
#include "engine/definition/reader.h"

namespace watukuy {

/// Overlay::Yes lays the members over what is already in `request` (reconcile): url is not required,
/// null takes a credential or a body out.
enum class Overlay { No, Yes };

void readRequest(ObjectReader &reader, RequestDefinition &request, const Surroundings &around,
                 const PlaceholderRules &rules, Overlay overlay);
void readResponse(ObjectReader &reader, ResponseDefinition &response);

/// Whether the scan has a cursor that can page by itself.
enum class ScanCursor { Present, Absent };

/// Lays `pagination` of `owner` over `pagination`; `pagination.path` goes into the response's shape.
void readPagination(ObjectReader &owner, PaginationDefinition &pagination, const RequestDefinition &request,
                    ResponseDefinition &response, ScanCursor cursor);

/// A literal `limit`, `per_page` or `page_size` of the query tells the size of a full page.
void takeSizeFromQuery(PaginationDefinition &pagination, const RequestDefinition &request);

/// Page when the request uses `${page}`, Offset for `${offset}`, else None.
[[nodiscard]] PagingKind pagingOfTemplate(const RequestDefinition &request);

/// True for the kinds whose position is given by the API and stands in `${next}`.
[[nodiscard]] bool fillsNext(const QString &kind);

/// Changes the kind and what depends on it.
void setKind(PaginationDefinition &pagination, PagingKind kind);

/// True when `name` can be the name of an HTTP header (RFC 9110, token).
[[nodiscard]] bool isHeaderName(const QString &name);

/// Reports a header of `name` that cannot be one, and one that carries a secret word for word.
void checkHeaders(ObjectReader &reader, const QString &name);

} // namespace watukuy
