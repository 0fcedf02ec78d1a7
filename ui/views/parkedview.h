// SPDX-License-Identifier: GPL-3.0-or-later
// What was set aside for a person: poison events and invalid items, with their reasons.
#pragma once

#include <QWidget>

#include "engine/model/event.h"
#include "ui/models/rowmodel.h"
#include "ui/models/wording.h"

class QLabel;
class QPushButton;
class QTableView;

namespace watukuy::ui {

class ParkedView : public QWidget {
    Q_OBJECT

public:
    explicit ParkedView(QWidget *parent = nullptr);

    void show(const QList<ParkedRow> &rows);
    void setWording(Wording wording);
    [[nodiscard]] QTableView *table() const { return m_table; }
    /// Ids of the selected rows, of all of them when none is selected.
    [[nodiscard]] QList<qint64> chosen() const;

Q_SIGNALS:
    void retryWanted(const QList<qint64> &ids);
    void discardWanted(const QList<qint64> &ids);

private:
    void showChoice();

    Wording m_wording;
    RowModel<ParkedRow> *m_rows;
    QTableView *m_table;
    QLabel *m_reason;
    QPushButton *m_retry;
    QPushButton *m_discard;
};

} // namespace watukuy::ui
