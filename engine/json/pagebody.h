// SPDX-License-Identifier: GPL-3.0-or-later
// One response body taken apart: the raw items and the members that steer paging.
#pragma once

#include <optional>
#include <vector>

#include <QByteArray>
#include <QList>

#include "engine/json/rawvalue.h"
#include "engine/model/error.h"

namespace watukuy::json {

enum class BodyFormat { Json, NdJson, Csv };

/// Where things are in a body; from the poller's `response`.
struct BodyShape {
    BodyFormat format = BodyFormat::Json;
    Path items;
    QString keyField; ///< the object at `items` is keyed by id; the key goes into the item, first
    std::optional<Path> hasMore;
    std::optional<Path> cursor;
    std::optional<Path> next; ///< `pagination.path` of nextUrl and token
    std::optional<Path> total;
};

/// An item that could not be cut out of the body (a broken NDJSON line): quarantined by the caller.
struct BrokenItem {
    QByteArray raw;
    QString reason;
};

/// The parts of a page. Items are raw slices: parsed once, never re-serialised.
struct PageBody {
    std::vector<QByteArray> items;
    std::vector<BrokenItem> broken;
    std::optional<RawValue> hasMore; ///< nothing when not declared or not in the body
    std::optional<RawValue> cursor;
    std::optional<RawValue> next;
    std::optional<RawValue> total;
};

/// Takes `body` (UTF-8, a BOM is skipped) apart. Whitespace only = an empty page; `null` at `items`
/// = no items; one object at `items` without keyField = one item. Fails with ErrorKind::Body when
/// it is not JSON (with offset), or when `items` is missing: then the error names the path and the
/// names that were there.
[[nodiscard]] Result<PageBody> takeApart(const QByteArray &body, const BodyShape &shape);

} // namespace watukuy::json
