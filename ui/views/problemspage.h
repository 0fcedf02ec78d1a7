// SPDX-License-Identifier: GPL-3.0-or-later
// Why a workspace could not be opened: every mistake with its place and the next step.
#pragma once

#include <QWidget>

#include "engine/api/snapshot.h"
#include "ui/models/rowmodel.h"

class QLabel;

namespace watukuy::ui {

class ProblemsPage : public QWidget {
    Q_OBJECT

public:
    explicit ProblemsPage(QWidget *parent = nullptr);

    void show(const Error &error, const QList<WorkspaceProblem> &problems);

Q_SIGNALS:
    void retryWanted();
    void openWanted();

private:
    QLabel *m_title;
    QLabel *m_detail;
    QWidget *m_table;
    RowModel<WorkspaceProblem> *m_problems;
};

} // namespace watukuy::ui
