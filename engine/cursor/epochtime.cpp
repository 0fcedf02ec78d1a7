// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>

#include "engine/cursor/writtentime.h"

using namespace Qt::StringLiterals;

namespace watukuy::cursor {

namespace {

/// Longer numbers are no times.
constexpr qsizetype longest = 64;

/// A fraction is written as long as it was read, but never so long that the number cannot be read again:
/// `1e-60` is short, its fraction is not.
constexpr int mostFractionDigits = 30;

/// A decimal number taken apart: `sign digits * 10^-scale`, digits without leading zeros.
struct Decimal {
    bool negative = false;
    std::string digits;
    int scale = 0;
};

bool isDigit(QChar unit)
{
    return unit >= u'0' && unit <= u'9';
}

std::optional<int> readExponent(QStringView text)
{
    bool ok = false;
    const int exponent = text.toInt(&ok);
    if (!ok || text.size() > 4)
        return std::nullopt;
    return exponent;
}

std::optional<Decimal> readDecimal(QStringView text)
{
    Decimal number;
    if (text.size() > longest)
        return std::nullopt;
    if (text.startsWith(u'-') || text.startsWith(u'+')) {
        number.negative = text.front() == u'-';
        text = text.sliced(1);
    }
    bool fraction = false, any = false;
    qsizetype place = 0;
    for (; place < text.size(); ++place) {
        const QChar unit = text[place];
        if (unit == u'.' && !fraction) {
            fraction = true;
            continue;
        }
        if (!isDigit(unit))
            break;
        any = true;
        number.digits += static_cast<char>(unit.unicode());
        number.scale += fraction ? 1 : 0;
    }
    if (!any || text.endsWith(u'.'))
        return std::nullopt;
    if (place < text.size()) {
        if (text[place] != u'e' && text[place] != u'E')
            return std::nullopt;
        const auto exponent = readExponent(text.sliced(place + 1));
        if (!exponent || *exponent < -longest || *exponent > longest)
            return std::nullopt;
        number.scale -= *exponent;
    }
    if (number.scale < 0) {
        number.digits.append(static_cast<size_t>(-number.scale), '0');
        number.scale = 0;
    }
    return number;
}

/// Digits before the decimal point, leading zeros left out.
qsizetype magnitude(const Decimal &number)
{
    const auto whole = static_cast<qsizetype>(number.digits.size()) - number.scale;
    const size_t first = number.digits.find_first_not_of('0');
    return first == std::string::npos ? 0 : whole - static_cast<qsizetype>(first);
}

/// Up to 11 digits are seconds (until the year 5138), and three more for each finer unit.
int unitByMagnitude(qsizetype digits)
{
    if (digits <= 11)
        return 0;
    if (digits <= 14)
        return 3;
    return digits <= 17 ? 6 : 9;
}

std::optional<int> unitByName(QStringView unit)
{
    if (unit == "s"_L1)
        return 0;
    if (unit == "ms"_L1)
        return 3;
    if (unit == "us"_L1)
        return 6;
    if (unit == "ns"_L1)
        return 9;
    return std::nullopt;
}

/// The part of a second that so many digits can say. Cut before the sign is taken, so that it is cut
/// towards the past before 1970 as well.
qint64 floored(qint64 nanoseconds, int digits)
{
    qint64 step = 1;
    for (int place = digits; place < 9; ++place)
        step *= 10;
    return nanoseconds - nanoseconds % step;
}

/// The number counted in 10^-unitDigits seconds, rounded towards the past.
std::optional<Timestamp> toTime(const Decimal &number, int unitDigits)
{
    std::string digits = number.digits;
    const auto scale = static_cast<size_t>(number.scale + unitDigits);
    if (digits.size() <= scale)
        digits.insert(0, scale + 1 - digits.size(), '0');
    std::string whole = digits.substr(0, digits.size() - scale);
    std::string fraction = digits.substr(digits.size() - scale);
    whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size() - 1));
    if (whole.size() > 15)
        return std::nullopt;
    const bool cut = fraction.size() > 9 && fraction.find_first_not_of('0', 9) != std::string::npos;
    fraction.resize(9, '0');
    Timestamp at{std::stoll(whole), static_cast<qint32>(std::stol(fraction))};
    if (number.negative) {
        const qint64 nanoseconds = at.nanoseconds + (cut ? 1 : 0);
        at.seconds = -at.seconds - (nanoseconds > 0 ? 1 : 0);
        at.nanoseconds = static_cast<qint32>(nanoseconds > 0 ? 1'000'000'000 - nanoseconds : 0);
    }
    return at;
}

} // namespace

std::optional<WrittenTime> readEpoch(QStringView text, QStringView unit)
{
    const auto number = readDecimal(text);
    if (!number)
        return std::nullopt;
    EpochForm form;
    form.unitDigits = unitByName(unit).value_or(unitByMagnitude(magnitude(*number)));
    form.fractionDigits = std::min(number->scale, mostFractionDigits);
    const auto at = toTime(*number, form.unitDigits);
    if (!at)
        return std::nullopt;
    return WrittenTime{*at, form};
}

std::optional<WrittenTime> readDotNet(QStringView text)
{
    if (!text.startsWith("/Date("_L1) || !text.endsWith(")/"_L1))
        return std::nullopt;
    const QStringView inside = text.sliced(6, text.size() - 8);
    qsizetype end = inside.startsWith(u'-') ? 1 : 0;
    while (end < inside.size() && isDigit(inside[end]))
        ++end;
    const QStringView suffix = inside.sliced(end);
    if (!suffix.isEmpty() && (suffix.size() != 5 || (suffix[0] != u'+' && suffix[0] != u'-')))
        return std::nullopt;
    auto read = readEpoch(inside.first(end), u"ms");
    if (!read)
        return std::nullopt;
    return WrittenTime{read->at, DotNetForm{suffix.toString()}};
}

QString write(const Timestamp &at, const EpochForm &form)
{
    qint64 seconds = at.seconds;
    qint64 nanoseconds = floored(at.nanoseconds, form.unitDigits + form.fractionDigits);
    const bool negative = seconds < 0;
    if (negative) {
        seconds = -seconds - (nanoseconds > 0 ? 1 : 0);
        nanoseconds = nanoseconds > 0 ? 1'000'000'000 - nanoseconds : 0;
    }
    QString digits = QString::number(nanoseconds).rightJustified(9, u'0');
    digits = digits.leftJustified(form.unitDigits + form.fractionDigits, u'0', true);
    QString whole = QString::number(seconds) + digits.first(form.unitDigits);
    const qsizetype zeros = std::min<qsizetype>(whole.size() - 1, [&whole] {
        qsizetype count = 0;
        while (count < whole.size() && whole[count] == u'0')
            ++count;
        return count;
    }());
    whole.remove(0, zeros);
    if (form.fractionDigits > 0)
        whole += u'.' + digits.sliced(form.unitDigits);
    return negative ? u'-' + whole : whole;
}

QString write(const Timestamp &at, const DotNetForm &form)
{
    return u"/Date("_s + write(at, EpochForm{3, 0}) + form.suffix + u")/"_s;
}

} // namespace watukuy::cursor
