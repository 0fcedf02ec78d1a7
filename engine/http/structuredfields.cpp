// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/http/structuredfields.h"

#include <QStringDecoder>

namespace watukuy::http::structured {

namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isLower(char c)
{
    return c >= 'a' && c <= 'z';
}

bool isAlpha(char c)
{
    return isLower(c) || (c >= 'A' && c <= 'Z');
}

bool isTokenChar(char c)
{
    return isAlpha(c) || isDigit(c) || QByteArrayView("!#$%&'*+-.^_`|~").contains(c);
}

int hexValue(char c)
{
    if (isDigit(c))
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// One pass over a field. Every read* answers nothing on malformed text.
class Parser {
public:
    explicit Parser(QByteArrayView text)
        : m_text(text)
    {
        skipSpaces();
    }

    std::optional<List> list();
    std::optional<Dictionary> dictionary();
    std::optional<Item> item();
    bool finished()
    {
        skipSpaces();
        return atEnd();
    }

private:
    [[nodiscard]] bool atEnd() const { return m_at >= m_text.size(); }
    [[nodiscard]] char peek() const { return atEnd() ? '\0' : m_text[m_at]; }
    char take() { return m_text[m_at++]; }
    bool takeIf(char c)
    {
        if (atEnd() || peek() != c)
            return false;
        ++m_at;
        return true;
    }
    void skipSpaces()
    {
        while (!atEnd() && peek() == ' ')
            ++m_at;
    }
    void skipOptionalWhitespace()
    {
        while (!atEnd() && (peek() == ' ' || peek() == '\t'))
            ++m_at;
    }
    /// After a member: true when another follows or the end is clean; `more` says which.
    bool separator(bool *more);

    std::optional<Member> member();
    std::optional<InnerList> innerList();
    std::optional<Parameters> parameters();
    std::optional<BareItem> bareItem();
    std::optional<BareItem> number();
    std::optional<BareItem> string();
    std::optional<BareItem> bytes();
    std::optional<BareItem> boolean();
    std::optional<BareItem> date();
    std::optional<BareItem> displayString();
    std::optional<QByteArray> key();

    QByteArrayView m_text;
    qsizetype m_at = 0;
};

template <typename Members, typename Value>
void assign(Members &members, QByteArray name, Value value)
{
    for (auto &[existing, old] : members) {
        if (existing == name) {
            old = std::move(value);
            return;
        }
    }
    members.emplace_back(std::move(name), std::move(value));
}

bool Parser::separator(bool *more)
{
    skipOptionalWhitespace();
    *more = !atEnd();
    if (atEnd())
        return true;
    if (!takeIf(','))
        return false;
    skipOptionalWhitespace();
    return !atEnd();
}

std::optional<List> Parser::list()
{
    List members;
    for (bool more = !atEnd(); more;) {
        auto next = member();
        if (!next || !separator(&more))
            return std::nullopt;
        members.push_back(std::move(*next));
    }
    return members;
}

std::optional<Dictionary> Parser::dictionary()
{
    Dictionary members;
    for (bool more = !atEnd(); more;) {
        auto name = key();
        if (!name)
            return std::nullopt;
        std::optional<Member> value;
        if (takeIf('=')) {
            value = member();
        } else if (auto flags = parameters()) {
            value = Item{true, std::move(*flags)};
        }
        if (!value || !separator(&more))
            return std::nullopt;
        assign(members, std::move(*name), std::move(*value));
    }
    return members;
}

std::optional<Member> Parser::member()
{
    if (peek() == '(') {
        if (auto inner = innerList())
            return Member{std::move(*inner)};
        return std::nullopt;
    }
    if (auto single = item())
        return Member{std::move(*single)};
    return std::nullopt;
}

std::optional<InnerList> Parser::innerList()
{
    InnerList inner;
    take();
    while (!atEnd()) {
        skipSpaces();
        if (takeIf(')')) {
            auto found = parameters();
            if (!found)
                return std::nullopt;
            inner.parameters = std::move(*found);
            return inner;
        }
        auto next = item();
        if (!next || (peek() != ' ' && peek() != ')'))
            return std::nullopt;
        inner.items.push_back(std::move(*next));
    }
    return std::nullopt;
}

std::optional<Item> Parser::item()
{
    auto value = bareItem();
    if (!value)
        return std::nullopt;
    auto found = parameters();
    if (!found)
        return std::nullopt;
    return Item{std::move(*value), std::move(*found)};
}

std::optional<Parameters> Parser::parameters()
{
    Parameters found;
    while (takeIf(';')) {
        skipSpaces();
        auto name = key();
        if (!name)
            return std::nullopt;
        BareItem value = true;
        if (takeIf('=')) {
            auto given = bareItem();
            if (!given)
                return std::nullopt;
            value = std::move(*given);
        }
        assign(found, std::move(*name), std::move(value));
    }
    return found;
}

std::optional<QByteArray> Parser::key()
{
    if (!isLower(peek()) && peek() != '*')
        return std::nullopt;
    QByteArray name;
    while (!atEnd() && (isLower(peek()) || isDigit(peek()) || QByteArrayView("_-.*").contains(peek())))
        name += take();
    return name;
}

std::optional<BareItem> Parser::bareItem()
{
    if (atEnd())
        return std::nullopt;
    const char first = peek();
    if (first == '-' || isDigit(first))
        return number();
    if (isAlpha(first) || first == '*') {
        Token token;
        while (!atEnd() && (isTokenChar(peek()) || peek() == ':' || peek() == '/'))
            token.text += take();
        return token;
    }
    switch (first) {
    case '"':
        return string();
    case ':':
        return bytes();
    case '?':
        return boolean();
    case '@':
        return date();
    case '%':
        return displayString();
    default:
        return std::nullopt;
    }
}

std::optional<BareItem> Parser::number()
{
    const bool negative = takeIf('-');
    if (!isDigit(peek()))
        return std::nullopt;
    QByteArray digits;
    qsizetype dot = -1;
    while (!atEnd() && (isDigit(peek()) || peek() == '.')) {
        if (peek() == '.') {
            if (dot >= 0 || digits.size() > 12)
                break;
            dot = digits.size();
        }
        digits += take();
        if (digits.size() > (dot < 0 ? 15 : 16))
            return std::nullopt;
    }
    if (dot < 0) {
        const qint64 value = digits.toLongLong();
        return negative ? -value : value;
    }
    const qsizetype fraction = digits.size() - dot - 1;
    if (fraction < 1 || fraction > 3)
        return std::nullopt;
    const double value = digits.toDouble();
    return Decimal{negative ? -value : value};
}

std::optional<BareItem> Parser::string()
{
    std::string text;
    take();
    while (!atEnd()) {
        const char c = take();
        if (c == '"')
            return text;
        if (c == '\\') {
            if (peek() != '"' && peek() != '\\')
                return std::nullopt;
            text += take();
        } else if (c < 0x20 || c >= 0x7f) {
            return std::nullopt;
        } else {
            text += c;
        }
    }
    return std::nullopt;
}

std::optional<BareItem> Parser::bytes()
{
    take();
    QByteArray encoded;
    while (!atEnd() && peek() != ':')
        encoded += take();
    if (!takeIf(':'))
        return std::nullopt;
    const auto decoded = QByteArray::fromBase64Encoding(encoded, QByteArray::Base64Encoding |
                                                                     QByteArray::AbortOnBase64DecodingErrors);
    if (!decoded)
        return std::nullopt;
    return decoded.decoded;
}

std::optional<BareItem> Parser::boolean()
{
    take();
    if (takeIf('1'))
        return true;
    if (takeIf('0'))
        return false;
    return std::nullopt;
}

std::optional<BareItem> Parser::date()
{
    take();
    const auto value = number();
    if (!value || !std::holds_alternative<qint64>(*value))
        return std::nullopt;
    return Date{std::get<qint64>(*value)};
}

std::optional<BareItem> Parser::displayString()
{
    take();
    if (!takeIf('"'))
        return std::nullopt;
    QByteArray utf8;
    while (!atEnd()) {
        const char c = take();
        if (c == '"') {
            QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
            const QString text = decoder(utf8);
            return decoder.hasError() ? std::nullopt : std::optional<BareItem>(DisplayString{text});
        }
        if (c < 0x20 || c >= 0x7f)
            return std::nullopt;
        if (c != '%') {
            utf8 += c;
            continue;
        }
        const int high = hexValue(peek());
        if (high < 0)
            return std::nullopt;
        take();
        const int low = hexValue(peek());
        if (low < 0)
            return std::nullopt;
        take();
        utf8 += char(high * 16 + low);
    }
    return std::nullopt;
}

} // namespace

std::optional<Item> parseItem(QByteArrayView field)
{
    Parser parser(field);
    auto item = parser.item();
    return item && parser.finished() ? std::move(item) : std::nullopt;
}

std::optional<List> parseList(QByteArrayView field)
{
    Parser parser(field);
    auto list = parser.list();
    return list && parser.finished() ? std::move(list) : std::nullopt;
}

std::optional<Dictionary> parseDictionary(QByteArrayView field)
{
    Parser parser(field);
    auto dictionary = parser.dictionary();
    return dictionary && parser.finished() ? std::move(dictionary) : std::nullopt;
}

std::optional<double> numberOf(const BareItem &item)
{
    if (const auto *integer = std::get_if<qint64>(&item))
        return double(*integer);
    if (const auto *decimal = std::get_if<Decimal>(&item))
        return decimal->value;
    return std::nullopt;
}

} // namespace watukuy::http::structured
