// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/definition/activewindows.h"

#include <algorithm>
#include <array>

#include <QDateTime>
#include <QStringList>

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

constexpr Duration minute = std::chrono::minutes{1};
/// Every date and weekday come together within it, also 29 February around a year like 2100.
constexpr int longestSearchDays = 41 * 366;

struct Field {
    QString name;
    int least = 0;
    int most = 0;
    QStringList words; ///< of the values from `least` on
};

const Field &field(qsizetype index)
{
    static const std::array fields{
        Field{u"minute"_s, 0, 59, {}}, Field{u"hour"_s, 0, 23, {}}, Field{u"day of month"_s, 1, 31, {}},
        Field{u"month"_s,
              1,
              12,
              {u"jan"_s, u"feb"_s, u"mar"_s, u"apr"_s, u"may"_s, u"jun"_s, u"jul"_s, u"aug"_s, u"sep"_s,
               u"oct"_s, u"nov"_s, u"dec"_s}},
        Field{
            u"day of week"_s, 0, 7, {u"sun"_s, u"mon"_s, u"tue"_s, u"wed"_s, u"thu"_s, u"fri"_s, u"sat"_s}}};
    return fields.at(static_cast<size_t>(index));
}

Error unreadable(const QString &detail)
{
    return {.kind = ErrorKind::Workspace,
            .name = u"ActiveWindowError"_s,
            .title = u"An active window cannot be read"_s,
            .detail = detail,
            .nextStep = u"Five fields as in a crontab: minute, hour, day of month, month, day of week; "
                        "\"* 8-17 * * mon-fri\" is every minute from 08:00 to 17:59 on weekdays."_s};
}

std::optional<int> valueOf(const Field &field, const QString &text)
{
    const qsizetype word = field.words.indexOf(text.toLower());
    if (word >= 0)
        return field.least + static_cast<int>(word);
    bool isNumber = false;
    const int value = text.toInt(&isNumber);
    const bool isPlain = std::ranges::all_of(text, [](QChar c) { return c >= u'0' && c <= u'9'; });
    if (!isNumber || !isPlain || value < field.least || value > field.most)
        return {};
    return value;
}

/// `*`, `8`, `8-17`, each with `/2` or without.
Result<void> readPart(const Field &field, const QString &part, std::bitset<60> &into)
{
    const auto wrong = [&](const QString &why) {
        return fail(unreadable(u"\"%1\" as %2: %3"_s.arg(part, field.name, why)));
    };
    const QStringList halves = part.split(u'/');
    const QStringList ends = halves.first().split(u'-');
    const bool isAll = halves.first() == u"*";
    if (halves.size() > 2 || ends.size() > 2)
        return wrong(u"there is one \"-\" and one \"/\" at most"_s);
    const auto first = isAll ? field.least : valueOf(field, ends.first());
    auto last = isAll ? field.most : valueOf(field, ends.last());
    if (!first || !last)
        return wrong(u"a value goes from %1 to %2"_s.arg(field.least).arg(field.most));
    int step = 1;
    if (halves.size() == 2) {
        bool isNumber = false;
        step = halves.last().toInt(&isNumber);
        if (!isNumber || step < 1)
            return wrong(u"the step after \"/\" is a number from 1"_s);
        step = std::min(step, field.most + 1); // two values are never further apart
        if (ends.size() == 1)
            last = field.most;
    }
    if (*last < *first)
        return wrong(u"the range ends before it begins"_s);
    for (int value = *first; value <= *last; value += step)
        into.set(static_cast<size_t>(value));
    return {};
}

Result<std::bitset<60>> readField(qsizetype index, const QString &text)
{
    std::bitset<60> values;
    for (const QString &part : text.split(u',')) {
        if (auto read = readPart(field(index), part, values); !read)
            return fail(read.error());
    }
    return values;
}

template <size_t size>
void copy(const std::bitset<60> &from, std::bitset<size> &into)
{
    for (size_t value = 0; value < size; ++value)
        into.set(value, from.test(value));
}

Instant instantOf(const QDateTime &at)
{
    return Instant{Duration{at.toMSecsSinceEpoch()}};
}

} // namespace

Result<void> ActiveWindows::add(const QString &line, const QTimeZone &local)
{
    QStringList fields = line.simplified().split(u' ');
    Line window{.zone = local};
    if (fields.first().startsWith(u"CRON_TZ=")) {
        const QByteArray zone = fields.takeFirst().mid(8).toUtf8();
        window.zone = QTimeZone(zone);
        if (!window.zone.isValid())
            return fail(unreadable(u"The time zone \"%1\" is not known here"_s.arg(QString::fromUtf8(zone))));
    }
    if (fields.size() != 5)
        return fail(unreadable(u"\"%1\" has %2 fields, not five"_s.arg(line).arg(fields.size())));
    std::array<std::bitset<60>, 5> values;
    for (qsizetype index = 0; index < fields.size(); ++index) {
        auto read = readField(index, fields[index]);
        if (!read)
            return fail(read.error());
        values.at(static_cast<size_t>(index)) = *read;
    }
    copy(values[0], window.minutes);
    copy(values[1], window.hours);
    copy(values[2], window.days);
    copy(values[3], window.months);
    copy(values[4], window.weekdays);
    if (values[4].test(7))
        window.weekdays.set(0);
    window.anyDay = fields[2].startsWith(u'*');
    window.anyWeekday = fields[4].startsWith(u'*');
    if (!window.nextActive(Instant{}))
        return fail(unreadable(u"No minute fits \"%1\": it would never ask"_s.arg(line)));
    m_lines.push_back(std::move(window));
    return {};
}

bool ActiveWindows::isActive(Instant at) const
{
    return m_lines.empty() ||
           std::ranges::any_of(m_lines, [at](const Line &line) { return line.isActive(at); });
}

Instant ActiveWindows::nextActive(Instant from) const
{
    std::optional<Instant> earliest;
    for (const Line &line : m_lines) {
        if (const auto next = line.nextActive(from); next && (!earliest || *next < *earliest))
            earliest = next;
    }
    return earliest.value_or(from);
}

bool ActiveWindows::Line::hasDate(const QDate &date) const
{
    if (!months.test(static_cast<size_t>(date.month())))
        return false;
    const bool dayFits = days.test(static_cast<size_t>(date.day()));
    const bool weekdayFits = weekdays.test(static_cast<size_t>(date.dayOfWeek() % 7));
    return anyDay || anyWeekday ? dayFits && weekdayFits : dayFits || weekdayFits;
}

bool ActiveWindows::Line::isActive(Instant at) const
{
    const QDateTime local = QDateTime::fromMSecsSinceEpoch(at.time_since_epoch().count(), zone);
    return hasDate(local.date()) && hours.test(static_cast<size_t>(local.time().hour())) &&
           minutes.test(static_cast<size_t>(local.time().minute()));
}

/// Goes forward by days, then within the day by minutes: each is asked of the instant itself, so that a
/// day with 23 or 25 hours needs no care.
std::optional<Instant> ActiveWindows::Line::nextActive(Instant from) const
{
    if (isActive(from))
        return from;
    QDate date = QDateTime::fromMSecsSinceEpoch(from.time_since_epoch().count(), zone).date();
    Instant at = std::chrono::ceil<std::chrono::minutes>(from);
    for (int day = 0; day < longestSearchDays; ++day, date = date.addDays(1)) {
        if (!hasDate(date))
            continue;
        const Instant dayEnds = instantOf(date.addDays(1).startOfDay(zone));
        at = std::max(at, instantOf(date.startOfDay(zone)));
        while (at < dayEnds) {
            if (isActive(at))
                return at;
            const QTime local = QDateTime::fromMSecsSinceEpoch(at.time_since_epoch().count(), zone).time();
            const bool hourFits = hours.test(static_cast<size_t>(local.hour()));
            at += hourFits ? minute : Duration{std::chrono::minutes{60 - local.minute()}};
        }
    }
    return {};
}

} // namespace watukuy
