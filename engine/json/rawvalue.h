// SPDX-License-Identifier: GPL-3.0-or-later
// Values read out of raw JSON text without losing a digit (promise G11).
#pragma once

#include <optional>

#include <QByteArray>
#include <QString>

#include "engine/json/path.h"
#include "engine/model/error.h"

namespace watukuy::json {

enum class Kind { Null, Bool, Number, String, Array, Object };

/// One value as it stands in its text.
struct RawValue {
    Kind kind = Kind::Null;
    QByteArray text; ///< the exact bytes, e.g. `9007199254740993`, `"a\u0062"`, `{"x":1}`

    /// A scalar as text: strings unescaped (a lone surrogate becomes U+FFFD), numbers and booleans
    /// by their own token. Empty for null, arrays and objects.
    [[nodiscard]] QString scalarText() const;

    bool operator==(const RawValue &) const = default;
};

/// The value at `path` in `raw`, nothing if a step is missing. With duplicate object keys the last
/// one wins. Fails with ErrorKind::Body when `raw` is not JSON on the way to the value.
/// `raw` needs no padding.
[[nodiscard]] Result<std::optional<RawValue>> find(QByteArrayView raw, const Path &path);

/// The names of the object at the root of `raw`, for messages that say what was there instead.
[[nodiscard]] QStringList namesAt(QByteArrayView raw);

/// `text` with every lone surrogate replaced by U+FFFD.
[[nodiscard]] QString wellFormed(QString text);

/// `text` as a JSON string token, quotes included.
[[nodiscard]] QByteArray quoted(const QString &text);

/// Replaces every lone surrogate escape in `raw` by U+FFFD; the same bytes when there is none.
[[nodiscard]] QByteArray withoutLoneSurrogates(QByteArray raw);

} // namespace watukuy::json
