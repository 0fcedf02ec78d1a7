// SPDX-License-Identifier: GPL-3.0-or-later
// How this room uses simdjson's On-Demand parser: padded buffers, raw slices, errors as values.
#pragma once

#include <string_view>

#include <simdjson.h>

#include <QByteArray>

#include "engine/json/rawvalue.h"
#include "engine/model/error.h"

namespace watukuy::json::walk {

namespace ondemand = simdjson::ondemand;

/// A text that On-Demand can read: a copy with the padding it wants. One per thread and use.
class PaddedText {
public:
    /// The copy of `raw` without a byte-order mark.
    std::string_view hold(QByteArrayView raw);
    [[nodiscard]] simdjson::padded_string_view view() const;

private:
    QByteArray m_buffer;
    qsizetype m_size = 0;
};

/// The exact bytes of a scalar, spaces around it left out. Consumes a string: On-Demand takes one that it
/// has to skip for a name when a colon follows, and skips the rest of the object with it.
simdjson::simdjson_result<std::string_view> tokenOf(ondemand::value value);

/// The exact bytes of a value, spaces around it left out. Consumes it.
simdjson::simdjson_result<std::string_view> rawOf(ondemand::value value);

/// Passes a value by; what stands behind it instead of a comma is an error of the next step.
simdjson::error_code skip(ondemand::value value);

/// The kind that a token's first byte announces.
[[nodiscard]] Kind kindOf(std::string_view raw);

[[nodiscard]] RawValue rawValue(std::string_view raw);

/// ErrorKind::Body, with what simdjson said and the byte it stood at.
[[nodiscard]] Error bodyError(const QString &what, qint64 offset);

[[nodiscard]] std::string_view trimmed(std::string_view text);

} // namespace watukuy::json::walk
