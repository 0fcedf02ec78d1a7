// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/parkedview.h"

#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLabel>
#include <QPushButton>
#include <QSet>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/theme/icons.h"
#include "ui/views/table.h"

namespace watukuy::ui {

using namespace Qt::StringLiterals;

ParkedView::ParkedView(QWidget *parent)
    : QWidget(parent)
    , m_reason(new QLabel(this))
    , m_retry(new QPushButton(this))
    , m_discard(new QPushButton(this))
{
    using Column = RowModel<ParkedRow>::Column;
    const auto subject = [](const ParkedRow &row) {
        return row.event ? row.event->subject : QString::fromUtf8(row.item.left(60));
    };
    m_rows = new RowModel<ParkedRow>(
        {Column{tr("What"),
                [this](const ParkedRow &row) {
                    return row.kind == ParkedKind::Poison ? tr("Event not delivered") : tr("Invalid item");
                }},
         Column{tr("Item"), subject},
         Column{tr("Attempts"), [](const ParkedRow &row) { return QString::number(row.attempts); }, true},
         Column{tr("Parked at"), [this](const ParkedRow &row) { return m_wording.absolute(row.parkedAt); }},
         Column{tr("Why"), [](const ParkedRow &row) { return row.error.oneLine(); }}},
        this);
    m_table = makeTable(m_rows, {22, 26, 9, 26}, tr("Parked events and items"), this);
    m_reason->setWordWrap(true);
    m_reason->setForegroundRole(QPalette::PlaceholderText);
    m_retry->setIcon(actionIcon(u"retry"_s, palette()));
    m_discard->setIcon(actionIcon(u"discard"_s, palette()));
    auto *bar = new QHBoxLayout;
    bar->addWidget(m_reason, 1);
    bar->addWidget(m_retry);
    bar->addWidget(m_discard);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addLayout(bar);
    layout->addWidget(m_table, 1);
    connect(m_retry, &QPushButton::clicked, this, [this] { Q_EMIT retryWanted(chosen()); });
    connect(m_discard, &QPushButton::clicked, this, [this] { Q_EMIT discardWanted(chosen()); });
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &ParkedView::showChoice);
    showChoice();
}

void ParkedView::show(const QList<ParkedRow> &rows)
{
    if (rows == m_rows->rows())
        return;
    QSet<qint64> selected;
    if (m_table->selectionModel()->hasSelection()) {
        const QList<qint64> ids = chosen();
        selected = {ids.begin(), ids.end()};
    }
    m_rows->replace(rows);
    for (int row = 0; row < m_rows->rowCount(); ++row) {
        if (selected.contains(m_rows->rows().at(row).id))
            m_table->selectionModel()->select(m_rows->index(row, 0),
                                              QItemSelectionModel::Select | QItemSelectionModel::Rows);
    }
    showChoice();
}

void ParkedView::setWording(Wording wording)
{
    m_wording = wording;
    m_table->viewport()->update();
}

QList<qint64> ParkedView::chosen() const
{
    QList<qint64> ids;
    const QModelIndexList selected = m_table->selectionModel()->selectedRows();
    for (const QModelIndex &index : selected)
        ids.append(m_rows->rows().at(index.row()).id);
    if (!ids.isEmpty())
        return ids;
    for (const ParkedRow &row : m_rows->rows())
        ids.append(row.id);
    return ids;
}

void ParkedView::showChoice()
{
    const auto count = static_cast<int>(chosen().size());
    const bool some = m_table->selectionModel()->hasSelection();
    m_retry->setText(some ? tr("Retry selected (%1)").arg(count) : tr("Retry all shown (%1)").arg(count));
    m_discard->setText(some ? tr("Discard selected (%1)…").arg(count)
                            : tr("Discard all shown (%1)…").arg(count));
    m_retry->setEnabled(count > 0);
    m_discard->setEnabled(count > 0);
    const QModelIndexList selected = m_table->selectionModel()->selectedRows();
    if (count == 0)
        m_reason->setText(tr("Nothing is parked for this key."));
    else if (selected.size() == 1)
        m_reason->setText(m_rows->rows().at(selected.first().row()).error.nextStep);
    else
        m_reason->setText(tr(
            "Parked events keep later events of the same item waiting until they are retried or discarded."));
}

} // namespace watukuy::ui
