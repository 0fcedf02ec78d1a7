// SPDX-License-Identifier: GPL-3.0-or-later
// Regular expressions of JSON Schema (ECMA-262) over UTF-8: a matcher of bytes sees whole characters.
#pragma once

#include <string>

#include <QString>

#include "engine/model/error.h"

namespace watukuy::json {

/// An expression over bytes that matches the UTF-8 form of what `expression` matches. In ASCII alone.
struct ByteExpression {
    std::string text;
    /// A repeated group repeats or branches inside: a matcher that goes back may need time without bounds.
    bool nestsRepeats = false;
};

/// ErrorKind::Workspace for what cannot be read: an unclosed class, `\p`, an escape without its digits.
/// Other mistakes are left to who compiles the result.
[[nodiscard]] Result<ByteExpression> byteExpression(const QString &expression);

} // namespace watukuy::json
