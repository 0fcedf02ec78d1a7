// SPDX-License-Identifier: GPL-3.0-or-later
// A clock that stands still until a test moves it.
#pragma once

#include <map>
#include <memory>

#include "engine/model/clock.h"

namespace watukuy::tests {

/// Time as a test makes it. Starts at 2026-01-01T00:00:00Z. Moving it fires the wake-ups that fall due,
/// in order, each at its own instant.
class VirtualClock final : public Clock {
public:
    VirtualClock();
    ~VirtualClock() override;

    [[nodiscard]] Instant now() const override { return m_now; }
    [[nodiscard]] Duration steady() const override { return m_steady; }
    [[nodiscard]] std::unique_ptr<PendingWake> wakeAfter(Duration wait, std::function<void()> wake) override;

    /// Wall clock and monotonic clock move on together.
    void advance(Duration by);
    /// Somebody sets the wall clock: no wake-up fires, monotonic time does not move.
    void setWallClock(Instant now) { m_now = now; }
    /// The machine sleeps: the wall clock moves on, monotonic time stands still.
    void sleep(Duration by) { m_now += by; }

    [[nodiscard]] qsizetype pendingWakes() const;

private:
    class Wake;
    struct Pending;

    Instant m_now;
    Duration m_steady{0};
    std::shared_ptr<Pending> m_pending;
};

} // namespace watukuy::tests
