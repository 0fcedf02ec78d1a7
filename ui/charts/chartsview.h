// SPDX-License-Identifier: GPL-3.0-or-later
// Charts of the selected key: lag, outbox depth, events and duration of cycles; gaps stay gaps.
#pragma once

#include <deque>

#include <QWidget>

#include "ui/charts/history.h"
#include "ui/models/wording.h"

class QChart;
class QChartView;
class QComboBox;
class QLabel;
class QDateTimeAxis;
class QValueAxis;

namespace watukuy::ui {

/// Draws only while it is visible.
class ChartsView : public QWidget {
    Q_OBJECT

public:
    explicit ChartsView(const History *history, QWidget *parent = nullptr);

    /// `now` is the right end of the chart.
    void show(const Key &key, Instant now);
    void setWording(Wording wording);
    void refresh();
    [[nodiscard]] int segments() const;

protected:
    void showEvent(QShowEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    enum class Measure { Lag, Outbox, Events, CycleTime };
    [[nodiscard]] static float valueOf(const Sample &sample, Measure measure);
    void applyTheme();
    /// The axis writes local times: what it is given makes it write the chosen zone's.
    [[nodiscard]] qint64 onAxis(qint64 epochMs) const;

    Wording m_wording;
    Instant m_now;
    const History *m_history;
    Key m_key;
    QComboBox *m_measure;
    QLabel *m_span;
    QChart *m_chart;
    QChartView *m_view;
    QDateTimeAxis *m_time;
    QValueAxis *m_value;
};

} // namespace watukuy::ui
