// SPDX-License-Identifier: GPL-3.0-or-later
// Tries a poller against its real API without writing anything (`watukuy test`).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QCoroTask>

#include "engine/model/event.h"
#include "engine/model/logline.h"
#include "engine/run/cycle.h"
#include "engine/run/pagefetch.h"

namespace watukuy {

/// One request of a trial with what came back.
struct TrialExchange {
    http::Request request;
    int status = 0;
    Duration took{0};
    qint64 bytes = 0;
    QByteArray answer; ///< the beginning of its body
};

/// What a trial found. On an error the rest says how far it came.
struct TrialResult {
    std::vector<std::shared_ptr<const TrialExchange>> exchanges;
    std::vector<QByteArray> items;
    QStringList identities;
    std::vector<Event> events; ///< that a cycle would emit now
    LaneCursor nextCursor;
    bool finished = false; ///< the listing ended within the pages asked for
    QList<Warning> warnings;
    std::optional<Error> error;
};

/// Fetches up to `pages` pages of the live lane from `cursor` (nothing = where the key stands) and
/// compares them with the snapshot. Reads the store, writes nothing.
QCoro::Task<TrialResult> tryPoller(Ports *ports, Key key, PartitionDefinition partition,
                                   std::shared_ptr<const PollerDefinition> poller, int pages,
                                   std::optional<QString> cursor);

} // namespace watukuy
