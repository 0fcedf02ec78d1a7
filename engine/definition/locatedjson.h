// SPDX-License-Identifier: GPL-3.0-or-later
// A JSON text whose every value knows its line: what a workspace is read from.
#pragma once

#include <expected>
#include <vector>

#include <QByteArray>
#include <QString>

#include "engine/definition/workspace.h"
#include "engine/json/rawvalue.h"

namespace watukuy {

struct LocatedMember;

/// A value with the line it begins on and its exact text.
struct LocatedValue {
    json::Kind kind = json::Kind::Null;
    int line = 0;
    QByteArray raw;
    std::vector<LocatedMember> members; ///< of an object, in order, repeated names included
    std::vector<LocatedValue> elements; ///< of an array

    [[nodiscard]] QString text() const { return json::RawValue{kind, raw}.scalarText(); }
    /// The first member of that name, nothing when there is none.
    [[nodiscard]] const LocatedValue *member(const QString &name) const;
};

struct LocatedMember {
    QString name;
    int line = 0;
    LocatedValue value;
};

/// Reads `text`. A syntax error says what it is (a comment, a trailing comma, an unclosed text, a
/// missing comma) and on which line.
[[nodiscard]] std::expected<LocatedValue, WorkspaceError> readLocated(const QByteArray &text);

} // namespace watukuy
