// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/logmodel.h"

namespace watukuy::ui {

LogModel::LogModel(int capacity, QObject *parent)
    : QAbstractTableModel(parent)
    , m_capacity(capacity)
{
}

void LogModel::append(const QList<LogLine> &lines)
{
    if (lines.isEmpty())
        return;
    const qsizetype skipped = std::max<qsizetype>(0, lines.size() - m_capacity);
    m_dropped += skipped;
    const qsizetype added = lines.size() - skipped;
    dropOldest(static_cast<qsizetype>(m_lines.size()) + added - m_capacity);
    const int first = rowCount();
    beginInsertRows({}, first, first + static_cast<int>(added) - 1);
    m_lines.insert(m_lines.end(), lines.begin() + skipped, lines.end());
    endInsertRows();
}

void LogModel::dropOldest(qsizetype count)
{
    if (count <= 0)
        return;
    beginRemoveRows({}, 0, static_cast<int>(count) - 1);
    m_lines.erase(m_lines.begin(), m_lines.begin() + count);
    m_dropped += count;
    endRemoveRows();
}

void LogModel::setWording(Wording wording)
{
    m_wording = wording;
    if (!m_lines.empty())
        Q_EMIT dataChanged(index(0, Time), index(rowCount() - 1, Time));
}

QString LogModel::levelName(LogLevel level)
{
    switch (level) {
    case LogLevel::Debug:
        return tr("Detail");
    case LogLevel::Info:
        return tr("Info");
    case LogLevel::Warning:
        return tr("Warning");
    case LogLevel::Error:
        return tr("Error");
    }
    return {};
}

int LogModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_lines.size());
}

int LogModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant LogModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const LogLine &line = m_lines.at(static_cast<size_t>(index.row()));
    if (role == LevelRole)
        return static_cast<int>(line.level);
    if (role == KeyRole)
        return QVariant::fromValue(line.key);
    if (role == Qt::ToolTipRole && index.column() == Time)
        return m_wording.absolute(line.at);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    switch (index.column()) {
    case Time:
        return m_wording.timeOfDay(line.at);
    case Level:
        return levelName(line.level);
    case KeyColumn:
        return line.key.poller.isEmpty() ? tr("Engine") : line.key.toString();
    default:
        return line.text;
    }
}

QVariant LogModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Time:
        return tr("Time");
    case Level:
        return tr("Level");
    case KeyColumn:
        return tr("Key");
    default:
        return tr("What happened");
    }
}

} // namespace watukuy::ui
