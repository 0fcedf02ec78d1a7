// SPDX-License-Identifier: GPL-3.0-or-later
// The filter line: `state:open parked>0 poller:orders text`.
#pragma once

#include <functional>
#include <vector>

#include <QString>
#include <QStringList>

#include "engine/api/snapshot.h"

namespace watukuy::ui {

/// A parsed filter line; all of its parts must hold. Words that are no condition are searched in
/// poller, partition, cursor and last error.
class KeyFilter {
public:
    KeyFilter() = default;
    explicit KeyFilter(const QString &line);

    [[nodiscard]] bool accepts(const KeySnapshot &key) const;
    [[nodiscard]] bool isEmpty() const { return m_conditions.empty(); }

    /// What can begin a condition, for completion.
    [[nodiscard]] static QStringList beginnings();

private:
    std::vector<std::function<bool(const KeySnapshot &)>> m_conditions;
};

} // namespace watukuy::ui
