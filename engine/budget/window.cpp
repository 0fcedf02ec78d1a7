// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/budget/window.h"

#include <algorithm>
#include <optional>

namespace watukuy::budget {

namespace {

Duration earliestIn(const Window &window, std::span<const Use> uses, qint64 cost, Duration now)
{
    const qint64 room = window.requests - std::clamp<qint64>(cost, 1, window.requests);
    qint64 used = 0;
    // From the youngest back: the first use that takes too much has to leave.
    for (auto use = uses.rbegin(); use != uses.rend() && use->at > now - window.per; ++use) {
        used += use->cost;
        if (used > room)
            return use->at + window.per;
    }
    return now;
}

} // namespace

std::vector<Window> windowsOf(const BudgetDefinition &definition)
{
    std::vector<Window> windows{{definition.requests, definition.per}};
    if (definition.burst < definition.requests) {
        // Rounded up: a shorter window would promise less.
        const qint64 share =
            (definition.per.count() * definition.burst + definition.requests - 1) / definition.requests;
        windows.push_back({definition.burst, Duration{share}});
    }
    return windows;
}

Duration earliest(std::span<const Use> uses, std::span<const Window> windows, qint64 cost, Duration now)
{
    Duration at = now;
    for (const Window &window : windows)
        at = std::max(at, earliestIn(window, uses, cost, now));
    return at;
}

qint64 available(std::span<const Use> uses, std::span<const Window> windows, Duration now)
{
    std::optional<qint64> least;
    for (const Window &window : windows) {
        qint64 left = window.requests;
        for (const Use &use : uses)
            left -= use.at > now - window.per ? use.cost : 0;
        least = std::min(least.value_or(left), std::max<qint64>(0, left));
    }
    return least.value_or(0);
}

Duration shortest(std::span<const Window> windows)
{
    const auto least = std::ranges::min_element(windows, {}, &Window::per);
    return least == windows.end() ? Duration{0} : least->per;
}

Duration longest(std::span<const Window> windows)
{
    Duration length{0};
    for (const Window &window : windows)
        length = std::max(length, window.per);
    return length;
}

} // namespace watukuy::budget
