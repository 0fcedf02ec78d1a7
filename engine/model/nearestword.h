// SPDX-License-Identifier: GPL-3.0-or-later
// "Did you mean ...": the known word that somebody may have meant.
#pragma once

#include <QString>
#include <QStringList>

namespace watukuy {

/// The known word with the fewest letters to change; empty when none is near. Any thread.
[[nodiscard]] QString nearestWord(const QString &word, const QStringList &known);

} // namespace watukuy
