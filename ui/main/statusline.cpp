// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main/statusline.h"

#include <QLabel>

namespace watukuy::ui {

namespace {

constexpr Duration staleAfter = std::chrono::seconds{3};

} // namespace

StatusLine::StatusLine(QWidget *parent)
    : QStatusBar(parent)
    , m_live(new QLabel(this))
    , m_counts(new QLabel(this))
    , m_states(new QLabel(this))
    , m_zone(new QLabel(this))
    , m_frozen(new QLabel(this))
{
    setSizeGripEnabled(false);
    m_live->setAccessibleName(tr("Is the view alive"));
    m_counts->setAccessibleName(tr("How many keys are shown"));
    m_states->setAccessibleName(tr("Keys by state"));
    m_zone->setAccessibleName(tr("Time zone"));
    m_frozen->setText(tr("Order frozen while rows are selected (Esc)"));
    m_frozen->setForegroundRole(QPalette::PlaceholderText);
    m_frozen->hide();
    constexpr int air = 8;
    for (QLabel *label : {m_live, m_counts, m_states, m_frozen, m_zone}) {
        label->setContentsMargins(air, 0, air, 0);
        addPermanentWidget(label);
    }
    setWording({});
}

void StatusLine::heard(Instant at)
{
    m_heardAt = at;
}

void StatusLine::setStatus(EngineClient::Status status)
{
    m_status = status;
    if (status == EngineClient::Status::Closed)
        m_heardAt.reset();
}

void StatusLine::setCounts(int selected, int shown, int all, const QString &states)
{
    const QString scope = tr("%1 of %2 shown").arg(Wording::count(shown), Wording::count(all));
    m_counts->setText(selected == 0 ? scope : tr("%1 selected, %2").arg(Wording::count(selected), scope));
    m_states->setText(states);
}

void StatusLine::setFrozen(bool frozen)
{
    m_frozen->setVisible(frozen);
}

void StatusLine::setWording(Wording wording)
{
    m_wording = wording;
    m_zone->setText(m_wording.zoneName());
}

void StatusLine::say(const QString &message)
{
    showMessage(message);
}

void StatusLine::tick(Instant now)
{
    using Status = EngineClient::Status;
    switch (m_status) {
    case Status::Closed:
        m_live->setText(tr("No workspace"));
        return;
    case Status::Opening:
        m_live->setText(tr("Opening…"));
        return;
    case Status::Draining:
        m_live->setText(tr("Stopping, delivering what is under way…"));
        return;
    case Status::Failed:
        m_live->setText(tr("Not running"));
        return;
    case Status::Running:
    case Status::Monitoring:
        break;
    }
    if (!m_heardAt) {
        m_live->setText(tr("Waiting for the engine"));
        return;
    }
    const Duration age = std::max(now - *m_heardAt, Duration::zero());
    if (age >= staleAfter) {
        m_live->setText(tr("Stale since %1").arg(m_wording.absolute(*m_heardAt)));
        return;
    }
    const QString seconds = QString::number(static_cast<double>(age.count()) / 1000.0, 'f', 1);
    m_live->setText(m_status == Status::Running ? tr("Live, %1 s old").arg(seconds)
                                                : tr("Watching, %1 s old").arg(seconds));
}

QString StatusLine::liveText() const
{
    return m_live->text();
}

QString StatusLine::countsText() const
{
    return m_counts->text();
}

} // namespace watukuy::ui
