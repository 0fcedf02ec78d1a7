// SPDX-License-Identifier: GPL-3.0-or-later
// How a full scan ended, and whether its deletes may be emitted (spec-engine 2). Pure.
#pragma once

#include "engine/definition/definition.h"
#include "engine/model/state.h"

namespace watukuy::change {

/// What is known when the last page of a full scan has been committed.
struct ScanFacts {
    bool finished = false;      ///< the listing said it ended
    bool sawUnmodified = false; ///< some page was 304
    bool sawUnstable = false;   ///< an identity twice with different content, or the total moved
    qint64 listed = 0;          ///< items listed in this scan
    qint64 stored = 0;          ///< live rows of the snapshot
    qint64 missing = 0;         ///< live rows that were not listed
};

/// Truncated, Unmodified, Unstable, Suspect (the guard tripped) or Complete, in that order.
[[nodiscard]] Verdict verdictOf(const ScanFacts &facts, const DeleteGuardDefinition &guard);

/// Why the guard tripped, in one sentence for the operator.
[[nodiscard]] QString guardReason(const ScanFacts &facts, const DeleteGuardDefinition &guard);

} // namespace watukuy::change
