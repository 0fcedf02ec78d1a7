// SPDX-License-Identifier: GPL-3.0-or-later
// What a text of a workspace may say in ${...} depends on where it stands (spec-workspace, "Placeholders").
#pragma once

#include <vector>

#include <QStringList>

#include "engine/definition/definition.h"

namespace watukuy {

class Problems;

/// Names of the workspace that other parts may point to, and its folder.
struct Surroundings {
    QString folder;
    QStringList variables, budgets, credentials, sinks, pollers;
};

/// A placeholder that exists elsewhere but means nothing here.
struct Misplaced {
    QString prefix;
    QString why;
    QString hint;
};

/// What may stand in ${...} at one kind of place.
struct PlaceholderRules {
    QString place;        ///< for messages: "the query of a request"
    QStringList names;    ///< in full, e.g. `page`
    QStringList prefixes; ///< with a name of choice behind, e.g. `partition.data.`
    bool secrets = false;
    std::vector<Misplaced> misplaced;

    [[nodiscard]] PlaceholderRules at(const QString &otherPlace) const;
    [[nodiscard]] PlaceholderRules withSecrets(const QString &otherPlace) const;
};

/// Reports each placeholder of `text` that the rules do not know.
void checkPlaceholders(const Template &text, const QString &pointer, int line, const PlaceholderRules &rules,
                       Problems &problems);

/// The rules of a request. `cursor` is nothing when its strategy is not known, and `takesNext` tells
/// whether the paging fills `${next}`.
[[nodiscard]] PlaceholderRules requestRules(const Surroundings &around, const CursorDefinition *cursor,
                                            bool takesNext);
/// A reconcile lists everything: no cursor.
[[nodiscard]] PlaceholderRules reconcileRules(const Surroundings &around, bool takesNext);
/// The listing that names the partitions: neither cursor nor partition nor page.
[[nodiscard]] PlaceholderRules partitionListingRules(const Surroundings &around);
[[nodiscard]] PlaceholderRules credentialRules(const Surroundings &around);
/// What surrounds a delivery: poller, partition, lane, variables, secrets.
[[nodiscard]] PlaceholderRules sinkRules(const Surroundings &around, const QString &place);
/// Only variables and secrets: what must be known before any event is.
[[nodiscard]] PlaceholderRules connectionRules(const Surroundings &around, const QString &place);

} // namespace watukuy
