// SPDX-License-Identifier: GPL-3.0-or-later
#include <chrono>

#include "engine/cursor/localtime.h"
#include "engine/cursor/writtentime.h"

namespace watukuy::cursor {

namespace {

/// Reads a text from left to right; every function says whether it found what it wants.
class Reader {
public:
    explicit Reader(QStringView text)
        : m_text(text)
    {
    }

    [[nodiscard]] bool atEnd() const { return m_place >= m_text.size(); }
    [[nodiscard]] QChar peek() const { return atEnd() ? QChar() : m_text[m_place]; }
    [[nodiscard]] qsizetype place() const { return m_place; }
    [[nodiscard]] QStringView since(qsizetype from) const { return m_text.sliced(from, m_place - from); }

    bool take(QChar wanted)
    {
        if (peek() != wanted || atEnd())
            return false;
        ++m_place;
        return true;
    }

    /// Exactly `count` ASCII digits.
    bool number(int count, int &value)
    {
        if (m_text.size() - m_place < count)
            return false;
        int read = 0;
        for (int i = 0; i < count; ++i) {
            const char16_t unit = m_text[m_place + i].unicode();
            if (unit < u'0' || unit > u'9')
                return false;
            read = read * 10 + (unit - u'0');
        }
        m_place += count;
        value = read;
        return true;
    }

    /// Digits of a fraction as nanoseconds; what is finer is cut off. Returns how many there were.
    int fraction(qint32 &nanoseconds)
    {
        int digits = 0;
        nanoseconds = 0;
        for (; !atEnd() && peek() >= u'0' && peek() <= u'9'; ++m_place, ++digits) {
            if (digits < 9)
                nanoseconds = nanoseconds * 10 + (m_text[m_place].unicode() - u'0');
        }
        for (int i = digits; i < 9; ++i)
            nanoseconds *= 10;
        return digits;
    }

    bool word(QLatin1StringView wanted)
    {
        if (!m_text.sliced(m_place).startsWith(wanted, Qt::CaseInsensitive))
            return false;
        m_place += wanted.size();
        return true;
    }

private:
    QStringView m_text;
    qsizetype m_place = 0;
};

bool readDate(Reader &reader, qint64 &days)
{
    int year = 0, month = 0, day = 0;
    if (!reader.number(4, year) || !reader.take(u'-') || !reader.number(2, month) || !reader.take(u'-') ||
        !reader.number(2, day)) {
        return false;
    }
    using namespace std::chrono;
    const year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                              std::chrono::day{static_cast<unsigned>(day)}};
    if (!date.ok())
        return false;
    days = sys_days{date}.time_since_epoch().count();
    return true;
}

bool readTime(Reader &reader, IsoForm &form, qint64 &seconds, qint32 &nanoseconds)
{
    int hour = 0, minute = 0, second = 0;
    if (!reader.number(2, hour) || !reader.take(u':') || !reader.number(2, minute))
        return false;
    form.seconds = reader.take(u':');
    if (form.seconds) {
        if (!reader.number(2, second))
            return false;
        if (const QChar mark = reader.peek(); mark == u'.' || mark == u',') {
            reader.take(mark);
            form.fractionMark = mark;
            form.fractionDigits = reader.fraction(nanoseconds);
            if (form.fractionDigits == 0)
                return false;
        }
    }
    const bool midnightAtEnd = hour == 24 && minute == 0 && second == 0 && nanoseconds == 0;
    // Second 60 is a leap second: it is the first moment of the next minute.
    if ((hour > 23 && !midnightAtEnd) || minute > 59 || second > 60)
        return false;
    seconds = hour * 3600 + minute * 60 + second;
    return true;
}

bool readZone(Reader &reader, IsoForm &form)
{
    const qsizetype start = reader.place();
    reader.take(u' ');
    if (reader.atEnd())
        return start == reader.place();
    const QChar first = reader.peek();
    if (first == u'+' || first == u'-') {
        reader.take(first);
        int hours = 0, minutes = 0;
        if (!reader.number(2, hours))
            return false;
        const bool colon = reader.take(u':');
        if (!reader.atEnd() || colon) {
            if (!reader.number(2, minutes))
                return false;
        }
        if (hours > 23 || minutes > 59)
            return false;
        form.offsetSeconds = (hours * 3600 + minutes * 60) * (first == u'-' ? -1 : 1);
    } else if (!reader.word(QLatin1StringView("Z")) && !reader.word(QLatin1StringView("UTC")) &&
               !reader.word(QLatin1StringView("GMT"))) {
        return false;
    }
    form.zone = reader.since(start).toString();
    return reader.atEnd();
}

void appendPadded(QString &text, qint64 value, int width)
{
    const QString digits = QString::number(value);
    text += QString(qMax<qsizetype>(0, width - digits.size()), u'0') + digits;
}

} // namespace

std::optional<WrittenTime> readIso(QStringView text, const QByteArray &timeZone)
{
    Reader reader(text);
    IsoForm form;
    qint64 days = 0, seconds = 0;
    qint32 nanoseconds = 0;
    if (!readDate(reader, days))
        return std::nullopt;
    if (!reader.atEnd()) {
        form.separator = reader.peek();
        if (!reader.take(u'T') && !reader.take(u't') && !reader.take(u' '))
            return std::nullopt;
        if (!readTime(reader, form, seconds, nanoseconds) || !readZone(reader, form))
            return std::nullopt;
    }
    const qint64 wall = days * 86'400 + seconds;
    const qint64 at = form.zone.isEmpty() ? fromWallClock(wall, timeZone) : wall - form.offsetSeconds;
    return WrittenTime{{at, nanoseconds}, std::move(form)};
}

QString write(const Timestamp &at, const IsoForm &form, const QByteArray &timeZone)
{
    const qint64 wall =
        form.zone.isEmpty() ? toWallClock(at.seconds, timeZone) : at.seconds + form.offsetSeconds;
    const CivilTime civil = civilFromSeconds(wall);
    QString text;
    text.reserve(40);
    appendPadded(text, civil.year, 4);
    text += u'-';
    appendPadded(text, civil.month, 2);
    text += u'-';
    appendPadded(text, civil.day, 2);
    if (form.separator.isNull())
        return text;
    text += form.separator;
    appendPadded(text, civil.hour, 2);
    text += u':';
    appendPadded(text, civil.minute, 2);
    if (form.seconds) {
        text += u':';
        appendPadded(text, civil.second, 2);
    }
    if (form.fractionDigits > 0) {
        QString fraction;
        appendPadded(fraction, at.nanoseconds, 9);
        text += form.fractionMark + fraction.leftJustified(form.fractionDigits, u'0', true);
    }
    return text + form.zone;
}

} // namespace watukuy::cursor
