// SPDX-License-Identifier: GPL-3.0-or-later
// A morning at a shop's integration desk: keys in all seven states, with histories.
#pragma once

#include "tests/gui/support/fakeclient.h"

namespace watukuy::test {

/// The moment the scene shows.
[[nodiscard]] Instant sceneNow();

/// One key in a given state, plausible in every column.
[[nodiscard]] KeySnapshot keyIn(VisibleState state, const QString &poller, const QString &partition = {});

/// Fourteen keys; all seven states.
[[nodiscard]] QList<KeySnapshot> sceneKeys();

/// Gives `client` timelines, parked rows and outboxes for the scene's keys.
void furnish(FakeClient &client);

[[nodiscard]] QList<LogLine> sceneLog();

[[nodiscard]] WorkspaceInfo sceneWorkspace();

} // namespace watukuy::test
