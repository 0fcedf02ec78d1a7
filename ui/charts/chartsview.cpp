// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chartsview.h"

#include <QChart>
#include <QChartView>
#include <QComboBox>
#include <QDateTimeAxis>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineSeries>
#include <QVBoxLayout>
#include <QValueAxis>

namespace watukuy::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr float leastRange = 4; // so that the labels of the axis are whole numbers

} // namespace

ChartsView::ChartsView(const History *history, QWidget *parent)
    : QWidget(parent)
    , m_history(history)
    , m_measure(new QComboBox(this))
    , m_span(new QLabel(this))
    , m_chart(new QChart)
    , m_view(new QChartView(m_chart, this))
    , m_time(new QDateTimeAxis(m_chart))
    , m_value(new QValueAxis(m_chart))
{
    m_measure->addItem(tr("Lag in seconds"), static_cast<int>(Measure::Lag));
    m_measure->addItem(tr("Outbox depth in events"), static_cast<int>(Measure::Outbox));
    m_measure->addItem(tr("Events of a cycle"), static_cast<int>(Measure::Events));
    m_measure->addItem(tr("Duration of a cycle in ms"), static_cast<int>(Measure::CycleTime));
    m_measure->setAccessibleName(tr("What the chart shows"));
    m_time->setFormat(u"HH:mm:ss"_s);
    m_value->setLabelFormat(u"%.0f"_s);
    m_chart->legend()->hide();
    m_chart->setMargins({});
    m_chart->addAxis(m_time, Qt::AlignBottom);
    m_chart->addAxis(m_value, Qt::AlignLeft);
    m_view->setRenderHint(QPainter::Antialiasing);
    m_view->setAccessibleName(tr("Chart"));
    m_view->setFrameShape(QFrame::NoFrame);
    auto *bar = new QHBoxLayout;
    bar->addWidget(m_measure);
    bar->addWidget(m_span);
    bar->addStretch(1);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addLayout(bar);
    layout->addWidget(m_view, 1);
    connect(m_measure, &QComboBox::currentIndexChanged, this, &ChartsView::refresh);
    setWording({});
    applyTheme();
}

void ChartsView::setWording(Wording wording)
{
    m_wording = wording;
    m_span->setText(tr("last 30 minutes, %1").arg(m_wording.zoneName()));
    refresh();
}

qint64 ChartsView::onAxis(qint64 epochMs) const
{
    if (m_wording.zone == Zone::Local)
        return epochMs;
    return epochMs - QDateTime::fromMSecsSinceEpoch(epochMs).offsetFromUtc() * 1000LL;
}

void ChartsView::show(const Key &key, Instant now)
{
    m_key = key;
    m_now = now;
    refresh();
}

float ChartsView::valueOf(const Sample &sample, Measure measure)
{
    switch (measure) {
    case Measure::Lag:
        return sample.lagSeconds;
    case Measure::Outbox:
        return sample.outbox;
    case Measure::Events:
        return sample.events;
    case Measure::CycleTime:
        return sample.cycleMs;
    }
    return 0;
}

int ChartsView::segments() const
{
    return static_cast<int>(m_chart->series().size());
}

void ChartsView::refresh()
{
    if (!isVisible())
        return;
    const auto measure = static_cast<Measure>(m_measure->currentData().toInt());
    QList<QList<QPointF>> lines;
    std::optional<Instant> previous;
    float most = 1;
    for (const Sample &sample : m_history->of(m_key)) {
        const float value = valueOf(sample, measure);
        const bool isGap = value < 0 || !previous || sample.at - *previous > 2 * History::cadence;
        if (isGap)
            lines.append(QList<QPointF>());
        previous = value < 0 ? std::nullopt : std::optional(sample.at);
        if (value < 0)
            continue;
        lines.last().append({static_cast<qreal>(onAxis(toEpochMs(sample.at))), value});
        most = std::max(most, value);
    }
    m_chart->removeAllSeries();
    for (const QList<QPointF> &points : lines) {
        if (points.isEmpty())
            continue;
        auto *series = new QLineSeries;
        series->replace(points);
        series->setPen(QPen(palette().color(QPalette::Highlight), 2));
        m_chart->addSeries(series);
        series->attachAxis(m_time);
        series->attachAxis(m_value);
    }
    const bool isEmpty = m_chart->series().isEmpty();
    m_chart->setTitle(isEmpty ? tr("No measurements yet: one is taken every 5 s while the engine runs.")
                              : QString());
    m_time->setVisible(!isEmpty);
    m_value->setVisible(!isEmpty);
    const QDateTime end = QDateTime::fromMSecsSinceEpoch(onAxis(toEpochMs(m_now)));
    m_time->setRange(end.addSecs(-30 * 60), end);
    m_value->setRange(0, std::max(leastRange, most * 1.1F));
    m_value->applyNiceNumbers();
}

void ChartsView::applyTheme()
{
    const QColor text = palette().color(QPalette::Text);
    m_chart->setTitleBrush(palette().color(QPalette::PlaceholderText));
    m_chart->setBackgroundBrush(palette().color(QPalette::Base));
    m_chart->setBackgroundRoundness(0);
    for (QAbstractAxis *axis :
         {static_cast<QAbstractAxis *>(m_time), static_cast<QAbstractAxis *>(m_value)}) {
        axis->setLabelsColor(text);
        axis->setLinePenColor(palette().color(QPalette::Mid));
        axis->setGridLineColor(palette().color(QPalette::Midlight));
    }
}

void ChartsView::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    refresh();
}

void ChartsView::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        applyTheme();
}

} // namespace watukuy::ui
