// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/reasondialog.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

namespace watukuy::ui {

ReasonDialog::ReasonDialog(const Text &text, const QStringList &affected, QWidget *parent)
    : QDialog(parent)
    , m_reason(new QLineEdit(this))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(text.title);
    auto *scope = new QLabel(text.scope, this);
    QFont bold = scope->font();
    bold.setBold(true);
    scope->setFont(bold);
    auto *consequence = new QLabel(text.consequence, this);
    consequence->setWordWrap(true);
    auto *list = new QListWidget(this);
    list->addItems(affected);
    list->setAccessibleName(tr("What is affected"));
    list->setSelectionMode(QAbstractItemView::NoSelection);
    m_reason->setAccessibleName(tr("Reason"));
    m_reason->setPlaceholderText(tr("For the audit log, e.g. maintenance until 18:00"));
    auto *buttons = new QDialogButtonBox(this);
    QPushButton *act = buttons->addButton(text.action, QDialogButtonBox::AcceptRole);
    act->setObjectName(QStringLiteral("confirm"));
    act->setAutoDefault(false);
    buttons->addButton(QDialogButtonBox::Cancel)->setDefault(true);
    auto *form = new QFormLayout;
    form->addRow(tr("Reason"), m_reason);
    auto *layout = new QVBoxLayout(this);
    layout->setSpacing(10);
    layout->addWidget(scope);
    layout->addWidget(consequence);
    layout->addWidget(list, 1);
    layout->addLayout(form);
    layout->addWidget(buttons);
    resize(460, 320);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        Q_EMIT confirmed(m_reason->text().trimmed());
        accept();
    });
}

} // namespace watukuy::ui
