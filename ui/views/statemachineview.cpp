// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/statemachineview.h"

#include <array>

#include <QPainter>
#include <QPainterPath>
#include <QtMath>

#include "ui/theme/icons.h"

namespace watukuy::ui {

namespace {

constexpr qsizetype litTransitions = 3;
constexpr qreal boxWidth = 0.135;
constexpr qreal boxHeight = 0.15;

struct Place {
    VisibleState state;
    qreal x;
    qreal y;
};

/// Where the states stand, in shares of the view.
constexpr std::array<Place, 7> places{{{VisibleState::Paused, 0.09, 0.46},
                                       {VisibleState::Idle, 0.32, 0.46},
                                       {VisibleState::Polling, 0.60, 0.46},
                                       {VisibleState::Throttled, 0.46, 0.11},
                                       {VisibleState::BackingOff, 0.89, 0.14},
                                       {VisibleState::CircuitOpen, 0.80, 0.88},
                                       {VisibleState::HalfOpen, 0.44, 0.88}}};

struct Edge {
    VisibleState from;
    VisibleState to;
    const char *label;
};

/// The transitions of the seed's diagram.
constexpr std::array<Edge, 12> edges{
    {{VisibleState::Idle, VisibleState::Polling, QT_TRANSLATE_NOOP("watukuy::ui::StateMachineView", "due")},
     {VisibleState::Polling, VisibleState::Idle,
      QT_TRANSLATE_NOOP("watukuy::ui::StateMachineView", "success")},
     {VisibleState::Polling, VisibleState::Throttled,
      QT_TRANSLATE_NOOP("watukuy::ui::StateMachineView", "429, 503")},
     {VisibleState::Throttled, VisibleState::Idle,
      QT_TRANSLATE_NOOP("watukuy::ui::StateMachineView", "wait is over")},
     {VisibleState::Polling, VisibleState::BackingOff,
      QT_TRANSLATE_NOOP("watukuy::ui::StateMachineView", "error")},
     {VisibleState::BackingOff, VisibleState::Polling,
      QT_TRANSLATE_NOOP("watukuy::ui::StateMachineView", "retry")},
     {VisibleState::Polling, VisibleState::CircuitOpen,
      QT_TRANSLATE_NOOP("watukuy::ui::StateMachineView", "too many errors")},
     {VisibleState::CircuitOpen, VisibleState::HalfOpen,
      QT_TRANSLATE_NOOP("watukuy::ui::StateMachineView", "probe")},
     {VisibleState::HalfOpen, VisibleState::CircuitOpen,
      QT_TRANSLATE_NOOP("watukuy::ui::StateMachineView", "probe failed")},
     {VisibleState::HalfOpen, VisibleState::Idle,
      QT_TRANSLATE_NOOP("watukuy::ui::StateMachineView", "probe succeeded")},
     {VisibleState::Idle, VisibleState::Paused, QT_TRANSLATE_NOOP("watukuy::ui::StateMachineView", "pause")},
     {VisibleState::Paused, VisibleState::Idle,
      QT_TRANSLATE_NOOP("watukuy::ui::StateMachineView", "resume")}}};

/// Where the line from inside `box` towards `towards` leaves it.
QPointF borderPoint(const QRectF &box, const QPointF &inside, const QPointF &towards)
{
    const QPointF way = towards - inside;
    const auto share = [](qreal room, qreal step) { return qFuzzyIsNull(step) ? 1e9 : room / step; };
    const qreal horizontal = share((way.x() > 0 ? box.right() : box.left()) - inside.x(), way.x());
    const qreal vertical = share((way.y() > 0 ? box.bottom() : box.top()) - inside.y(), way.y());
    return inside + way * qMin(horizontal, vertical);
}

} // namespace

StateMachineView::StateMachineView(QWidget *parent)
    : QWidget(parent)
{
    setAccessibleName(tr("State machine"));
    setFocusPolicy(Qt::TabFocus);
}

void StateMachineView::setState(std::optional<VisibleState> state, Instant now)
{
    m_now = now;
    m_state = state;
    setAccessibleDescription(state ? tr("Current state: %1").arg(Wording::state(*state))
                                   : tr("No key is selected"));
    update();
}

void StateMachineView::setTransitions(const QList<TimelineEntry> &entries)
{
    m_transitions.clear();
    for (const TimelineEntry &entry : entries) {
        if (entry.from != entry.to && m_transitions.size() < litTransitions)
            m_transitions.append(entry);
    }
    update();
}

QSize StateMachineView::sizeHint() const
{
    return {760, 260};
}

QSize StateMachineView::minimumSizeHint() const
{
    return {420, 170};
}

QRectF StateMachineView::boxOf(VisibleState state) const
{
    const auto place = std::ranges::find(places, state, &Place::state);
    const QSizeF size(qMax(boxWidth * width(), fontMetrics().horizontalAdvance(tr("Circuit open")) + 44.0),
                      qMax(boxHeight * height(), fontMetrics().height() + 12.0));
    return {QPointF(place->x * width() - size.width() / 2, place->y * height() - size.height() / 2), size};
}

int StateMachineView::recency(VisibleState from, VisibleState to) const
{
    for (qsizetype at = 0; at < m_transitions.size(); ++at) {
        if (m_transitions.at(at).from == from && m_transitions.at(at).to == to)
            return static_cast<int>(litTransitions - at);
    }
    return 0;
}

void StateMachineView::paintEdge(QPainter &painter, VisibleState from, VisibleState to,
                                 const QString &label) const
{
    const QRectF start = boxOf(from);
    const QRectF end = boxOf(to);
    const QPointF way = end.center() - start.center();
    const qreal length = qMax(1.0, qSqrt(QPointF::dotProduct(way, way)));
    const QPointF aside = QPointF(-way.y(), way.x()) / length * 8;
    const QPointF first = borderPoint(start, start.center() + aside, end.center() + aside);
    const QPointF last = borderPoint(end, end.center() + aside, start.center() + aside);
    const QPointF bend = (first + last) / 2 + aside * 1.5;
    const int lit = recency(from, to);
    QColor color = palette().color(lit > 0 ? QPalette::Highlight : QPalette::Mid);
    QPen pen(color, lit > 0 ? 1.2 + 0.6 * lit : 1.2);
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    QPainterPath path(first);
    path.quadTo(bend, last);
    painter.drawPath(path);

    const QPointF direction = last - bend;
    const qreal angle = qAtan2(direction.y(), direction.x());
    const qreal head = lit > 0 ? 10 : 8;
    QPolygonF arrow{last, last - QPointF(qCos(angle - 0.42), qSin(angle - 0.42)) * head,
                    last - QPointF(qCos(angle + 0.42), qSin(angle + 0.42)) * head};
    painter.setBrush(color);
    painter.setPen(Qt::NoPen);
    painter.drawPolygon(arrow);

    QString text = label;
    for (const TimelineEntry &entry : m_transitions) {
        if (entry.from == from && entry.to == to) {
            text = tr("%1, %2").arg(label, Wording::relative(entry.at, m_now));
            break;
        }
    }
    QRectF labelBox(QPointF(), QSizeF(fontMetrics().horizontalAdvance(text) + 6.0, fontMetrics().height()));
    labelBox.moveCenter((first + 2 * bend + last) / 4 + aside * 1.5);
    painter.fillRect(labelBox, palette().color(QPalette::Base));
    painter.setPen(palette().color(lit > 0 ? QPalette::Text : QPalette::PlaceholderText));
    painter.drawText(labelBox, Qt::AlignCenter, text);
}

void StateMachineView::paintBox(QPainter &painter, VisibleState state) const
{
    const QRectF box = boxOf(state);
    const bool isLit = m_state == state;
    const QColor color = stateColor(state);
    painter.setPen(QPen(isLit ? color : palette().color(QPalette::Mid), isLit ? 2.5 : 1.2));
    QColor fill = isLit ? color : palette().color(QPalette::AlternateBase);
    if (isLit)
        fill.setAlpha(60);
    painter.setBrush(palette().color(QPalette::Base));
    painter.drawRoundedRect(box, 7, 7);
    painter.setBrush(fill);
    painter.drawRoundedRect(box, 7, 7);
    constexpr int iconSize = 16;
    const QString text = Wording::state(state);
    const qreal content = iconSize + 6 + fontMetrics().horizontalAdvance(text);
    const QPointF left(box.center().x() - content / 2, box.center().y());
    stateIcon(state).paint(&painter,
                           QRect(qRound(left.x()), qRound(left.y() - iconSize / 2.0), iconSize, iconSize));
    QFont font = painter.font();
    font.setBold(isLit);
    painter.setFont(font);
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(box.adjusted(left.x() + iconSize + 6 - box.left(), 0, 0, 0),
                     Qt::AlignLeft | Qt::AlignVCenter, text);
    font.setBold(false);
    painter.setFont(font);
}

void StateMachineView::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), palette().color(QPalette::Base));
    const auto isQuiet = [this](const Edge &edge) { return recency(edge.from, edge.to) == 0; };
    for (const bool quiet : {true, false}) {
        for (const Edge &edge : edges) {
            if (isQuiet(edge) == quiet)
                paintEdge(painter, edge.from, edge.to, tr(edge.label));
        }
    }
    for (const Place &place : places)
        paintBox(painter, place.state);
}

} // namespace watukuy::ui
