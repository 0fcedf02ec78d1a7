// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/state.h"

namespace watukuy {

QLatin1StringView toString(Circuit circuit)
{
    switch (circuit) {
    case Circuit::Closed:
        return QLatin1StringView("closed");
    case Circuit::Open:
        return QLatin1StringView("open");
    case Circuit::HalfOpen:
        return QLatin1StringView("half-open");
    }
    return {};
}

QLatin1StringView toString(Verdict verdict)
{
    switch (verdict) {
    case Verdict::None:
        return {};
    case Verdict::Complete:
        return QLatin1StringView("complete");
    case Verdict::Truncated:
        return QLatin1StringView("truncated");
    case Verdict::Unmodified:
        return QLatin1StringView("unmodified");
    case Verdict::Unstable:
        return QLatin1StringView("unstable");
    case Verdict::Suspect:
        return QLatin1StringView("suspect");
    }
    return {};
}

QLatin1StringView toString(ScheduleReason reason)
{
    static constexpr std::array<QLatin1StringView, 14> names{QLatin1StringView(""),
                                                             QLatin1StringView("speed-up"),
                                                             QLatin1StringView("back-off"),
                                                             QLatin1StringView("not-modified"),
                                                             QLatin1StringView("fixed"),
                                                             QLatin1StringView("catch-up"),
                                                             QLatin1StringView("paced"),
                                                             QLatin1StringView("throttled"),
                                                             QLatin1StringView("backoff"),
                                                             QLatin1StringView("circuit-open"),
                                                             QLatin1StringView("probe-failed"),
                                                             QLatin1StringView("probe-succeeded"),
                                                             QLatin1StringView("manual"),
                                                             QLatin1StringView("resumed")};
    return names.at(static_cast<size_t>(reason));
}

QLatin1StringView toString(VisibleState state)
{
    static constexpr std::array<QLatin1StringView, 7> names{
        QLatin1StringView("Idle"),       QLatin1StringView("Polling"),     QLatin1StringView("Throttled"),
        QLatin1StringView("BackingOff"), QLatin1StringView("CircuitOpen"), QLatin1StringView("HalfOpen"),
        QLatin1StringView("Paused")};
    return names.at(static_cast<size_t>(state));
}

} // namespace watukuy
