// SPDX-License-Identifier: GPL-3.0-or-later
// Single JSON tokens: strings to text and back, numbers to their canonical form.
#pragma once

#include <optional>

#include <QByteArray>
#include <QByteArrayView>
#include <QString>

namespace watukuy::json {

/// The text of a string token (quotes included in `token`), escapes undone, lone surrogates as
/// U+FFFD. Nothing when an escape is malformed or a control character stands raw.
[[nodiscard]] std::optional<QString> textOfString(QByteArrayView token);

/// RFC 8785 section 3.2.2.2: `text` as a string token.
[[nodiscard]] QByteArray canonicalString(const QString &text);

/// A number token in canonical form (spec-engine 11, "Numbers when hashing"); nothing when `token`
/// is no JSON number. One whose exponent has more than 15 digits stays as it was written.
[[nodiscard]] std::optional<QByteArray> canonicalNumber(QByteArrayView token);

} // namespace watukuy::json
