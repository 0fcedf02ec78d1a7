// SPDX-License-Identifier: GPL-3.0-or-later
// Single JSON tokens: strings to text and back, numbers to their canonical form.
#pragma once

#include <optional>

#include <QByteArray>
#include <QByteArrayView>
#include <QString>

namespace watukuy::json {

/// UTF-8 as text. QString::fromUtf8() takes a U+FEFF in front for a byte-order mark and drops it; a string
/// may begin with one.
[[nodiscard]] QString textOfUtf8(QByteArrayView bytes);

/// The text of a string token (quotes included in `token`), escapes undone, lone surrogates as
/// U+FFFD. Nothing when an escape is malformed or a control character or a quote stands raw.
[[nodiscard]] std::optional<QString> textOfString(QByteArrayView token);

/// RFC 8785 section 3.2.2.2: `text` as a string token.
[[nodiscard]] QByteArray canonicalString(const QString &text);

/// A number token in canonical form (spec-engine 11, "Numbers when hashing"); nothing when `token`
/// is no JSON number. One whose exponent has more than 15 digits stays as it was written.
[[nodiscard]] std::optional<QByteArray> canonicalNumber(QByteArrayView token);

} // namespace watukuy::json
