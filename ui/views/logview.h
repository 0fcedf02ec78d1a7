// SPDX-License-Identifier: GPL-3.0-or-later
// The live log: level and text filter; follows the newest line until the operator scrolls up.
#pragma once

#include <QWidget>

#include "ui/models/logmodel.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTableView;

namespace watukuy::ui {

class LogFilter;

/// Shows the log of the selected keys, or everything. Scrolled up it stays where it is and counts
/// what is new; End follows again.
class LogView : public QWidget {
    Q_OBJECT

public:
    explicit LogView(LogModel *log, QWidget *parent = nullptr);

    [[nodiscard]] bool isFollowing() const { return m_following; }
    [[nodiscard]] QString followText() const;
    [[nodiscard]] QTableView *table() const { return m_table; }
    void follow();

private:
    void linesAdded(int first, int last);
    void scrolled(int value);
    void showState();

    LogModel *m_log;
    LogFilter *m_filter;
    QTableView *m_table;
    QComboBox *m_level;
    QLineEdit *m_text;
    QPushButton *m_follow;
    QLabel *m_dropped;
    bool m_following = true;
    qint64 m_new = 0;
};

} // namespace watukuy::ui
