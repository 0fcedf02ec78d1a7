// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 8785 canonical JSON, with one deliberate step past it for numbers, and SHA-256.
#pragma once

#include <vector>

#include <QByteArray>

#include "engine/json/path.h"
#include "engine/model/error.h"

namespace watukuy::json {

/// Canonical text plus what was noticed on the way.
struct Canonical {
    QByteArray text;
    int duplicateNames = 0; ///< object names met twice; the last value won
};

/// The canonical form of `raw` (spec-engine 4.3 and 11): keys sorted by UTF-16 code units, RFC 8785
/// strings; a number whose exact decimal value the shortest double reproduces is written as
/// RFC 8785 writes it, any other keeps its own digits, normalised to no leading or trailing zeros.
/// Fails with ErrorKind::Body on text that is not JSON, NaN and Infinity words included.
/// Members at `leftOut` paths are skipped.
[[nodiscard]] Result<Canonical> canonicalise(QByteArrayView raw, const std::vector<Path> &leftOut = {});

/// SHA-256 by libcrypto, 32 raw bytes. Thread-safe.
[[nodiscard]] QByteArray sha256(QByteArrayView bytes);

/// HMAC-SHA256 (RFC 2104) by libcrypto, 32 raw bytes. Thread-safe.
[[nodiscard]] QByteArray hmacSha256(QByteArrayView key, QByteArrayView bytes);

} // namespace watukuy::json
