// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/table.h"

#include <QHeaderView>
#include <QTableView>

namespace watukuy::ui {

QTableView *makeTable(QAbstractItemModel *model, std::initializer_list<int> widths, const QString &name,
                      QWidget *parent)
{
    auto *table = new QTableView(parent);
    table->setModel(model);
    table->setAccessibleName(name);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setAlternatingRowColors(true);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setTextElideMode(Qt::ElideRight);
    table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table->setTabKeyNavigation(false);
    table->verticalHeader()->hide();
    constexpr int air = 8;
    table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + air);
    QHeaderView *header = table->horizontalHeader();
    header->setHighlightSections(false);
    header->setStretchLastSection(true);
    header->setSectionsMovable(true);
    const int character = table->fontMetrics().averageCharWidth();
    int column = 0;
    for (const int width : widths)
        table->setColumnWidth(column++, width * character + 2 * air);
    return table;
}

} // namespace watukuy::ui
