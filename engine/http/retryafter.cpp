// SPDX-License-Identifier: GPL-3.0-or-later
// Retry-After: seconds or one of the three date forms of RFC 9110 5.6.7.
#include <cmath>

#include <QRegularExpression>

#include "engine/http/headers.h"

namespace watukuy::http {

using namespace Qt::StringLiterals;

namespace {

/// A wait beyond this is a mistake of the API, not an instruction.
constexpr double longestSeconds = 10.0 * 365 * 86'400;

int monthOf(const QString &name)
{
    static const QString names = u"janfebmaraprmayjunjulaugsepoctnovdec"_s;
    const qsizetype at = names.indexOf(name.left(3).toLower());
    return at < 0 || at % 3 != 0 ? 0 : int(at / 3) + 1;
}

} // namespace

std::optional<Instant> readHttpDate(const QString &text, Instant now)
{
    static const QRegularExpression dayFirst(
        uR"(^[A-Za-z]+,\s*(?<day>\d{1,2})[ -](?<month>[A-Za-z]{3})[ -](?<year>\d{2}|\d{4})\s+(?<time>\d{2}:\d{2}:\d{2})\s+(?:GMT|UTC)$)"_s);
    static const QRegularExpression asctime(
        uR"(^[A-Za-z]{3}\s+(?<month>[A-Za-z]{3})\s+(?<day>\d{1,2})\s+(?<time>\d{2}:\d{2}:\d{2})\s+(?<year>\d{4})$)"_s);
    auto match = dayFirst.match(text);
    if (!match.hasMatch())
        match = asctime.match(text);
    if (!match.hasMatch())
        return std::nullopt;
    int year = match.captured(u"year").toInt();
    if (match.capturedLength(u"year") == 2) {
        const int thisYear = QDateTime::fromMSecsSinceEpoch(toEpochMs(now), QTimeZone::utc()).date().year();
        const int latest = thisYear + 50; // RFC 9110: more than 50 years ahead means the past
        year = latest - (latest - year) % 100;
    }
    const QDate date(year, monthOf(match.captured(u"month")), match.captured(u"day").toInt());
    QString clock = match.captured(u"time");
    const bool leapSecond = clock.endsWith(u":60");
    if (leapSecond)
        clock.replace(6, 2, u"59"_s);
    const QTime time = QTime::fromString(clock, u"HH:mm:ss"_s);
    if (!date.isValid() || !time.isValid())
        return std::nullopt;
    const qint64 ms = QDateTime(date, time, QTimeZone::utc()).toMSecsSinceEpoch();
    return fromEpochMs(ms + (leapSecond ? 1000 : 0));
}

std::optional<Duration> readRetryAfter(QByteArrayView value, Instant now)
{
    const QString text = QString::fromLatin1(value).trimmed();
    static const QRegularExpression seconds(uR"(^\d+(?:\.\d+)?$)"_s);
    if (seconds.match(text).hasMatch()) {
        const double count = text.toDouble();
        if (count > longestSeconds)
            return std::nullopt;
        return Duration{std::llround(count * 1000)};
    }
    const auto date = readHttpDate(text, now);
    if (!date || *date - now > Duration{qint64(longestSeconds * 1000)})
        return std::nullopt;
    return std::max(Duration{0}, *date - now);
}

} // namespace watukuy::http
