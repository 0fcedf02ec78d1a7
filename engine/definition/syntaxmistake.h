// SPDX-License-Identifier: GPL-3.0-or-later
// Says in people's words why a text is not JSON: a comment, a trailing comma, a quote that is missing.
#pragma once

#include <optional>

#include <QByteArrayView>
#include <QString>

namespace watukuy {

struct SyntaxMistake {
    qsizetype offset = 0; ///< byte where it stands
    QString message;
    QString hint;
};

/// The first mistake of `text` by the grammar of RFC 8259; nothing when it is well-formed.
[[nodiscard]] std::optional<SyntaxMistake> findSyntaxMistake(QByteArrayView text);

} // namespace watukuy
