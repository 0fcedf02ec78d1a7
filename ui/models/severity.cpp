// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/severity.h"

namespace watukuy::ui {

namespace {

/// A due time that passed this long ago, while nothing runs, is not just the next wake-up.
constexpr Duration overdueAfter = std::chrono::seconds{30};

} // namespace

int severityOf(const KeySnapshot &key)
{
    switch (key.state) {
    case VisibleState::CircuitOpen:
        return 7;
    case VisibleState::HalfOpen:
        return 6;
    case VisibleState::BackingOff:
        return 5;
    case VisibleState::Throttled:
        return 4;
    case VisibleState::Idle:
    case VisibleState::Polling:
        if (key.counts.parked > 0 || key.counts.held > 0)
            return 3;
        return key.state == VisibleState::Polling ? 2 : 1;
    case VisibleState::Paused:
        return 0;
    }
    return 0;
}

namespace {

struct ViewNames {
    Q_DECLARE_TR_FUNCTIONS(watukuy::ui::View)
};

} // namespace

QString viewName(View view)
{
    switch (view) {
    case View::NeedsAttention:
        return ViewNames::tr("Needs attention");
    case View::CircuitOpen:
        return ViewNames::tr("Circuit open");
    case View::Throttled:
        return ViewNames::tr("Throttled");
    case View::Overdue:
        return ViewNames::tr("Overdue");
    case View::Parked:
        return ViewNames::tr("Parked");
    case View::Held:
        return ViewNames::tr("Held changes");
    case View::Paused:
        return ViewNames::tr("Paused");
    case View::All:
        return ViewNames::tr("All");
    }
    return {};
}

bool isInView(const KeySnapshot &key, View view, Instant now)
{
    switch (view) {
    case View::NeedsAttention:
        return severityOf(key) >= 3;
    case View::CircuitOpen:
        return key.state == VisibleState::CircuitOpen || key.state == VisibleState::HalfOpen;
    case View::Throttled:
        return key.state == VisibleState::Throttled;
    case View::Overdue:
        return !key.running && dueOf(key) && now - *dueOf(key) > overdueAfter;
    case View::Parked:
        return key.counts.parked > 0;
    case View::Held:
        return key.counts.held > 0;
    case View::Paused:
        return key.pause != Pause::None;
    case View::All:
        return true;
    }
    return true;
}

} // namespace watukuy::ui
