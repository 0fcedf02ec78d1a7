// SPDX-License-Identifier: GPL-3.0-or-later
// The arithmetic of a sliding-window budget (spec-engine 7, promise G6). Pure.
#pragma once

#include <span>
#include <vector>

#include "engine/definition/definition.h"
#include "engine/model/instant.h"

namespace watukuy::budget {

/// At most `requests` in any window of length `per`. A use leaves the window exactly `per` after it
/// was made.
struct Window {
    qint64 requests = 0;
    Duration per{0};

    bool operator==(const Window &) const = default;
};

/// What a definition promises: `requests` in any `per`, and, when `burst` is less, `burst` in any share
/// of it that is as much shorter.
[[nodiscard]] std::vector<Window> windowsOf(const BudgetDefinition &definition);

/// A request that was let go, `at` on any one clock.
struct Use {
    Duration at{0};
    qint64 cost = 1;

    bool operator==(const Use &) const = default;
};

/// The earliest time, not before `now`, at which `cost` fits into every window beside `uses`, which are
/// in order of time and not later than `now`. A cost beyond a window counts as the whole window.
[[nodiscard]] Duration earliest(std::span<const Use> uses, std::span<const Window> windows, qint64 cost,
                                Duration now);

/// How much may go at `now`, all at once: the least that any window has left.
[[nodiscard]] qint64 available(std::span<const Use> uses, std::span<const Window> windows, Duration now);

[[nodiscard]] Duration shortest(std::span<const Window> windows);

/// The longest of `windows`: older uses count no more.
[[nodiscard]] Duration longest(std::span<const Window> windows);

} // namespace watukuy::budget
