// SPDX-License-Identifier: GPL-3.0-or-later
// Randomness that tests choose.
#pragma once

#include "engine/model/random.h"

namespace watukuy::tests {

/// Draws the same value again and again. 0.5 is the middle: no jitter, half a backoff.
class KnownRandom final : public Random {
public:
    double value = 0.5;
    [[nodiscard]] double uniform() override { return value; }
};

} // namespace watukuy::tests
