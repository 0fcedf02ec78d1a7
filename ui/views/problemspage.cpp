// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/problemspage.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/views/table.h"

namespace watukuy::ui {

using namespace Qt::StringLiterals;

ProblemsPage::ProblemsPage(QWidget *parent)
    : QWidget(parent)
    , m_title(new QLabel(this))
    , m_detail(new QLabel(this))
{
    using Column = RowModel<WorkspaceProblem>::Column;
    m_problems = new RowModel<WorkspaceProblem>(
        {Column{tr("Line"), [](const auto &row) { return row.line > 0 ? QString::number(row.line) : u"–"_s; },
                true},
         Column{tr("Where"), [](const auto &row) { return row.pointer; }},
         Column{tr("What is wrong"), [](const auto &row) { return row.message; }},
         Column{tr("What to do"), [](const auto &row) { return row.hint; }}},
        this);
    m_table = makeTable(m_problems, {5, 34, 48}, tr("Mistakes in the workspace"), this);
    QFont large = m_title->font();
    large.setPointSizeF(large.pointSizeF() * 1.4);
    m_title->setFont(large);
    m_title->setWordWrap(true);
    m_detail->setWordWrap(true);
    m_detail->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto *retry = new QPushButton(tr("Try again"), this);
    retry->setDefault(true);
    auto *open = new QPushButton(tr("Open another workspace…"), this);
    auto *buttons = new QHBoxLayout;
    buttons->addWidget(retry);
    buttons->addWidget(open);
    buttons->addStretch(1);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(24, 24, 24, 24);
    layout->setSpacing(12);
    layout->addWidget(m_title);
    layout->addWidget(m_detail);
    layout->addWidget(m_table, 1);
    layout->addLayout(buttons);
    layout->addStretch(0);
    connect(retry, &QPushButton::clicked, this, &ProblemsPage::retryWanted);
    connect(open, &QPushButton::clicked, this, &ProblemsPage::openWanted);
}

void ProblemsPage::show(const Error &error, const QList<WorkspaceProblem> &problems)
{
    m_title->setText(error.title);
    QString detail = error.detail;
    if (!error.nextStep.isEmpty())
        detail += (detail.isEmpty() ? QString() : u"\n"_s) + error.nextStep;
    m_detail->setText(detail);
    m_problems->replace(problems);
    m_table->setVisible(!problems.isEmpty());
}

} // namespace watukuy::ui
