// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <chrono>

#include <QList>

#include "engine/cursor/localtime.h"
#include "engine/cursor/writtentime.h"

using namespace Qt::StringLiterals;

namespace watukuy::cursor {

namespace {

constexpr std::array monthNames{"Jan"_L1, "Feb"_L1, "Mar"_L1, "Apr"_L1, "May"_L1, "Jun"_L1,
                                "Jul"_L1, "Aug"_L1, "Sep"_L1, "Oct"_L1, "Nov"_L1, "Dec"_L1};
constexpr std::array dayNames{"Sunday"_L1,   "Monday"_L1, "Tuesday"_L1, "Wednesday"_L1,
                              "Thursday"_L1, "Friday"_L1, "Saturday"_L1};

std::optional<int> digits(QStringView text, qsizetype atLeast, qsizetype atMost)
{
    if (text.size() < atLeast || text.size() > atMost)
        return std::nullopt;
    int value = 0;
    for (const QChar unit : text) {
        if (unit < u'0' || unit > u'9')
            return std::nullopt;
        value = value * 10 + (unit.unicode() - u'0');
    }
    return value;
}

std::optional<int> monthNumber(QStringView text)
{
    for (size_t i = 0; i < monthNames.size(); ++i) {
        if (text.compare(monthNames[i], Qt::CaseInsensitive) == 0)
            return static_cast<int>(i) + 1;
    }
    return std::nullopt;
}

bool isDayName(QStringView text)
{
    for (const QLatin1StringView name : dayNames) {
        if (text.compare(name, Qt::CaseInsensitive) == 0 ||
            text.compare(name.first(3), Qt::CaseInsensitive) == 0)
            return true;
    }
    return false;
}

std::optional<qint64> secondsOfDay(QStringView text)
{
    if (text.size() != 8 || text[2] != u':' || text[5] != u':')
        return std::nullopt;
    const auto hour = digits(text.first(2), 2, 2);
    const auto minute = digits(text.sliced(3, 2), 2, 2);
    const auto second = digits(text.sliced(6), 2, 2);
    if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60)
        return std::nullopt;
    return *hour * 3600 + *minute * 60 + *second;
}

std::optional<qint64> offset(QStringView zone)
{
    if (zone.compare("GMT"_L1, Qt::CaseInsensitive) == 0 ||
        zone.compare("UTC"_L1, Qt::CaseInsensitive) == 0 || zone.compare("UT"_L1, Qt::CaseInsensitive) == 0 ||
        zone.compare("Z"_L1, Qt::CaseInsensitive) == 0) {
        return 0;
    }
    if (zone.size() != 5 || (zone[0] != u'+' && zone[0] != u'-'))
        return std::nullopt;
    const auto hours = digits(zone.sliced(1, 2), 2, 2);
    const auto minutes = digits(zone.sliced(3), 2, 2);
    if (!hours || !minutes || *minutes > 59)
        return std::nullopt;
    return (*hours * 3600 + *minutes * 60) * (zone[0] == u'-' ? -1 : 1);
}

/// Two digits name a year of 1970 to 2069; the rule of RFC 9110 5.6.7 (never more than 50 years ahead)
/// needs a clock, which reading has not.
int fullYear(int lastDigits)
{
    return lastDigits < 70 ? 2000 + lastDigits : 1900 + lastDigits;
}

struct Parts {
    QStringView day, month, year, time, zone;
};

std::optional<WrittenTime> assemble(const Parts &parts, HttpForm form)
{
    const auto day = digits(parts.day, 1, 2);
    const auto month = monthNumber(parts.month);
    form.shortYear = form.kind == HttpForm::Kind::Rfc850 && parts.year.size() == 2;
    const qsizetype yearDigits = form.shortYear ? 2 : 4;
    const auto year = digits(parts.year, yearDigits, yearDigits);
    const auto time = secondsOfDay(parts.time);
    const auto zone = form.kind == HttpForm::Kind::Asctime ? std::optional<qint64>{0} : offset(parts.zone);
    if (!day || !month || !year || !time || !zone)
        return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year{form.shortYear ? fullYear(*year) : *year},
                                           std::chrono::month{static_cast<unsigned>(*month)},
                                           std::chrono::day{static_cast<unsigned>(*day)}};
    if (!date.ok())
        return std::nullopt;
    form.offsetSeconds = *zone;
    form.zone = parts.zone.toString();
    const qint64 days = std::chrono::sys_days{date}.time_since_epoch().count();
    return WrittenTime{{days * 86'400 + *time - *zone, 0}, std::move(form)};
}

QString twoDigits(qint64 value)
{
    return QString::number(value).rightJustified(2, u'0');
}

} // namespace

std::optional<WrittenTime> readHttpDate(QStringView text)
{
    QList<QStringView> words = text.split(u' ', Qt::SkipEmptyParts);
    HttpForm form;
    form.weekday = false;
    if (!words.isEmpty()) {
        QStringView first = words.first();
        if (first.endsWith(u','))
            first.chop(1);
        if (isDayName(first)) {
            form.weekday = true;
            words.removeFirst();
        }
    }
    if (words.size() == 5) { // 21 Oct 2015 07:28:00 GMT
        return assemble({words[0], words[1], words[2], words[3], words[4]}, form);
    }
    if (words.size() == 3) { // 21-Oct-15 07:28:00 GMT
        const QList<QStringView> date = words[0].split(u'-');
        if (date.size() != 3)
            return std::nullopt;
        form.kind = HttpForm::Kind::Rfc850;
        return assemble({date[0], date[1], date[2], words[1], words[2]}, form);
    }
    if (words.size() == 4 && form.weekday) { // Wed Oct 21 07:28:00 2015
        form.kind = HttpForm::Kind::Asctime;
        return assemble({words[1], words[0], words[3], words[2], {}}, form);
    }
    return std::nullopt;
}

QString write(const Timestamp &at, const HttpForm &form)
{
    const CivilTime civil = civilFromSeconds(at.seconds + form.offsetSeconds);
    const QString time =
        twoDigits(civil.hour) + u':' + twoDigits(civil.minute) + u':' + twoDigits(civil.second);
    const QString month = monthNames[civil.month - 1];
    const QString weekday = dayNames[static_cast<size_t>(civil.weekday)];
    const bool isShort = form.shortYear && fullYear(civil.year % 100) == civil.year;
    const QString year =
        isShort ? twoDigits(civil.year % 100) : QString::number(civil.year).rightJustified(4, u'0');
    switch (form.kind) {
    case HttpForm::Kind::Asctime:
        return weekday.first(3) + u' ' + month + u' ' + QString::number(civil.day).rightJustified(2) + u' ' +
               time + u' ' + year;
    case HttpForm::Kind::Rfc850:
        return (form.weekday ? weekday + u", "_s : QString()) + twoDigits(civil.day) + u'-' + month + u'-' +
               year + u' ' + time + u' ' + form.zone;
    case HttpForm::Kind::Fixdate:
        break;
    }
    return (form.weekday ? weekday.first(3) + u", "_s : QString()) + twoDigits(civil.day) + u' ' + month +
           u' ' + year + u' ' + time + u' ' + form.zone;
}

} // namespace watukuy::cursor
