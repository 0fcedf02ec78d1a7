// SPDX-License-Identifier: GPL-3.0-or-later
// Retry-After: bounds, dates of every form that are written and read, and what follows when a second passes.
#include <algorithm>
#include <array>

#include <QLocale>

#include "engine/http/headers.h"
#include "tests/fuzz/property.h"

using namespace Qt::StringLiterals;
using namespace watukuy;
using namespace std::chrono_literals;
using fuzz::require;
using http::readRetryAfter;

namespace {

constexpr Instant now = fromEpochMs(1'780'317'296'000);         // 2026-06-01T12:34:56Z
constexpr Instant centurysEnd = fromEpochMs(4'102'444'799'000); // 2099-12-31T23:59:59Z
constexpr Duration longest = std::chrono::days{3650};

/// A date within ten years of `from` is read as the wait until then, in each form of RFC 9110 5.6.7.
void checkWrittenDate(quint32 number, Instant from)
{
    constexpr qint64 tenYears = 10LL * 365 * 86'400;
    const qint64 ahead = qint64(number) % (2 * tenYears) - tenYears;
    const QDateTime at = QDateTime::fromMSecsSinceEpoch(toEpochMs(from) + ahead * 1000, Qt::UTC);
    const Duration expected = std::max(Duration{0}, Duration{ahead * 1000});
    const QLocale c = QLocale::c();
    const QString padded = QString::number(at.date().day()).rightJustified(2);
    for (const QString &text : std::array{
             c.toString(at, u"ddd, dd MMM yyyy HH:mm:ss 'GMT'"_s),
             c.toString(at, u"dddd, dd-MMM-yy HH:mm:ss 'GMT'"_s),
             c.toString(at, u"ddd MMM "_s) + padded + c.toString(at, u" HH:mm:ss yyyy"_s),
         }) {
        const auto read = readRetryAfter(text.toLatin1(), from);
        require(read == expected, "a date is the wait until it",
                {{"text", text}, {"expected ms", expected.count()}, {"read ms", read ? read->count() : -1}});
    }
}

void checkNumber(const QByteArray &value, const std::optional<Duration> &wait)
{
    const bool isWhole =
        !value.isEmpty() && std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
    if (!isWhole)
        return;
    QByteArray digits = value;
    while (digits.size() > 1 && digits.startsWith('0'))
        digits.remove(0, 1);
    if (digits.size() > 9)
        require(!wait, "a wait of decades is a mistake", {{"value", value}});
    else if (const qint64 seconds = digits.toLongLong(); Duration{seconds * 1000} <= longest)
        require(wait == Duration{seconds * 1000}, "a number is a wait in seconds", {{"value", value}});
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz::Input input(data, size);
    quint32 number = 0;
    for (int at = 0; at < 4; ++at)
        number = number << 8 | input.byte();
    checkWrittenDate(number, now);
    checkWrittenDate(number, centurysEnd);

    const QByteArray value = input.rest();
    const auto wait = readRetryAfter(value, now);
    require(readRetryAfter(" \t" + value + ' ', now) == wait, "spaces around a value do not matter",
            {{"value", value}});
    checkNumber(value, wait);
    if (!wait)
        return 0;
    require(*wait >= Duration{0} && *wait <= longest, "a wait is neither negative nor for ever",
            {{"value", value}, {"ms", wait->count()}});
    const auto later = readRetryAfter(value, now + 1s);
    require(later == wait || later == std::max(Duration{0}, *wait - 1s),
            "a second later a wait is the same or a second shorter",
            {{"value", value}, {"ms", wait->count()}, {"later ms", later ? later->count() : -1}});
    return 0;
}
