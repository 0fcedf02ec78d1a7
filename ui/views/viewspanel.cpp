// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/viewspanel.h"

#include "ui/models/wording.h"

namespace watukuy::ui {

namespace {

constexpr int countRole = Qt::UserRole + 1;

} // namespace

ViewsPanel::ViewsPanel(QWidget *parent)
    : QListWidget(parent)
{
    setAccessibleName(tr("Views"));
    setFrameShape(QFrame::NoFrame);
    setStyleSheet(QStringLiteral("QListWidget::item{padding:5px 8px}"));
    for (const View view : allViews) {
        auto *item = new QListWidgetItem(viewName(view), this);
        item->setData(countRole, 0);
    }
    setCurrentRow(static_cast<int>(View::All));
    connect(this, &QListWidget::currentRowChanged, this, [this](int row) {
        if (row >= 0)
            Q_EMIT chosen(allViews.at(static_cast<size_t>(row)));
    });
}

void ViewsPanel::count(const std::vector<KeySnapshot> &keys, Instant now)
{
    std::array<int, allViews.size()> counts{};
    for (const KeySnapshot &key : keys) {
        for (size_t view = 0; view < allViews.size(); ++view)
            counts[view] += isInView(key, allViews[view], now) ? 1 : 0;
    }
    for (size_t view = 0; view < allViews.size(); ++view) {
        QListWidgetItem *entry = item(static_cast<int>(view));
        const QString text = counts[view] == 0
                                 ? viewName(allViews[view])
                                 : tr("%1  (%2)").arg(viewName(allViews[view]), Wording::count(counts[view]));
        entry->setData(countRole, counts[view]);
        if (entry->text() != text)
            entry->setText(text);
        QFont font = entry->font();
        font.setBold(allViews[view] == View::NeedsAttention && counts[view] > 0);
        entry->setFont(font);
    }
}

void ViewsPanel::choose(View view)
{
    setCurrentRow(static_cast<int>(view));
}

int ViewsPanel::countOf(View view) const
{
    return item(static_cast<int>(view))->data(countRole).toInt();
}

} // namespace watukuy::ui
