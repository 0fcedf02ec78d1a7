// SPDX-License-Identifier: GPL-3.0-or-later
// The seed's state machine, drawn: the current state lit, the last transitions on its edges.
#pragma once

#include <optional>

#include <QWidget>

#include "engine/model/state.h"
#include "ui/models/wording.h"

class QPainter;

namespace watukuy::ui {

/// Paints itself from values; nothing moves by itself.
class StateMachineView : public QWidget {
    Q_OBJECT

public:
    explicit StateMachineView(QWidget *parent = nullptr);

    void setState(std::optional<VisibleState> state, Instant now);
    /// Newest first.
    void setTransitions(const QList<TimelineEntry> &entries);
    [[nodiscard]] std::optional<VisibleState> state() const { return m_state; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    [[nodiscard]] QRectF boxOf(VisibleState state) const;
    void paintEdge(QPainter &painter, VisibleState from, VisibleState to, const QString &label) const;
    void paintBox(QPainter &painter, VisibleState state) const;
    [[nodiscard]] int recency(VisibleState from, VisibleState to) const;

    std::optional<VisibleState> m_state;
    QList<TimelineEntry> m_transitions;
    Instant m_now;
};

} // namespace watukuy::ui
