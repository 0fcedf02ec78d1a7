// SPDX-License-Identifier: GPL-3.0-or-later
// What needs a person first, and the views that gather it.
#pragma once

#include <array>

#include <QCoreApplication>
#include <QString>

#include "engine/api/snapshot.h"

namespace watukuy::ui {

/// 0 = needs nobody; the higher, the sooner a person should look.
[[nodiscard]] int severityOf(const KeySnapshot &key);

/// The built-in views of the left panel.
enum class View { NeedsAttention, CircuitOpen, Throttled, Overdue, Parked, Held, Paused, All };
inline constexpr std::array allViews{View::NeedsAttention, View::CircuitOpen, View::Throttled, View::Overdue,
                                     View::Parked,         View::Held,        View::Paused,    View::All};

[[nodiscard]] QString viewName(View view);
[[nodiscard]] bool isInView(const KeySnapshot &key, View view, Instant now);

} // namespace watukuy::ui
