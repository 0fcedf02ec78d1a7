// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/keyorder.h"

namespace watukuy::ui {

KeyOrder::KeyOrder(KeyModel *keys, QObject *parent)
    : QSortFilterProxyModel(parent)
    , m_keys(keys)
{
    setSourceModel(keys);
    setDynamicSortFilter(false);
    setSortRole(KeyModel::SortRole);
    sort(KeyModel::State, Qt::DescendingOrder);
}

void KeyOrder::setView(View view)
{
    m_view = view;
    settle();
}

void KeyOrder::setFilterLine(const QString &line)
{
    m_filter = KeyFilter(line);
    settle();
}

void KeyOrder::settle()
{
    invalidate();
}

const KeySnapshot &KeyOrder::keyAt(const QModelIndex &proxyIndex) const
{
    return m_keys->at(mapToSource(proxyIndex).row());
}

bool KeyOrder::filterAcceptsRow(int row, const QModelIndex &) const
{
    const KeySnapshot &key = m_keys->at(row);
    return isInView(key, m_view, m_keys->now()) && m_filter.accepts(key);
}

bool KeyOrder::lessThan(const QModelIndex &left, const QModelIndex &right) const
{
    const QVariant leftValue = left.data(KeyModel::SortRole);
    const QVariant rightValue = right.data(KeyModel::SortRole);
    const QPartialOrdering order = QVariant::compare(leftValue, rightValue);
    if (order != QPartialOrdering::Equivalent)
        return order == QPartialOrdering::Less;
    const KeySnapshot &leftKey = m_keys->at(left.row());
    const KeySnapshot &rightKey = m_keys->at(right.row());
    const Duration leftLag = leftKey.lag.value_or(Duration{-1});
    const Duration rightLag = rightKey.lag.value_or(Duration{-1});
    if (left.column() == KeyModel::State && leftLag != rightLag)
        return leftLag < rightLag;
    return (leftKey.key < rightKey.key) == (sortOrder() == Qt::AscendingOrder);
}

} // namespace watukuy::ui
