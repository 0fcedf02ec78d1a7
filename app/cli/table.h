// SPDX-License-Identifier: GPL-3.0-or-later
// Aligned columns for people, and how times and sizes are written for them.
#pragma once

#include <optional>

#include <QList>
#include <QString>
#include <QStringList>

#include "app/cli/output.h"
#include "engine/model/instant.h"
#include "engine/model/state.h"

namespace watukuy::cli {

/// Rows of text under a heading. Columns are as wide as their widest cell.
class Table {
public:
    explicit Table(QStringList heading);

    /// The named columns hold numbers and are aligned to the right.
    void alignRight(QList<int> columns) { m_right = std::move(columns); }
    /// `colour` is that of the second cell, where tables here put the state.
    void add(QStringList row, Colour colour = Colour::Plain);
    void print(Output &output) const;

private:
    struct Row {
        QStringList cells;
        Colour colour;
    };
    QStringList m_heading;
    QList<Row> m_rows;
    QList<int> m_right;
};

/// `Backing off`.
[[nodiscard]] QString spelledState(VisibleState state);
/// `in 42 s`, `3 min ago`, `now`, `-` for nothing.
[[nodiscard]] QString relative(std::optional<Instant> instant, Instant now);
/// `350 ms`, `12 s`, `3 min`, `5 h`, `4 d`.
[[nodiscard]] QString spelled(Duration span);
/// `17 bytes`, `1.2 KB`.
[[nodiscard]] QString spelledSize(qint64 bytes);

} // namespace watukuy::cli
