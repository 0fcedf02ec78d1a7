// SPDX-License-Identifier: GPL-3.0-or-later
// Timestamps as APIs write them, compared as instants with nanosecond exactness (spec-engine 3).
#pragma once

#include <compare>
#include <optional>

#include <QByteArray>
#include <QString>
#include <QStringList>

#include "engine/definition/definition.h"
#include "engine/model/instant.h"

namespace watukuy::cursor {

/// A point of time with nanoseconds.
struct Timestamp {
    qint64 seconds = 0; ///< since 1970-01-01T00:00:00Z, floor
    qint32 nanoseconds = 0;

    auto operator<=>(const Timestamp &) const = default;
    [[nodiscard]] Instant toInstant() const; ///< floored to milliseconds
};

/// Reads a timestamp token: RFC 3339 with any fraction and offset, ISO dates,
/// `YYYY-MM-DD HH:MM:SS`, RFC 7231 dates, .NET `/Date(ms)/`, epoch s/ms/us/ns by magnitude
/// (`unit` overrides), or `formats` in `timeZone`. Nothing when it cannot be read.
[[nodiscard]] std::optional<Timestamp> readTimestamp(const QString &text, const CursorDefinition &definition);

/// `text` moved back by `by`, written in the form `text` has; a date stays in the year 1, where years begin.
/// Nothing when unreadable.
[[nodiscard]] std::optional<QString> movedBack(const QString &text, Duration by,
                                               const CursorDefinition &definition);

} // namespace watukuy::cursor
