// SPDX-License-Identifier: GPL-3.0-or-later
// A read-only table over a list of values, described column by column.
#pragma once

#include <functional>
#include <vector>

#include <QAbstractTableModel>
#include <QString>

namespace watukuy::ui {

/// The rows of one answer (timeline, outbox, parked): a new answer replaces them. What is shown of
/// a row is a function per column.
template <typename Row>
class RowModel : public QAbstractTableModel {
public:
    struct Column {
        QString title;
        std::function<QString(const Row &)> text;
        bool isNumber = false;
        std::function<QString(const Row &)> toolTip = {};
    };

    RowModel(std::vector<Column> columns, QObject *parent)
        : QAbstractTableModel(parent)
        , m_columns(std::move(columns))
    {
    }

    void replace(QList<Row> rows)
    {
        if (rows == m_rows)
            return;
        beginResetModel();
        m_rows = std::move(rows);
        endResetModel();
    }
    [[nodiscard]] const QList<Row> &rows() const { return m_rows; }

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override
    {
        return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
    }
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override
    {
        return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
    }
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override
    {
        if (!index.isValid() || index.row() >= rowCount())
            return {};
        const Column &column = m_columns.at(static_cast<size_t>(index.column()));
        const Row &row = m_rows.at(index.row());
        if (role == Qt::DisplayRole)
            return column.text(row);
        if (role == Qt::ToolTipRole)
            return column.toolTip ? column.toolTip(row) : column.text(row);
        if (role == Qt::TextAlignmentRole)
            return alignment(column);
        return {};
    }
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override
    {
        if (orientation != Qt::Horizontal)
            return {};
        const Column &column = m_columns.at(static_cast<size_t>(section));
        if (role == Qt::DisplayRole)
            return column.title;
        return role == Qt::TextAlignmentRole ? alignment(column) : QVariant();
    }

private:
    static QVariant alignment(const Column &column)
    {
        return QVariant(column.isNumber ? Qt::AlignRight | Qt::AlignVCenter
                                        : Qt::AlignLeft | Qt::AlignVCenter);
    }

    std::vector<Column> m_columns;
    QList<Row> m_rows;
};

} // namespace watukuy::ui
