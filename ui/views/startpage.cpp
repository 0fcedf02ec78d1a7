// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/startpage.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/theme/icons.h"

namespace watukuy::ui {

StartPage::StartPage(QWidget *parent)
    : QWidget(parent)
    , m_choices(new QWidget(this))
    , m_busy(new QLabel(this))
{
    auto *icon = new QLabel(this);
    icon->setPixmap(programIcon().pixmap(64, 64));
    icon->setAlignment(Qt::AlignCenter);
    auto *title = new QLabel(tr("Webhooks for APIs that have none"), this);
    QFont large = title->font();
    large.setPointSizeF(large.pointSizeF() * 1.6);
    title->setFont(large);
    title->setAlignment(Qt::AlignCenter);
    auto *text =
        new QLabel(tr("Open a workspace to watch its pollers, or look at the demo: a small shop whose "
                      "orders, products and customers change by themselves."),
                   this);
    text->setWordWrap(true);
    text->setAlignment(Qt::AlignCenter);
    constexpr int textWidth = 460;
    text->setFixedWidth(textWidth);
    text->setFixedHeight(text->heightForWidth(textWidth));
    auto *demo = new QPushButton(tr("Open the demo"), m_choices);
    demo->setDefault(true);
    auto *open = new QPushButton(tr("Open a workspace…"), m_choices);
    auto *choices = new QVBoxLayout(m_choices);
    choices->addWidget(demo);
    choices->addWidget(open);
    m_busy->setAlignment(Qt::AlignCenter);
    m_busy->hide();
    auto *layout = new QVBoxLayout(this);
    layout->addStretch(2);
    for (QWidget *part : {static_cast<QWidget *>(icon), static_cast<QWidget *>(title),
                          static_cast<QWidget *>(text), m_choices, static_cast<QWidget *>(m_busy)})
        layout->addWidget(part, 0, Qt::AlignHCenter);
    layout->addStretch(3);
    layout->setSpacing(14);
    connect(demo, &QPushButton::clicked, this, &StartPage::demoWanted);
    connect(open, &QPushButton::clicked, this, &StartPage::openWanted);
}

void StartPage::setBusy(const QString &what)
{
    m_busy->setText(what);
    m_busy->setVisible(!what.isEmpty());
    m_choices->setVisible(what.isEmpty());
}

} // namespace watukuy::ui
