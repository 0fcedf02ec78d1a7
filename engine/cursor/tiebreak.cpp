// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cursor/tiebreak.h"

#include <algorithm>
#include <optional>

#include <QString>

namespace watukuy::cursor {

namespace {

struct Integer {
    bool negative = false;
    QStringView digits; ///< without leading zeros; empty = 0
};

std::optional<Integer> readInteger(QStringView text)
{
    Integer number;
    number.negative = text.startsWith(u'-');
    if (number.negative)
        text = text.sliced(1);
    const auto isDigit = [](QChar unit) { return unit >= u'0' && unit <= u'9'; };
    if (text.isEmpty() || !std::all_of(text.begin(), text.end(), isDigit))
        return std::nullopt;
    while (text.startsWith(u'0'))
        text = text.sliced(1);
    number.digits = text;
    number.negative = number.negative && !text.isEmpty();
    return number;
}

std::strong_ordering compareUnits(QStringView left, QStringView right)
{
    return std::lexicographical_compare_three_way(left.utf16(), left.utf16() + left.size(), right.utf16(),
                                                  right.utf16() + right.size());
}

std::strong_ordering compareMagnitudes(QStringView left, QStringView right)
{
    if (left.size() != right.size())
        return left.size() <=> right.size();
    return compareUnits(left, right);
}

} // namespace

std::strong_ordering compareTieBreaks(QStringView left, QStringView right)
{
    const auto leftNumber = readInteger(left);
    const auto rightNumber = readInteger(right);
    if (!leftNumber || !rightNumber)
        return compareUnits(left, right);
    if (leftNumber->negative != rightNumber->negative)
        return leftNumber->negative ? std::strong_ordering::less : std::strong_ordering::greater;
    return leftNumber->negative ? compareMagnitudes(rightNumber->digits, leftNumber->digits)
                                : compareMagnitudes(leftNumber->digits, rightNumber->digits);
}

} // namespace watukuy::cursor
