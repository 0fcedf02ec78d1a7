// SPDX-License-Identifier: GPL-3.0-or-later
// Values that leave the engine thread: what a user interface and `inspect` show of a key.
#pragma once

#include <optional>

#include <QByteArray>
#include <QList>
#include <QMetaType>
#include <QString>

#include "engine/model/error.h"
#include "engine/model/event.h"
#include "engine/model/logline.h"
#include "engine/model/state.h"

namespace watukuy {

/// One key as it is at `takenAt`. State and circuit come from one reading: they cannot contradict
/// each other.
struct KeySnapshot {
    Key key;
    Instant takenAt;
    VisibleState state = VisibleState::Idle;
    bool running = false; ///< a cycle of this process is at work
    bool enabled = true;
    Pause pause = Pause::None;
    ScheduleState schedule;
    LaneSchedule reconcileSchedule;
    bool backfillActive = false;
    QByteArray liveCursor; ///< JSON text; empty = at `initial`
    QByteArray backfillCursor;
    std::optional<QByteArray> reconcilePosition; ///< where a running full scan stands
    std::optional<Lease> lease;
    bool leasedElsewhere = false;
    KeyCounts counts;
    std::optional<Duration> lag; ///< how far the data is behind; nothing when it cannot be told
    std::optional<Instant> oldestPendingAt;
    int recentErrors = 0; ///< failed cycles in the last five minutes, seen by this process
    QString waitingForCode;
    std::optional<Instant> waitingUntil;
    QString waitingBecause;
    QList<Warning> warnings;

    bool operator==(const KeySnapshot &) const = default;
};

/// When the key is next asked for: never inside a wait of the API, nor while its active windows are closed.
/// Nothing while it is paused or its poller is switched off.
[[nodiscard]] std::optional<Instant> dueOf(const KeySnapshot &key);

/// What is known of an open workspace.
struct WorkspaceInfo {
    QString file;
    QString environment; ///< badge, e.g. `production`
    bool readOnly = false;
    QString store; ///< kind and place, for people
    QString instance;
    QStringList pollers;

    bool operator==(const WorkspaceInfo &) const = default;
};

/// One thing that is wrong in a workspace.
struct WorkspaceProblem {
    QString pointer;
    int line = 0;
    QString message;
    QString hint;

    bool operator==(const WorkspaceProblem &) const = default;
};

/// The result of a mutating operation on several keys.
struct ActionResult {
    struct Failed {
        Key key;
        Error error;
        bool operator==(const Failed &) const = default;
    };
    qint64 done = 0;
    qint64 skipped = 0;
    QList<Failed> failed;
    QStringList details; ///< one line each, English

    bool operator==(const ActionResult &) const = default;
};

} // namespace watukuy

Q_DECLARE_METATYPE(watukuy::KeySnapshot)
Q_DECLARE_METATYPE(watukuy::WorkspaceInfo)
Q_DECLARE_METATYPE(watukuy::WorkspaceProblem)
Q_DECLARE_METATYPE(watukuy::ActionResult)
