// SPDX-License-Identifier: GPL-3.0-or-later
// The program's own icons, sharp at every scale; action icons take the palette's text colour.
#pragma once

#include <QIcon>
#include <QString>

#include "engine/model/state.h"

class QPalette;

namespace watukuy::ui {

/// A state's icon: a shape of its own, so that the seven can be told apart without colour.
[[nodiscard]] QIcon stateIcon(VisibleState state);

/// An action's icon (`trigger`, `pause`, ...) in the colours of `palette`. Ask again when it changes.
[[nodiscard]] QIcon actionIcon(const QString &name, const QPalette &palette);

[[nodiscard]] QIcon programIcon();

/// The colour that belongs to a state, for diagrams and charts.
[[nodiscard]] QColor stateColor(VisibleState state);

} // namespace watukuy::ui
