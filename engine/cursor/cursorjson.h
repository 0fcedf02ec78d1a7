// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON texts of lane cursors, read and written.
#pragma once

#include <optional>

#include <QByteArray>
#include <QString>

#include "engine/json/rawvalue.h"
#include "engine/model/state.h"

namespace watukuy::cursor {

/// The top-level member `name` of a JSON object; nothing when absent, null or not readable.
[[nodiscard]] std::optional<json::RawValue> member(const QByteArray &object, const QString &name);

/// A value as text: scalars by scalarText(), arrays and objects by their own bytes, null as nothing.
[[nodiscard]] std::optional<QString> textOf(const std::optional<json::RawValue> &value);

/// The text of a top-level member.
[[nodiscard]] std::optional<QString> memberText(const QByteArray &object, const QString &name);

/// `text` as a JSON string, or `null`.
[[nodiscard]] QByteArray stringOrNull(const std::optional<QString> &text);

/// A whole JSON text, e.g. `initial` of a workspace, as one value.
[[nodiscard]] std::optional<json::RawValue> wholeValue(const QByteArray &text);

/// What a CURSOR argument says: the API's own text, a JSON string, or `null`.
[[nodiscard]] std::optional<QString> argumentText(const QString &argument);

} // namespace watukuy::cursor
