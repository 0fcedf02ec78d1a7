// SPDX-License-Identifier: GPL-3.0-or-later
// Paths into JSON: dotted names with indexes, or a JSON Pointer (spec-workspace, "Paths").
#pragma once

#include <QString>
#include <QStringList>

#include "engine/model/error.h"

namespace watukuy::json {

/// A parsed path. `data.items.0.id`, `a\.b` for a dot in a name, `/a/b~1c` (RFC 6901), "" for the
/// whole text. A segment of digits is an index in an array and a name in an object.
class Path {
public:
    Path() = default;

    /// Never fails for dotted names; a JSON Pointer with a bad `~` escape is ErrorKind::Workspace.
    [[nodiscard]] static Result<Path> parse(const QString &text);

    [[nodiscard]] const QStringList &segments() const { return m_segments; }
    [[nodiscard]] bool isWhole() const { return m_segments.isEmpty(); }
    /// As it was written, for messages.
    [[nodiscard]] const QString &text() const { return m_text; }

    bool operator==(const Path &) const = default;

private:
    QString m_text;
    QStringList m_segments;
};

} // namespace watukuy::json
