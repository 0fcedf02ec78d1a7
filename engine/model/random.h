// SPDX-License-Identifier: GPL-3.0-or-later
// The randomness port: jitter, backoff and instance names draw from it (promise G8).
#pragma once

#include <QRandomGenerator>

namespace watukuy {

/// Where the engine gets randomness from. Used on the engine thread only.
class Random {
public:
    Random() = default;
    virtual ~Random() = default;
    Q_DISABLE_COPY_MOVE(Random)

    /// The next uniform value in [0, 1).
    [[nodiscard]] virtual double uniform() = 0;
};

/// Randomness of the operating system.
class SystemRandom final : public Random {
public:
    [[nodiscard]] double uniform() override { return QRandomGenerator::system()->generateDouble(); }
};

} // namespace watukuy
