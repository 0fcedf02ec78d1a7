// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/keyfilter.h"

#include <QRegularExpression>

#include "ui/models/wording.h"

namespace watukuy::ui {

using namespace Qt::StringLiterals;

namespace {

using Condition = std::function<bool(const KeySnapshot &)>;
using Number = std::function<qint64(const KeySnapshot &)>;

QString withoutSpaces(QString text)
{
    return text.remove(u' ').remove(u'-').toLower();
}

const QHash<QString, Number> &numbers()
{
    static const QHash<QString, Number> known{
        {u"parked"_s, [](const KeySnapshot &key) { return key.counts.parked; }},
        {u"held"_s, [](const KeySnapshot &key) { return key.counts.held; }},
        {u"outbox"_s, [](const KeySnapshot &key) { return key.counts.outboxPending; }},
        {u"items"_s, [](const KeySnapshot &key) { return key.counts.items; }},
        {u"errors"_s, [](const KeySnapshot &key) { return qint64(key.recentErrors); }},
        {u"lag"_s, [](const KeySnapshot &key) { return key.lag ? qint64(key.lag->count()) : qint64(-1); }},
    };
    return known;
}

Condition numberCondition(const QString &name, QChar comparison, qint64 wanted)
{
    return [number = numbers().value(name), comparison, wanted](const KeySnapshot &key) {
        const qint64 value = number(key);
        return comparison == u'>' ? value > wanted : comparison == u'<' ? value < wanted : value == wanted;
    };
}

qint64 withUnit(const QString &digits, const QString &unit)
{
    const qint64 factor = unit == u"s" ? 1000 : unit == u"m" ? 60'000 : unit == u"h" ? 3'600'000 : 1;
    return digits.toLongLong() * factor;
}

Condition textCondition(const QString &text)
{
    return [text](const KeySnapshot &key) {
        return key.key.poller.contains(text, Qt::CaseInsensitive) ||
               key.key.partition.contains(text, Qt::CaseInsensitive) ||
               QString::fromUtf8(key.liveCursor).contains(text, Qt::CaseInsensitive) ||
               (key.schedule.lastError &&
                key.schedule.lastError->oneLine().contains(text, Qt::CaseInsensitive));
    };
}

Condition conditionOf(const QString &word)
{
    static const QRegularExpression comparison(u"^([a-z]+)([<>=])([0-9]+)(s|m|h)?$"_s);
    if (const auto match = comparison.match(word.toLower());
        match.hasMatch() && numbers().contains(match.captured(1)))
        return numberCondition(match.captured(1), match.captured(2).front(),
                               withUnit(match.captured(3), match.captured(4)));
    const QString value = word.section(u':', 1);
    if (word.startsWith(u"state:"_s) && !value.isEmpty())
        return [wanted = withoutSpaces(value)](const KeySnapshot &key) {
            return withoutSpaces(Wording::state(key.state)).contains(wanted) ||
                   QString(toString(key.state)).toLower().contains(wanted);
        };
    if (word.startsWith(u"poller:"_s) && !value.isEmpty())
        return
            [value](const KeySnapshot &key) { return key.key.poller.contains(value, Qt::CaseInsensitive); };
    if (word.startsWith(u"partition:"_s) && !value.isEmpty())
        return [value](const KeySnapshot &key) {
            return key.key.partition.contains(value, Qt::CaseInsensitive);
        };
    return textCondition(word);
}

} // namespace

KeyFilter::KeyFilter(const QString &line)
{
    for (const QString &word : line.split(u' ', Qt::SkipEmptyParts))
        m_conditions.push_back(conditionOf(word));
}

bool KeyFilter::accepts(const KeySnapshot &key) const
{
    return std::ranges::all_of(m_conditions, [&](const Condition &condition) { return condition(key); });
}

QStringList KeyFilter::beginnings()
{
    return {u"state:open"_s,    u"state:backing"_s, u"state:throttled"_s, u"state:paused"_s, u"state:idle"_s,
            u"state:polling"_s, u"poller:"_s,       u"partition:"_s,      u"parked>0"_s,     u"held>0"_s,
            u"outbox>0"_s,      u"errors>0"_s,      u"lag>5m"_s};
}

} // namespace watukuy::ui
