// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cursor/timestampvalue.h"

#include <QDateTime>
#include <QLocale>

#include "engine/cursor/localtime.h"
#include "engine/cursor/writtentime.h"

using namespace Qt::StringLiterals;

namespace watukuy::cursor {

namespace {

/// 0001-01-02T00:00:00Z: no date is moved further back, since a year before 1 is not written so that it can
/// be read again. The day is for zones behind UTC.
constexpr Timestamp firstDate{-62'135'510'400, 0};

/// True when a Qt format has an unquoted `t`: the text itself says its offset.
bool namesZone(QStringView format)
{
    bool quoted = false;
    for (const QChar unit : format) {
        if (unit == u'\'')
            quoted = !quoted;
        else if (unit == u't' && !quoted)
            return true;
    }
    return false;
}

Timestamp fromMs(qint64 ms)
{
    return toTimestamp(fromEpochMs(ms));
}

std::optional<WrittenTime> readWritten(const QString &text, const CursorDefinition &definition)
{
    const QString trimmed = text.trimmed();
    if (trimmed.isEmpty())
        return std::nullopt;
    for (const QString &format : definition.formats) {
        if (auto read = readQtFormat(trimmed, format, definition.timeZone))
            return read;
    }
    if (auto read = readIso(trimmed, definition.timeZone))
        return read;
    if (trimmed.startsWith(u'/'))
        return readDotNet(trimmed);
    // Digits that fit none of the declared formats are a broken date, not a count of seconds.
    if (definition.formats.isEmpty()) {
        if (auto read = readEpoch(trimmed, definition.unit))
            return read;
    }
    return readHttpDate(trimmed);
}

} // namespace

Instant Timestamp::toInstant() const
{
    return fromEpochMs(seconds * 1000 + nanoseconds / 1'000'000);
}

Timestamp toTimestamp(Instant instant)
{
    const qint64 ms = toEpochMs(instant);
    qint64 seconds = ms / 1000;
    qint64 rest = ms % 1000;
    if (rest < 0) {
        rest += 1000;
        --seconds;
    }
    return {seconds, static_cast<qint32>(rest * 1'000'000)};
}

Timestamp earlier(const Timestamp &at, Duration by)
{
    const Timestamp back = toTimestamp(Instant{by});
    Timestamp moved{at.seconds - back.seconds, at.nanoseconds - back.nanoseconds};
    if (moved.nanoseconds < 0) {
        moved.nanoseconds += 1'000'000'000;
        --moved.seconds;
    }
    return moved;
}

std::optional<WrittenTime> readQtFormat(const QString &text, const QString &format,
                                        const QByteArray &timeZone)
{
    const QLocale c = QLocale::c();
    if (namesZone(format)) {
        const QDateTime read = c.toDateTime(text, format);
        if (!read.isValid())
            return std::nullopt;
        return WrittenTime{fromMs(read.toMSecsSinceEpoch()), QtForm{format, true, read}};
    }
    // Read as UTC, so that the gaps of the machine's own zone do not get in the way.
    const QDateTime wall = c.toDateTime(text + u" Z"_s, format + u" t"_s);
    if (!wall.isValid())
        return std::nullopt;
    const Timestamp shown =
        fromMs(wall.date().startOfDay(Qt::UTC).toMSecsSinceEpoch() + wall.time().msecsSinceStartOfDay());
    return WrittenTime{{fromWallClock(shown.seconds, timeZone), shown.nanoseconds},
                       QtForm{format, false, {}}};
}

QString write(const Timestamp &at, const QtForm &form, const QByteArray &timeZone)
{
    const QLocale c = QLocale::c();
    if (form.ownZone) {
        const qint64 distance = toEpochMs(at.toInstant()) - form.read.toMSecsSinceEpoch();
        return c.toString(form.read.addMSecs(distance), form.format);
    }
    const Timestamp wall{toWallClock(at.seconds, timeZone), at.nanoseconds};
    return c.toString(QDateTime::fromMSecsSinceEpoch(toEpochMs(wall.toInstant()), Qt::UTC), form.format);
}

std::optional<Timestamp> readTimestamp(const QString &text, const CursorDefinition &definition)
{
    if (const auto read = readWritten(text, definition))
        return read->at;
    return std::nullopt;
}

std::optional<QString> movedBack(const QString &text, Duration by, const CursorDefinition &definition)
{
    const auto read = readWritten(text, definition);
    if (!read)
        return std::nullopt;
    const Timestamp at = earlier(read->at, by);
    const Timestamp date = std::max(at, std::min(read->at, firstDate));
    return std::visit(
        [&](const auto &form) -> QString {
            using Form = std::decay_t<decltype(form)>;
            if constexpr (std::is_same_v<Form, IsoForm> || std::is_same_v<Form, QtForm>)
                return write(date, form, definition.timeZone);
            else if constexpr (std::is_same_v<Form, HttpForm>)
                return write(date, form);
            else
                return write(at, form);
        },
        read->form);
}

} // namespace watukuy::cursor
