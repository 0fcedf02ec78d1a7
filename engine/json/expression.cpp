// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/json/expression.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace watukuy::json {

using namespace Qt::StringLiterals;

namespace {

constexpr char32_t largest = 0x10FFFF;
constexpr auto nothing = "\\b\\B"; ///< matches nowhere

struct Range {
    char32_t first;
    char32_t last;
};

std::string byteText(unsigned byte)
{
    constexpr auto digits = "0123456789abcdef";
    return {'\\', 'x', digits[(byte >> 4) & 15], digits[byte & 15]};
}

std::vector<unsigned> utf8(char32_t character)
{
    std::vector<unsigned> bytes;
    for (const char byte : QString::fromUcs4(&character, 1).toUtf8())
        bytes.push_back(static_cast<unsigned char>(byte));
    return bytes;
}

/// The UTF-8 forms of `range`, as alternatives: cut where the forms grow longer or a trailing byte wraps.
void addForms(Range range, std::vector<std::string> &forms)
{
    for (const char32_t longest : {char32_t{0x7F}, char32_t{0x7FF}, char32_t{0xFFFF}}) {
        if (range.first <= longest && longest < range.last) {
            addForms({range.first, longest}, forms);
            addForms({longest + 1, range.last}, forms);
            return;
        }
    }
    const size_t length = utf8(range.last).size();
    for (size_t trailing = 1; trailing < length; ++trailing) {
        const char32_t mask = (char32_t{1} << (6 * trailing)) - 1;
        if ((range.first & ~mask) == (range.last & ~mask))
            continue;
        if ((range.first & mask) != 0) {
            addForms({range.first, range.first | mask}, forms);
            addForms({(range.first | mask) + 1, range.last}, forms);
            return;
        }
        if ((range.last & mask) != mask) {
            addForms({range.first, (range.last & ~mask) - 1}, forms);
            addForms({range.last & ~mask, range.last}, forms);
            return;
        }
    }
    const auto first = utf8(range.first);
    const auto last = utf8(range.last);
    std::string form;
    for (size_t index = 0; index < length; ++index)
        form += first[index] == last[index]
                    ? byteText(first[index])
                    : '[' + byteText(first[index]) + '-' + byteText(last[index]) + ']';
    forms.push_back(form);
}

std::string oneOf(const std::vector<std::string> &forms)
{
    std::string text = "(?:";
    for (size_t index = 0; index < forms.size(); ++index)
        text += (index == 0 ? "" : "|") + forms[index];
    return text + ')';
}

std::string oneOf(const std::vector<Range> &ranges)
{
    std::vector<std::string> forms;
    for (const Range &range : ranges)
        addForms(range, forms);
    return oneOf(forms);
}

// A lone surrogate never gets here: items hold U+FFFD in its place.
const std::string &anyCharacter()
{
    static const std::string text = oneOf(std::vector<Range>{{0, 0xD7FF}, {0xE000, largest}});
    return text;
}

std::string anyBut(const std::string &excluded)
{
    return "(?:(?!" + excluded + ')' + anyCharacter() + ')';
}

class Translating {
public:
    explicit Translating(const QString &expression)
    {
        for (const uint character : expression.toUcs4())
            m_text.push_back(character);
    }

    Result<ByteExpression> translated()
    {
        while (m_at < m_text.size() && !m_problem)
            term();
        if (m_problem)
            return fail({.kind = ErrorKind::Workspace,
                         .name = u"ExpressionError"_s,
                         .title = u"The expression cannot be read"_s,
                         .detail = *m_problem});
        return std::move(m_out);
    }

private:
    /// An open group, or the whole.
    struct Group {
        bool repeatsOrBranches = false;
    };

    [[nodiscard]] char32_t peek(size_t ahead = 0) const
    {
        return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : U'\0';
    }

    void term()
    {
        const char32_t character = m_text[m_at++];
        const bool repeatsWhatRepeats = std::exchange(m_isAfterRepeat, false);
        switch (character) {
        case U'\\':
            escape();
            break;
        case U'[':
            characterClass();
            break;
        case U'.':
            m_out.text += anyBut("[\\n\\r]|" + oneOf(std::vector<Range>{{0x2028, 0x2029}}));
            break;
        case U'(':
            m_groups.emplace_back();
            m_out.text += '(';
            if (peek() == U'?') { // the kind of group, no repeat
                m_out.text += '?';
                ++m_at;
            }
            break;
        case U')':
            close();
            break;
        case U'|':
        case U'*':
        case U'+':
        case U'?':
        case U'{':
            m_groups.back().repeatsOrBranches = true;
            m_out.nestsRepeats |= repeatsWhatRepeats && character != U'?' && character != U'|';
            m_isAfterRepeat = character != U'|';
            m_out.text += static_cast<char>(character);
            while (character == U'{' && m_at < m_text.size() && m_out.text.back() != '}')
                literal(m_text[m_at++]);
            break;
        default:
            literal(character);
            break;
        }
    }

    void close()
    {
        const bool isRepeated = peek() == U'*' || peek() == U'+' || peek() == U'{';
        const bool inside = m_groups.back().repeatsOrBranches;
        m_out.nestsRepeats |= isRepeated && inside;
        if (m_groups.size() > 1)
            m_groups.pop_back();
        m_groups.back().repeatsOrBranches |= inside;
        m_out.text += ')';
    }

    void literal(char32_t character)
    {
        if (character >= 0x80)
            m_out.text += oneOf(std::vector<Range>{{character, character}});
        else
            m_out.text += static_cast<char>(character);
    }

    void escape()
    {
        const char32_t name = peek();
        if (const auto complement = complementOf(name)) {
            ++m_at;
            m_out.text += anyBut(*complement);
        } else if (name == U'u' || name == U'x') {
            if (const auto character = escapedCharacter())
                m_out.text += oneOf(std::vector<Range>{{*character, *character}});
        } else if (name >= 0x80) {
            literal(name);
            ++m_at;
        } else if (name == U'p' || name == U'P') {
            m_problem = u"\\p is not understood; write the characters themselves"_s;
        } else {
            m_out.text += '\\';
            if (m_at < m_text.size())
                m_out.text += static_cast<char>(m_text[m_at++]);
        }
    }

    /// `\d` for `\D`, and so on.
    static std::optional<std::string> complementOf(char32_t name)
    {
        switch (name) {
        case U'D':
            return "\\d";
        case U'W':
            return "\\w";
        case U'S':
            return "\\s";
        default:
            return {};
        }
    }

    /// At the `u` or `x` of an escape.
    std::optional<char32_t> escapedCharacter()
    {
        const size_t digits = m_text[m_at] == U'u' ? 4 : 2;
        ++m_at;
        const auto unit = hex(digits);
        if (!unit)
            return {};
        const bool isPair = QChar::isHighSurrogate(*unit) && peek() == U'\\' && peek(1) == U'u';
        if (!isPair)
            return unit;
        m_at += 2;
        const auto low = hex(digits);
        if (!low)
            return {};
        return QChar::surrogateToUcs4(static_cast<char16_t>(*unit), static_cast<char16_t>(*low));
    }

    std::optional<char32_t> hex(size_t digits)
    {
        char32_t value = 0;
        for (size_t index = 0; index < digits; ++index) {
            const int digit = QString(QChar::fromUcs2(static_cast<char16_t>(peek()))).toInt(&m_isDigit, 16);
            if (!m_isDigit) {
                m_problem = u"an escape has too few digits"_s;
                return {};
            }
            value = value * 16 + static_cast<char32_t>(digit);
            ++m_at;
        }
        return value;
    }

    void characterClass()
    {
        const bool isNegated = peek() == U'^';
        m_at += isNegated ? 1 : 0;
        std::vector<Range> ranges;
        std::vector<std::string> forms;
        while (peek() != U']') {
            if (m_at >= m_text.size())
                m_problem = u"a class is not closed"_s;
            const auto first = m_problem ? std::nullopt : member(forms);
            if (m_problem)
                return;
            if (!first)
                continue;
            std::optional<char32_t> last = first;
            if (peek() == U'-' && peek(1) != U']') {
                ++m_at;
                last = member(forms);
                if (!last) // a class: the dash is a character
                    ranges.push_back({U'-', U'-'});
            }
            const Range range{*first, last.value_or(*first)};
            if (range.last < range.first)
                m_problem = u"a range in a class goes backwards"_s;
            ranges.push_back(range);
        }
        ++m_at;
        for (const Range &range : ranges)
            addForms(range, forms);
        if (forms.empty())
            m_out.text += isNegated ? anyCharacter() : nothing;
        else
            m_out.text += isNegated ? anyBut(oneOf(forms)) : oneOf(forms);
    }

    /// A member of a class; nothing when it is a class itself, which goes into `forms`.
    std::optional<char32_t> member(std::vector<std::string> &forms)
    {
        const char32_t character = m_text[m_at++];
        if (character != U'\\')
            return character;
        const char32_t name = peek();
        if (name == U'u' || name == U'x')
            return escapedCharacter();
        ++m_at;
        if (name == U'd' || name == U'w' || name == U's') {
            forms.push_back({'\\', static_cast<char>(name)});
            return {};
        }
        if (const auto complement = complementOf(name)) {
            forms.push_back(anyBut(*complement));
            return {};
        }
        constexpr std::array<Range, 7> controls{{{U'b', 0x08},
                                                 {U't', 0x09},
                                                 {U'n', 0x0A},
                                                 {U'v', 0x0B},
                                                 {U'f', 0x0C},
                                                 {U'r', 0x0D},
                                                 {U'0', 0x00}}};
        for (const Range &control : controls) {
            if (control.first == name)
                return control.last;
        }
        if (name == U'p' || name == U'P')
            m_problem = u"\\p is not understood; write the characters themselves"_s;
        return name;
    }

    std::u32string m_text;
    size_t m_at = 0;
    std::vector<Group> m_groups{1};
    ByteExpression m_out;
    std::optional<QString> m_problem;
    bool m_isDigit = false;
    bool m_isAfterRepeat = false;
};

} // namespace

Result<ByteExpression> byteExpression(const QString &expression)
{
    return Translating(expression).translated();
}

} // namespace watukuy::json
