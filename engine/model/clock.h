// SPDX-License-Identifier: GPL-3.0-or-later
// The time port: what the engine asks for the time and for wake-ups (promise G8).
#pragma once

#include <functional>
#include <memory>

#include "engine/model/instant.h"

class QObject;

namespace watukuy {

/// A wake-up that has not fired yet. Destroying it cancels it.
class PendingWake {
public:
    PendingWake() = default;
    virtual ~PendingWake() = default;
    Q_DISABLE_COPY_MOVE(PendingWake)
};

/// Where the engine gets time from. `SystemClock` is the real one; tests hand in a virtual one and
/// advance it by hand. Used on the engine thread only, except now() and steady(), which are
/// thread-safe.
class Clock {
public:
    Clock() = default;
    virtual ~Clock() = default;
    Q_DISABLE_COPY_MOVE(Clock)

    /// Wall-clock time. May jump in either direction; never use it to measure a wait.
    [[nodiscard]] virtual Instant now() const = 0;

    /// Monotonic time since an arbitrary start. Never jumps; may stand still while the machine sleeps.
    [[nodiscard]] virtual Duration steady() const = 0;

    /// Calls `wake` once in the calling thread's event loop when `wait` (clamped to >= 0) has passed
    /// on the monotonic clock. Never earlier. Any length is allowed, months included.
    [[nodiscard]] virtual std::unique_ptr<PendingWake> wakeAfter(Duration wait,
                                                                 std::function<void()> wake) = 0;
};

/// The machine's clock. Wake-ups are QTimers of the calling thread, re-armed from a monotonic
/// deadline so that neither 32-bit intervals nor coarse timers can fire them early.
class SystemClock final : public Clock {
public:
    [[nodiscard]] Instant now() const override;
    [[nodiscard]] Duration steady() const override;
    [[nodiscard]] std::unique_ptr<PendingWake> wakeAfter(Duration wait, std::function<void()> wake) override;
};

} // namespace watukuy
