// SPDX-License-Identifier: GPL-3.0-or-later
// Paging inside a scan: the position of the next page, and when the listing ends (spec-engine 3). Pure.
#pragma once

#include <optional>

#include <QByteArray>
#include <QString>

#include "engine/cursor/strategy.h"
#include "engine/definition/definition.h"
#include "engine/json/pagebody.h"
#include "engine/model/state.h"

namespace watukuy::cursor {

/// Where in a scan the next page is. Serialised as JSON into ScanState::position.
struct PagePosition {
    qint64 page = 1;   ///< `${page}`, counted from `start`
    qint64 offset = 0; ///< `${offset}`
    QString next;      ///< `${next}`: token or URL; empty on the first page

    [[nodiscard]] QByteArray toJson() const;
    [[nodiscard]] static PagePosition fromJson(const QByteArray &json, const PaginationDefinition &paging);
    bool operator==(const PagePosition &) const = default;
};

/// What the answer to one page said that matters for paging.
struct PageSignals {
    qint64 items = 0;            ///< items in the body, before any filter
    std::optional<bool> hasMore; ///< the declared member, when it is there
    bool hasMoreDeclared = false;
    QString next;             ///< token, nextUrl or link target; empty = none
    bool cursorMoved = false; ///< keyset: the page moved the cursor
    bool strategyExhausted = false;
    bool samePageAgain = false; ///< the items equal those of the page before
};

/// The next step of a scan.
struct PagingStep {
    bool finished = false; ///< the listing ended
    PagePosition position; ///< of the next page, when not finished
    QList<CursorWarning> warnings;
};

[[nodiscard]] PagePosition firstPosition(const PaginationDefinition &paging);

/// Decides whether there is a next page (spec-engine 3 and 11, "Paging ends"). An explicit
/// `hasMore: false` ends a scan; an empty page with a next token continues; a repeated page ends it
/// with the warning `repeated-page` that names the paging parameter.
[[nodiscard]] PagingStep nextStep(const PaginationDefinition &paging, const PagePosition &position,
                                  const PageSignals &page);

/// The `hasMore` member as a flag: booleans, 0/1, "true"/"false", null = false.
[[nodiscard]] std::optional<bool> readFlag(const std::optional<json::RawValue> &value);

} // namespace watukuy::cursor
