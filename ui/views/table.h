// SPDX-License-Identifier: GPL-3.0-or-later
// How every table of the program looks and behaves.
#pragma once

#include <initializer_list>

class QAbstractItemModel;
class QTableView;
class QWidget;
class QString;

namespace watukuy::ui {

/// A table of whole rows: no grid, alternating rows, elided texts, columns of fixed start widths (in
/// characters) of which the last one fills what is left. `name` is its accessible name.
[[nodiscard]] QTableView *makeTable(QAbstractItemModel *model, std::initializer_list<int> widths,
                                    const QString &name, QWidget *parent);

} // namespace watukuy::ui
