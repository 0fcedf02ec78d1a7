// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/table.h"

#include "app/cli/translation.h"

#include <algorithm>

#include <QLocale>

namespace watukuy::cli {

using namespace Qt::StringLiterals;

Table::Table(QStringList heading)
    : m_heading(std::move(heading))
{
}

void Table::add(QStringList row, Colour colour)
{
    for (QString &cell : row)
        cell.replace(u'\n', u' ').replace(u'\t', u' ');
    m_rows.append(Row{std::move(row), colour});
}

void Table::print(Output &output) const
{
    QList<qsizetype> widths;
    for (qsizetype column = 0; column < m_heading.size(); ++column) {
        qsizetype width = m_heading.at(column).size();
        for (const Row &row : m_rows)
            width = std::max(width, row.cells.value(column).size());
        widths.append(width);
    }

    const auto spread = [&](const QStringList &cells, Colour second, Colour others) {
        QString line;
        for (qsizetype column = 0; column < widths.size(); ++column) {
            const bool last = column == widths.size() - 1;
            const bool right = m_right.contains(static_cast<int>(column));
            QString cell = cells.value(column);
            // Padded before it is coloured: escape sequences have no width.
            if (right)
                cell = cell.rightJustified(widths.at(column));
            else if (!last)
                cell = cell.leftJustified(widths.at(column));
            line += output.coloured(column == 1 ? second : others, cell);
            if (!last)
                line += u"  "_s;
        }
        output.line(line);
    };
    spread(m_heading, Colour::Bold, Colour::Bold);
    for (const Row &row : m_rows)
        spread(row.cells, row.colour, Colour::Plain);
}

QString spelledState(VisibleState state)
{
    switch (state) {
    case VisibleState::Idle:
        return Text::tr("Idle");
    case VisibleState::Polling:
        return Text::tr("Polling");
    case VisibleState::Throttled:
        return Text::tr("Throttled");
    case VisibleState::BackingOff:
        return Text::tr("Backing off");
    case VisibleState::CircuitOpen:
        return Text::tr("Circuit open");
    case VisibleState::HalfOpen:
        return Text::tr("Half-open");
    case VisibleState::Paused:
        return Text::tr("Paused");
    }
    return {};
}

QString spelled(Duration span)
{
    using namespace std::chrono;
    const qint64 ms = span.count();
    if (ms < 1000)
        return Text::tr("%1 ms").arg(ms);
    const qint64 s = ms / 1000;
    if (s < 120)
        return Text::tr("%1 s").arg(s);
    if (s < 120 * 60)
        return Text::tr("%1 min").arg(s / 60);
    if (s < 48 * 3600)
        return Text::tr("%1 h").arg(s / 3600);
    return Text::tr("%1 d").arg(s / 86400);
}

QString relative(std::optional<Instant> instant, Instant now)
{
    if (!instant)
        return u"-"_s;
    const Duration distance = *instant - now;
    if (distance > Duration{-1000} && distance < Duration{1000})
        return Text::tr("now");
    return distance.count() > 0 ? Text::tr("in %1").arg(spelled(distance))
                                : Text::tr("%1 ago").arg(spelled(-distance));
}

QString spelledSize(qint64 bytes)
{
    return QLocale::c().formattedDataSize(bytes, 1, QLocale::DataSizeTraditionalFormat);
}

} // namespace watukuy::cli
