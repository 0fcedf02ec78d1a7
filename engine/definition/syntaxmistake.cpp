// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/definition/syntaxmistake.h"

#include <algorithm>
#include <vector>

#include "engine/json/token.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

/// Walks the text token by token and remembers which brackets are open.
class MistakeFinder {
public:
    explicit MistakeFinder(QByteArrayView text)
        : m_text(text)
    {
    }

    std::optional<SyntaxMistake> find()
    {
        while (skipSpaces()) {
            if (auto mistake = token())
                return mistake;
        }
        if (!m_open.empty())
            return SyntaxMistake{m_open.back(), u"This %1 is never closed"_s.arg(bracketAt(m_open.back())),
                                 u"Add the closing bracket."_s};
        if (m_expect != Expect::Nothing)
            return at(u"There is nothing in this file"_s, u"Begin with {\"version\": 1, …}."_s);
        return {};
    }

private:
    enum class Expect { Value, ValueOrEnd, Key, KeyOrEnd, Colon, CommaOrEnd, Nothing };
    using Found = std::optional<SyntaxMistake>;

    [[nodiscard]] QString bracketAt(qsizetype offset) const
    {
        return QString(QLatin1Char(m_text.at(offset)));
    }
    [[nodiscard]] Found at(const QString &message, const QString &hint) const
    {
        return SyntaxMistake{m_at, message, hint};
    }

    bool skipSpaces()
    {
        while (m_at < m_text.size() && QByteArrayView(" \t\r\n").contains(m_text.at(m_at)))
            ++m_at;
        return m_at < m_text.size();
    }

    Found token()
    {
        const char first = m_text.at(m_at);
        if (first == '/' || first == '#')
            return at(u"Comments are not accepted in a workspace"_s,
                      u"Take it out; \"description\" of a poller has room for remarks."_s);
        if (first == '\'')
            return at(u"Texts are written in double quotes"_s, u"Replace ' by \"."_s);
        if (m_expect == Expect::Nothing)
            return at(u"Something stands behind the end of the workspace"_s,
                      u"A file holds one object: check the brackets before this."_s);
        switch (first) {
        case '{':
        case '[':
            return open(first);
        case '}':
        case ']':
            return close(first);
        case ',':
            return comma();
        case ':':
            return colon();
        case '"':
            return text();
        default:
            return word();
        }
    }

    Found open(char bracket)
    {
        if (auto mistake = beforeValue())
            return mistake;
        m_lastComma.reset();
        m_open.push_back(m_at++);
        m_expect = bracket == '{' ? Expect::KeyOrEnd : Expect::ValueOrEnd;
        return {};
    }

    Found close(char bracket)
    {
        if (m_open.empty())
            return at(u"This %1 closes nothing"_s.arg(bracketAt(m_at)), u"Take it out."_s);
        const bool fits = (m_text.at(m_open.back()) == '{') == (bracket == '}');
        if (!fits)
            return at(u"A %1 cannot close a %2"_s.arg(bracketAt(m_at), bracketAt(m_open.back())),
                      u"Check the brackets between the two."_s);
        if (m_lastComma)
            return SyntaxMistake{*m_lastComma, u"Trailing commas are not accepted in a workspace"_s,
                                 u"Take the comma before the closing bracket out."_s};
        if (m_expect == Expect::Colon || m_expect == Expect::Value)
            return at(u"A key has no value"_s, u"Write \"key\": value."_s);
        m_open.pop_back();
        ++m_at;
        afterValue();
        return {};
    }

    Found comma()
    {
        if (m_lastComma)
            return at(u"There is nothing between two commas"_s, u"Take one of them out."_s);
        if (m_expect != Expect::CommaOrEnd)
            return at(u"A comma stands where a value is expected"_s, u"Take it out, or write the value."_s);
        m_lastComma = m_at++;
        m_expect = m_text.at(m_open.back()) == '{' ? Expect::Key : Expect::Value;
        return {};
    }

    Found colon()
    {
        if (m_expect != Expect::Colon)
            return at(u"A colon stands where none belongs"_s, u"Write \"key\": value, in braces."_s);
        ++m_at;
        m_expect = Expect::Value;
        return {};
    }

    Found text()
    {
        const bool isKey = m_expect == Expect::Key || m_expect == Expect::KeyOrEnd;
        if (!isKey) {
            if (auto mistake = beforeValue())
                return mistake;
        }
        if (auto mistake = insideText())
            return mistake;
        m_lastComma.reset();
        if (isKey)
            m_expect = Expect::Colon;
        else
            afterValue();
        return {};
    }

    /// From the opening quote behind the closing one.
    Found insideText()
    {
        const SyntaxMistake unclosed{m_at, u"A text that begins here is never closed"_s,
                                     u"Add the closing quote; a line break in a text is written \\n."_s};
        for (++m_at; m_at < m_text.size(); ++m_at) {
            const char character = m_text.at(m_at);
            if (character == '"') {
                ++m_at;
                return {};
            }
            if (character == '\n' || character == '\r')
                return unclosed;
            if (static_cast<unsigned char>(character) < 0x20)
                return at(u"A control character stands in a text"_s,
                          u"Write a tab as \\t, others as \\u0000."_s);
            if (character == '\\') {
                if (auto mistake = escape())
                    return mistake;
            }
        }
        return unclosed;
    }

    /// `m_at` stands on the backslash and ends on the last byte of the escape.
    Found escape()
    {
        const char kind = m_at + 1 < m_text.size() ? m_text.at(m_at + 1) : '\0';
        const QByteArrayView digits = m_text.sliced(std::min(m_at + 2, m_text.size()))
                                          .first(std::clamp<qsizetype>(m_text.size() - m_at - 2, 0, 4));
        const auto isHex = [](char digit) {
            return QByteArrayView("0123456789abcdefABCDEF").contains(digit);
        };
        const bool isCode = kind == 'u' && digits.size() == 4 && std::ranges::all_of(digits, isHex);
        if (!isCode && (kind == '\0' || !QByteArrayView("\"\\/bfnrt").contains(kind)))
            return at(
                u"JSON does not know this backslash escape"_s,
                u"Write a backslash as \\\\; known are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four digits."_s);
        m_at += isCode ? 5 : 1;
        return {};
    }

    Found word()
    {
        qsizetype end = m_at;
        while (end < m_text.size() && !QByteArrayView(" \t\r\n,:{}[]\"'/#").contains(m_text.at(end)))
            ++end;
        const QByteArrayView token = m_text.sliced(m_at, end - m_at);
        const QString shown = QString::fromUtf8(token.first(std::min<qsizetype>(token.size(), 40)));
        if (m_expect == Expect::Key || m_expect == Expect::KeyOrEnd)
            return at(u"A key is expected here, not %1"_s.arg(shown),
                      u"Keys are written in double quotes."_s);
        if (auto mistake = beforeValue())
            return mistake;
        if (token != "true" && token != "false" && token != "null" && !json::canonicalNumber(token))
            return at(
                u"%1 is no value of JSON"_s.arg(shown),
                u"Texts are written in double quotes; besides there are numbers, true, false and null."_s);
        m_at = end;
        afterValue();
        return {};
    }

    [[nodiscard]] Found beforeValue() const
    {
        switch (m_expect) {
        case Expect::Value:
        case Expect::ValueOrEnd:
            return {};
        case Expect::CommaOrEnd:
            return at(u"A comma is missing before this"_s, u"Put a comma behind what stands before it."_s);
        case Expect::Colon:
            return at(u"A colon is missing before this"_s, u"Write \"key\": value."_s);
        case Expect::Key:
        case Expect::KeyOrEnd:
        case Expect::Nothing:
            break;
        }
        return at(u"A key is expected here"_s, u"Inside { } write \"key\": value."_s);
    }

    void afterValue()
    {
        m_lastComma.reset();
        m_expect = m_open.empty() ? Expect::Nothing : Expect::CommaOrEnd;
    }

    QByteArrayView m_text;
    qsizetype m_at = 0;
    Expect m_expect = Expect::Value;
    std::vector<qsizetype> m_open;
    std::optional<qsizetype> m_lastComma; ///< set while nothing follows it
};

} // namespace

std::optional<SyntaxMistake> findSyntaxMistake(QByteArrayView text)
{
    return MistakeFinder(text).find();
}

} // namespace watukuy
