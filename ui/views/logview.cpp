// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/logview.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/views/table.h"

namespace watukuy::ui {

/// Lines of at least a level that hold a text.
class LogFilter : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

    void setLeast(LogLevel least)
    {
        m_least = static_cast<int>(least);
        invalidateFilter();
    }
    void setText(const QString &text)
    {
        m_text = text;
        invalidateFilter();
    }

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex &parent) const override
    {
        const QModelIndex line = sourceModel()->index(row, LogModel::Text, parent);
        if (line.data(LogModel::LevelRole).toInt() < m_least)
            return false;
        return m_text.isEmpty() || line.data().toString().contains(m_text, Qt::CaseInsensitive) ||
               line.siblingAtColumn(LogModel::KeyColumn)
                   .data()
                   .toString()
                   .contains(m_text, Qt::CaseInsensitive);
    }

private:
    int m_least = static_cast<int>(LogLevel::Info);
    QString m_text;
};

LogView::LogView(LogModel *log, QWidget *parent)
    : QWidget(parent)
    , m_log(log)
    , m_filter(new LogFilter(this))
    , m_level(new QComboBox(this))
    , m_text(new QLineEdit(this))
    , m_follow(new QPushButton(this))
    , m_dropped(new QLabel(this))
{
    m_filter->setSourceModel(log);
    m_table = makeTable(m_filter, {20, 9, 24}, tr("Log"), this);
    for (const LogLevel level : {LogLevel::Debug, LogLevel::Info, LogLevel::Warning, LogLevel::Error})
        m_level->addItem(tr("%1 and above").arg(LogModel::levelName(level)), static_cast<int>(level));
    m_level->setCurrentIndex(static_cast<int>(LogLevel::Info));
    m_level->setAccessibleName(tr("Least level"));
    m_text->setPlaceholderText(tr("Find in the log"));
    m_text->setAccessibleName(tr("Find in the log"));
    m_text->setClearButtonEnabled(true);
    m_follow->setToolTip(tr("Go to the newest line and follow (End)"));
    m_dropped->setForegroundRole(QPalette::PlaceholderText);

    auto *bar = new QHBoxLayout;
    bar->addWidget(m_level);
    bar->addWidget(m_text, 1);
    bar->addWidget(m_dropped);
    bar->addWidget(m_follow);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addLayout(bar);
    layout->addWidget(m_table, 1);

    connect(m_level, &QComboBox::currentIndexChanged, this,
            [this] { m_filter->setLeast(static_cast<LogLevel>(m_level->currentData().toInt())); });
    connect(m_text, &QLineEdit::textChanged, this, [this](const QString &text) { m_filter->setText(text); });
    connect(m_follow, &QPushButton::clicked, this, &LogView::follow);
    connect(m_filter, &QAbstractItemModel::rowsInserted, this,
            [this](const QModelIndex &, int first, int last) { linesAdded(first, last); });
    connect(m_table->verticalScrollBar(), &QScrollBar::valueChanged, this, &LogView::scrolled);
    showState();
}

QString LogView::followText() const
{
    return m_following  ? tr("Following")
           : m_new == 0 ? tr("Paused")
                        : tr("Paused, %1 new").arg(Wording::count(m_new));
}

void LogView::follow()
{
    m_following = true;
    m_new = 0;
    m_table->scrollToBottom();
    showState();
}

void LogView::linesAdded(int first, int last)
{
    if (m_following) {
        m_table->scrollToBottom();
        showState();
        return;
    }
    m_new += last - first + 1;
    showState();
}

void LogView::scrolled(int value)
{
    const bool atEnd = value >= m_table->verticalScrollBar()->maximum();
    if (atEnd == m_following)
        return;
    m_following = atEnd;
    if (atEnd)
        m_new = 0;
    showState();
}

void LogView::showState()
{
    m_follow->setText(followText());
    m_dropped->setText(m_log->dropped() == 0
                           ? QString()
                           : tr("%1 older lines were dropped").arg(Wording::count(m_log->dropped())));
}

} // namespace watukuy::ui
