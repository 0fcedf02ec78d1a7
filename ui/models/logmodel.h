// SPDX-License-Identifier: GPL-3.0-or-later
// The live log: a ring of the newest lines that says what it dropped.
#pragma once

#include <deque>

#include <QAbstractTableModel>

#include "engine/model/logline.h"
#include "ui/models/wording.h"

namespace watukuy::ui {

/// Newest lines last. Holds at most `capacity`; dropped() counts the ones that went.
class LogModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Time, Level, KeyColumn, Text, ColumnCount };
    enum Role { LevelRole = Qt::UserRole + 1, KeyRole };

    explicit LogModel(int capacity, QObject *parent = nullptr);

    void append(const QList<LogLine> &lines);
    void setWording(Wording wording);
    [[nodiscard]] qint64 dropped() const { return m_dropped; }

    [[nodiscard]] static QString levelName(LogLevel level);

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void dropOldest(qsizetype count);

    std::deque<LogLine> m_lines;
    int m_capacity;
    qint64 m_dropped = 0;
    Wording m_wording;
};

} // namespace watukuy::ui
