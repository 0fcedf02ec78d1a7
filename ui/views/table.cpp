// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/table.h"

#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTableView>

namespace watukuy::ui {

namespace {

/// Leaves air at both sides of a cell, so that a number never touches the text of the next column.
class AiryDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        constexpr int air = 5;
        QStyleOptionViewItem cell = option;
        initStyleOption(&cell, index);
        cell.widget->style()->drawPrimitive(QStyle::PE_PanelItemViewItem, &cell, painter, cell.widget);
        cell.rect.adjust(air, 0, -air, 0);
        QStyledItemDelegate::paint(painter, cell, index);
    }
};

} // namespace

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
    table->setItemDelegate(new AiryDelegate(table));
    table->verticalHeader()->hide();
    constexpr int air = 10;
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
