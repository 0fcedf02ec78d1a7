// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/change/scanverdict.h"

namespace watukuy::change {

using namespace Qt::StringLiterals;

namespace {

bool guardTrips(const ScanFacts &facts, const DeleteGuardDefinition &guard)
{
    if (!guard.enabled || facts.missing == 0)
        return false;
    if (facts.listed == 0)
        return true;
    return facts.stored >= guard.minItems &&
           static_cast<double>(facts.missing) * 100.0 > static_cast<double>(facts.stored) * guard.maxPercent;
}

} // namespace

Verdict verdictOf(const ScanFacts &facts, const DeleteGuardDefinition &guard)
{
    if (!facts.finished)
        return Verdict::Truncated;
    if (facts.sawUnmodified)
        return Verdict::Unmodified;
    if (facts.sawUnstable)
        return Verdict::Unstable;
    return guardTrips(facts, guard) ? Verdict::Suspect : Verdict::Complete;
}

QString guardReason(const ScanFacts &facts, const DeleteGuardDefinition &guard)
{
    if (!guardTrips(facts, guard))
        return {};
    if (facts.listed == 0)
        return u"The listing was empty while %1 items are known"_s.arg(facts.stored);
    return u"%1 of %2 items are missing from the listing, more than the %3 % that deleteGuard allows"_s
        .arg(facts.missing)
        .arg(facts.stored)
        .arg(guard.maxPercent);
}

} // namespace watukuy::change
