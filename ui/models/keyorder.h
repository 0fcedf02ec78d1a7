// SPDX-License-Identifier: GPL-3.0-or-later
// Which keys are shown and in which order; places change only when settle() says so.
#pragma once

#include <QSortFilterProxyModel>

#include "ui/models/keyfilter.h"
#include "ui/models/keymodel.h"
#include "ui/models/severity.h"

namespace watukuy::ui {

/// Filters by view and filter line, sorts by severity and lag or by a column. Values change at once,
/// places only in settle(), in a changed view or filter, or when the operator sorts.
class KeyOrder : public QSortFilterProxyModel {
    Q_OBJECT

public:
    explicit KeyOrder(KeyModel *keys, QObject *parent = nullptr);

    void setView(View view);
    void setFilterLine(const QString &line);
    /// Brings rows to where their values now belong.
    void settle();

    [[nodiscard]] View view() const { return m_view; }
    [[nodiscard]] const KeySnapshot &keyAt(const QModelIndex &proxyIndex) const;

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex &parent) const override;
    [[nodiscard]] bool lessThan(const QModelIndex &left, const QModelIndex &right) const override;

private:
    KeyModel *m_keys;
    View m_view = View::All;
    KeyFilter m_filter;
};

} // namespace watukuy::ui
