// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/json/token.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <double-conversion/double-conversion.h>

#include <QStringDecoder>

#include "engine/json/rawvalue.h"

namespace watukuy::json {

QString wellFormed(QString text)
{
    constexpr char16_t replacement = 0xfffd;
    for (qsizetype at = 0; at < text.size(); ++at) {
        if (!text.at(at).isSurrogate())
            continue;
        if (text.at(at).isHighSurrogate() && at + 1 < text.size() && text.at(at + 1).isLowSurrogate())
            ++at;
        else
            text[at] = replacement;
    }
    return text;
}

namespace {

std::optional<char16_t> hexUnit(QByteArrayView digits)
{
    if (digits.size() != 4)
        return {};
    char16_t unit = 0;
    for (const char digit : digits) {
        const int value = digit >= '0' && digit <= '9'   ? digit - '0'
                          : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                          : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
                                                         : -1;
        if (value < 0)
            return {};
        unit = static_cast<char16_t>(unit * 16 + value);
    }
    return unit;
}

std::optional<char16_t> shortEscape(char letter)
{
    switch (letter) {
    case '"':
    case '\\':
    case '/':
        return static_cast<char16_t>(letter);
    case 'b':
        return u'\b';
    case 'f':
        return u'\f';
    case 'n':
        return u'\n';
    case 'r':
        return u'\r';
    case 't':
        return u'\t';
    default:
        return {};
    }
}

/// What stands in a string without an escape (RFC 8259 section 7).
bool isPlain(char character)
{
    return static_cast<unsigned char>(character) >= 0x20 && character != '"' && character != '\\';
}

/// A decimal number as its significant digits and where the point is: 0.DIGITS x 10^point.
struct Decimal {
    bool negative = false;
    QByteArray digits; ///< no leading or trailing zeros; empty = zero
    qint64 point = 0;
    bool isBeyondCounting = false; ///< the exponent has more digits than `point` can hold

    bool operator==(const Decimal &) const = default;
};

bool isDigit(char character)
{
    return character >= '0' && character <= '9';
}

/// Follows the grammar of RFC 8259 section 6, nothing else is a number.
class NumberReader {
public:
    explicit NumberReader(QByteArrayView token)
        : m_token(token)
    {
    }

    std::optional<Decimal> read()
    {
        Decimal number;
        number.negative = take('-');
        const QByteArrayView whole = digits();
        if (whole.isEmpty() || (whole.size() > 1 && whole.front() == '0'))
            return {};
        QByteArrayView fraction;
        if (take('.')) {
            fraction = digits();
            if (fraction.isEmpty())
                return {};
        }
        qint64 exponent = 0;
        if (take('e') || take('E')) {
            const bool negative = take('-');
            if (!negative)
                take('+');
            const QByteArrayView power = digits();
            if (power.isEmpty())
                return {};
            const auto counted = counts(power);
            number.isBeyondCounting = !counted;
            exponent = negative ? -counted.value_or(0) : counted.value_or(0);
        }
        if (m_at != m_token.size())
            return {};
        number.digits = whole.toByteArray() + fraction.toByteArray();
        number.point = whole.size() + exponent;
        normalise(number);
        return number;
    }

private:
    bool take(char wanted)
    {
        if (m_at >= m_token.size() || m_token.at(m_at) != wanted)
            return false;
        ++m_at;
        return true;
    }

    QByteArrayView digits()
    {
        const qsizetype start = m_at;
        while (m_at < m_token.size() && isDigit(m_token.at(m_at)))
            ++m_at;
        return m_token.sliced(start, m_at - start);
    }

    static std::optional<qint64> counts(QByteArrayView power)
    {
        constexpr qint64 farAway = 1'000'000'000'000'000;
        qint64 value = 0;
        for (const char digit : power) {
            value = value * 10 + (digit - '0');
            if (value > farAway)
                return {};
        }
        return value;
    }

    static void normalise(Decimal &number)
    {
        qsizetype leading = 0;
        while (leading < number.digits.size() && number.digits.at(leading) == '0')
            ++leading;
        number.digits.remove(0, leading);
        number.point -= leading;
        while (number.digits.endsWith('0'))
            number.digits.chop(1);
        if (number.digits.isEmpty())
            number = Decimal{};
    }

    QByteArrayView m_token;
    qsizetype m_at = 0;
};

Decimal shortestOf(double value)
{
    std::array<char, double_conversion::DoubleToStringConverter::kBase10MaximalLength + 1> buffer{};
    bool negative = false;
    int length = 0;
    int point = 0;
    double_conversion::DoubleToStringConverter::DoubleToAscii(
        value, double_conversion::DoubleToStringConverter::SHORTEST, 0, buffer.data(),
        static_cast<int>(buffer.size()), &negative, &length, &point);
    return {negative, QByteArray(buffer.data(), length), point};
}

/// The layout of ECMAScript's Number::toString (which RFC 8785 uses) for any number of digits.
QByteArray laidOut(const Decimal &number)
{
    constexpr qint64 mostPlaces = 21;
    constexpr qint64 mostLeadingZeros = -6;
    const qint64 count = number.digits.size();
    QByteArray text = number.negative ? "-" : "";
    if (number.point > 0 && number.point <= mostPlaces) {
        if (count <= number.point)
            return text + number.digits + QByteArray(number.point - count, '0');
        return text + number.digits.left(number.point) + '.' + number.digits.mid(number.point);
    }
    if (number.point <= 0 && number.point > mostLeadingZeros)
        return text + "0." + QByteArray(-number.point, '0') + number.digits;
    text += number.digits.left(1);
    if (count > 1)
        text += '.' + number.digits.mid(1);
    const qint64 exponent = number.point - 1;
    return text + (exponent < 0 ? "e-" : "e+") + QByteArray::number(std::abs(exponent));
}

} // namespace

QString textOfUtf8(QByteArrayView bytes)
{
    if (!bytes.startsWith("\xEF\xBB\xBF"))
        return QString::fromUtf8(bytes);
    QStringDecoder decode(QStringDecoder::Utf8,
                          QStringDecoder::Flag::Stateless | QStringDecoder::Flag::ConvertInitialBom);
    return decode(bytes);
}

std::optional<QString> textOfString(QByteArrayView token)
{
    if (token.size() < 2 || token.front() != '"' || token.back() != '"')
        return {};
    const QByteArrayView inside = token.sliced(1, token.size() - 2);
    if (std::ranges::all_of(inside, isPlain))
        return textOfUtf8(inside);
    QString text;
    for (qsizetype at = 0; at < inside.size();) {
        qsizetype next = at;
        while (next < inside.size() && isPlain(inside.at(next)))
            ++next;
        text += textOfUtf8(inside.sliced(at, next - at));
        if (next >= inside.size())
            break;
        if (inside.at(next) != '\\' || next + 1 >= inside.size())
            return {};
        const char letter = inside.at(next + 1);
        if (letter == 'u') {
            const auto unit =
                hexUnit(inside.sliced(std::min(next + 2, inside.size()))
                            .first(std::min<qsizetype>(4, std::max<qsizetype>(0, inside.size() - next - 2))));
            if (!unit)
                return {};
            text += QChar(*unit);
            at = next + 6;
            continue;
        }
        const auto unit = shortEscape(letter);
        if (!unit)
            return {};
        text += QChar(*unit);
        at = next + 2;
    }
    return wellFormed(std::move(text));
}

QByteArray canonicalString(const QString &text)
{
    static constexpr char hex[] = "0123456789abcdef";
    QByteArray token = "\"";
    for (const char character : wellFormed(text).toUtf8()) {
        switch (character) {
        case '"':
            token += "\\\"";
            break;
        case '\\':
            token += "\\\\";
            break;
        case '\b':
            token += "\\b";
            break;
        case '\f':
            token += "\\f";
            break;
        case '\n':
            token += "\\n";
            break;
        case '\r':
            token += "\\r";
            break;
        case '\t':
            token += "\\t";
            break;
        default:
            if (const auto code = static_cast<unsigned char>(character); code < 0x20) {
                token += "\\u00";
                token += hex[code >> 4];
                token += hex[code & 15];
            } else {
                token += character;
            }
        }
    }
    return token + '"';
}

std::optional<QByteArray> canonicalNumber(QByteArrayView token)
{
    const auto exact = NumberReader(token).read();
    if (!exact)
        return {};
    if (exact->digits.isEmpty())
        return QByteArrayLiteral("0");
    if (exact->isBeyondCounting)
        return token.toByteArray();
    static const double_conversion::StringToDoubleConverter toDouble(
        double_conversion::StringToDoubleConverter::NO_FLAGS, 0.0, 0.0, nullptr, nullptr);
    int used = 0;
    const double value = toDouble.StringToDouble(token.data(), static_cast<int>(token.size()), &used);
    if (std::isfinite(value) && value != 0.0 && shortestOf(value) == *exact)
        return laidOut(shortestOf(value));
    return laidOut(*exact);
}

} // namespace watukuy::json
