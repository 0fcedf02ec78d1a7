// SPDX-License-Identifier: GPL-3.0-or-later
// The order of tie-breaks at one instant (spec-engine 3).
#pragma once

#include <compare>

#include <QStringView>

namespace watukuy::cursor {

/// By value when both are integers, of any length; else by UTF-16 code units.
[[nodiscard]] std::strong_ordering compareTieBreaks(QStringView left, QStringView right);

} // namespace watukuy::cursor
