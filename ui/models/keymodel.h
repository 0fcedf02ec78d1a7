// SPDX-License-Identifier: GPL-3.0-or-later
// The list of keys: snapshots in rows, changed in place by the smallest ranges.
#pragma once

#include <vector>

#include <QAbstractTableModel>
#include <QHash>

#include "engine/api/snapshot.h"
#include "ui/models/wording.h"

namespace watukuy::ui {

/// One row per key. Owns its snapshots; data() computes words only. GUI thread.
class KeyModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        State,
        Poller,
        Partition,
        CircuitColumn,
        NextDue,
        LastSuccess,
        Lag,
        Errors,
        Outbox,
        ParkedColumn,
        HeldColumn,
        LeaseColumn,
        CursorColumn,
        ColumnCount
    };
    enum Role { SortRole = Qt::UserRole + 1 };

    explicit KeyModel(QObject *parent = nullptr);

    /// Replaces, adds and removes; rows keep their places.
    void apply(const QList<KeySnapshot> &changed, const QList<Key> &removed);
    void clear();
    /// What is pending for these keys, e.g. `Pausing…`; empty = nothing any more.
    void setPending(const QList<Key> &keys, const QString &what);
    /// Relative times are told from `now`; repaints the columns that show them.
    void setNow(Instant now);
    void setWording(Wording wording);

    [[nodiscard]] const KeySnapshot &at(int row) const { return m_rows.at(static_cast<size_t>(row)); }
    [[nodiscard]] const KeySnapshot *find(const Key &key) const;
    [[nodiscard]] const std::vector<KeySnapshot> &rows() const { return m_rows; }
    [[nodiscard]] Instant now() const { return m_now; }

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QString text(const KeySnapshot &key, int column) const;
    [[nodiscard]] QString toolTip(const KeySnapshot &key, int column) const;
    [[nodiscard]] static QVariant sortValue(const KeySnapshot &key, int column);
    void replaceKnown(const QList<KeySnapshot> &changed);
    void removeRowsOf(const QList<Key> &removed);

    std::vector<KeySnapshot> m_rows;
    QHash<Key, int> m_rowOf;
    QHash<Key, QString> m_pending;
    Instant m_now;
    Wording m_wording;
};

} // namespace watukuy::ui
