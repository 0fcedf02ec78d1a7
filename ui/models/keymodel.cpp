// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/keymodel.h"

#include <QIcon>

#include "ui/models/severity.h"
#include "ui/theme/icons.h"

namespace watukuy::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype longestCursor = 60;

bool isNumber(int column)
{
    return column == KeyModel::Errors || column == KeyModel::Outbox || column == KeyModel::ParkedColumn ||
           column == KeyModel::HeldColumn || column == KeyModel::Lag;
}

QString orNothing(qint64 count)
{
    return count == 0 ? u"–"_s : Wording::count(count);
}

qint64 epoch(const std::optional<Instant> &instant)
{
    return instant ? toEpochMs(*instant) : 0;
}

} // namespace

KeyModel::KeyModel(QObject *parent)
    : QAbstractTableModel(parent)
{
}

void KeyModel::apply(const QList<KeySnapshot> &changed, const QList<Key> &removed)
{
    removeRowsOf(removed);
    replaceKnown(changed);
    QList<KeySnapshot> added;
    for (const KeySnapshot &snapshot : changed) {
        if (!m_rowOf.contains(snapshot.key))
            added.append(snapshot);
    }
    if (added.isEmpty())
        return;
    const int first = rowCount();
    beginInsertRows({}, first, first + static_cast<int>(added.size()) - 1);
    for (const KeySnapshot &snapshot : added) {
        m_rowOf.insert(snapshot.key, static_cast<int>(m_rows.size()));
        m_rows.push_back(snapshot);
    }
    endInsertRows();
}

void KeyModel::replaceKnown(const QList<KeySnapshot> &changed)
{
    std::vector<int> touched;
    for (const KeySnapshot &snapshot : changed) {
        const auto row = m_rowOf.constFind(snapshot.key);
        if (row == m_rowOf.constEnd())
            continue;
        m_rows[static_cast<size_t>(*row)] = snapshot;
        touched.push_back(*row);
    }
    std::ranges::sort(touched);
    for (size_t at = 0; at < touched.size();) {
        size_t end = at;
        while (end + 1 < touched.size() && touched[end + 1] <= touched[end] + 1)
            ++end;
        Q_EMIT dataChanged(index(touched[at], 0), index(touched[end], ColumnCount - 1));
        at = end + 1;
    }
}

void KeyModel::removeRowsOf(const QList<Key> &removed)
{
    for (const Key &key : removed) {
        const auto found = m_rowOf.constFind(key);
        if (found == m_rowOf.constEnd())
            continue;
        const int row = *found;
        beginRemoveRows({}, row, row);
        m_rows.erase(m_rows.begin() + row);
        m_rowOf.remove(key);
        for (int later = row; later < static_cast<int>(m_rows.size()); ++later)
            m_rowOf[m_rows[static_cast<size_t>(later)].key] = later;
        endRemoveRows();
    }
}

void KeyModel::clear()
{
    beginResetModel();
    m_rows.clear();
    m_rowOf.clear();
    m_pending.clear();
    endResetModel();
}

void KeyModel::setPending(const QList<Key> &keys, const QString &what)
{
    for (const Key &key : keys) {
        if (what.isEmpty())
            m_pending.remove(key);
        else
            m_pending.insert(key, what);
        const auto row = m_rowOf.constFind(key);
        if (row != m_rowOf.constEnd())
            Q_EMIT dataChanged(index(*row, State), index(*row, State));
    }
}

void KeyModel::setNow(Instant now)
{
    m_now = now;
    if (!m_rows.empty())
        Q_EMIT dataChanged(index(0, CircuitColumn), index(rowCount() - 1, LastSuccess), {Qt::DisplayRole});
}

void KeyModel::setWording(Wording wording)
{
    m_wording = wording;
    if (!m_rows.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

const KeySnapshot *KeyModel::find(const Key &key) const
{
    const auto row = m_rowOf.constFind(key);
    return row == m_rowOf.constEnd() ? nullptr : &m_rows[static_cast<size_t>(*row)];
}

int KeyModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int KeyModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant KeyModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const KeySnapshot &key = at(index.row());
    switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole:
        return text(key, index.column());
    case Qt::ToolTipRole:
        return toolTip(key, index.column());
    case Qt::DecorationRole:
        return index.column() == State ? QVariant(stateIcon(key.state)) : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant(isNumber(index.column()) ? Qt::AlignRight | Qt::AlignVCenter
                                                 : Qt::AlignLeft | Qt::AlignVCenter);
    case SortRole:
        return sortValue(key, index.column());
    default:
        return {};
    }
}

QString KeyModel::text(const KeySnapshot &key, int column) const
{
    switch (column) {
    case State:
        return m_pending.value(key.key, Wording::state(key.state));
    case Poller:
        return key.key.poller;
    case Partition:
        return key.key.partition.isEmpty() ? u"–"_s : key.key.partition;
    case CircuitColumn:
        return Wording::circuit(key, m_now);
    case NextDue:
        if (const auto due = dueOf(key))
            return key.running ? tr("running") : Wording::relative(*due, m_now);
        return u"–"_s;
    case LastSuccess:
        return key.schedule.lastSuccessAt ? Wording::relative(*key.schedule.lastSuccessAt, m_now)
                                          : tr("never");
    case Lag:
        return key.lag ? Wording::duration(*key.lag) : u"–"_s;
    case Errors:
        return orNothing(key.recentErrors);
    case Outbox:
        return orNothing(key.counts.outboxPending);
    case ParkedColumn:
        return orNothing(key.counts.parked);
    case HeldColumn:
        return orNothing(key.counts.held);
    case LeaseColumn:
        return Wording::lease(key);
    case CursorColumn:
        return key.liveCursor.isEmpty() ? tr("at the beginning")
                                        : QString::fromUtf8(key.liveCursor.left(longestCursor));
    default:
        return {};
    }
}

QString KeyModel::toolTip(const KeySnapshot &key, int column) const
{
    switch (column) {
    case State:
        return m_wording.waiting(key, m_now);
    case CircuitColumn:
        return key.schedule.lastError ? key.schedule.lastError->oneLine() : QString();
    case NextDue:
        if (const auto due = dueOf(key))
            return m_wording.absolute(*due);
        return {};
    case LastSuccess:
        return key.schedule.lastSuccessAt ? m_wording.absolute(*key.schedule.lastSuccessAt) : QString();
    case Lag:
        return tr("How far the data is behind the API, as of %1").arg(m_wording.absolute(key.takenAt));
    case LeaseColumn:
        return key.lease ? tr("%1, until %2").arg(key.lease->owner, m_wording.absolute(key.lease->expiresAt))
                         : QString();
    case CursorColumn:
        return QString::fromUtf8(key.liveCursor);
    default:
        return {};
    }
}

QVariant KeyModel::sortValue(const KeySnapshot &key, int column)
{
    switch (column) {
    case State:
        return severityOf(key);
    case Poller:
        return key.key.poller;
    case Partition:
        return key.key.partition;
    case CircuitColumn:
        return static_cast<int>(key.schedule.circuit);
    case NextDue:
        return epoch(dueOf(key));
    case LastSuccess:
        return epoch(key.schedule.lastSuccessAt);
    case Lag:
        return key.lag ? qint64(key.lag->count()) : qint64(-1);
    case Errors:
        return key.recentErrors;
    case Outbox:
        return key.counts.outboxPending;
    case ParkedColumn:
        return key.counts.parked;
    case HeldColumn:
        return key.counts.held;
    case LeaseColumn:
        return key.lease ? key.lease->owner : QString();
    default:
        return QString::fromUtf8(key.liveCursor);
    }
}

QVariant KeyModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant(isNumber(section) ? Qt::AlignRight | Qt::AlignVCenter
                                          : Qt::AlignLeft | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case State:
        return tr("State");
    case Poller:
        return tr("Poller");
    case Partition:
        return tr("Partition");
    case CircuitColumn:
        return tr("Circuit");
    case NextDue:
        return tr("Next due");
    case LastSuccess:
        return tr("Last success");
    case Lag:
        return tr("Lag");
    case Errors:
        return tr("Errors 5 min");
    case Outbox:
        return tr("Outbox");
    case ParkedColumn:
        return tr("Parked");
    case HeldColumn:
        return tr("Held");
    case LeaseColumn:
        return tr("Lease");
    case CursorColumn:
        return tr("Cursor");
    default:
        return {};
    }
}

} // namespace watukuy::ui
