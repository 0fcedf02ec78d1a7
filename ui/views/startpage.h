// SPDX-License-Identifier: GPL-3.0-or-later
// What is shown while no workspace is open: one next action.
#pragma once

#include <QWidget>

class QLabel;

namespace watukuy::ui {

class StartPage : public QWidget {
    Q_OBJECT

public:
    explicit StartPage(QWidget *parent = nullptr);

    /// Something is on its way: says so instead of offering to begin.
    void setBusy(const QString &what);

Q_SIGNALS:
    void demoWanted();
    void openWanted();

private:
    QWidget *m_choices;
    QLabel *m_busy;
};

} // namespace watukuy::ui
