// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/http/jsonbody.h"

#include "engine/json/rawvalue.h"
#include "engine/json/token.h"

namespace watukuy::http {

using namespace Qt::StringLiterals;

namespace {

constexpr int deepest = 512;

/// Copies JSON token by token. The text was read as part of the workspace, so it is JSON; what is
/// not ends the walk with an error all the same.
class Expander {
public:
    Expander(QByteArrayView text, const Template::Lookup &lookup)
        : m_text(text)
        , m_lookup(lookup)
    {
    }

    Result<QByteArray> all()
    {
        auto whole = value(0);
        if (!whole)
            return fail(whole.error());
        skipSpaces();
        if (m_at != m_text.size())
            return fail(broken());
        return whole->value_or(QByteArrayLiteral("null"));
    }

private:
    using Piece = Result<std::optional<QByteArray>>;

    [[nodiscard]] char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }
    void skipSpaces()
    {
        while (m_at < m_text.size() && QByteArrayView(" \t\r\n").contains(m_text[m_at]))
            ++m_at;
    }
    [[nodiscard]] Error broken() const
    {
        return {.kind = ErrorKind::Workspace,
                .name = u"BodyError"_s,
                .title = u"request.body is not JSON"_s,
                .detail = u"at byte %1"_s.arg(m_at),
                .nextStep = u"Correct request.body"_s};
    }

    Piece value(int depth)
    {
        skipSpaces();
        if (depth > deepest)
            return fail(broken());
        switch (peek()) {
        case '{':
            return container(depth, '}');
        case '[':
            return container(depth, ']');
        case '"':
            return string();
        default:
            return word();
        }
    }

    Piece word()
    {
        const qsizetype from = m_at;
        while (m_at < m_text.size() && !QByteArrayView(",]} \t\r\n").contains(m_text[m_at]))
            ++m_at;
        if (m_at == from)
            return fail(broken());
        return m_text.sliced(from, m_at - from).toByteArray();
    }

    std::optional<QByteArray> token()
    {
        const qsizetype from = m_at++;
        while (m_at < m_text.size() && m_text[m_at] != '"')
            m_at += m_text[m_at] == '\\' ? 2 : 1;
        if (m_at >= m_text.size())
            return std::nullopt;
        ++m_at;
        return m_text.sliced(from, m_at - from).toByteArray();
    }

    Piece string()
    {
        const auto raw = token();
        const auto text = raw ? json::textOfString(*raw) : std::nullopt;
        if (!text)
            return fail(broken());
        if (!text->contains(u"${"))
            return *raw;
        const auto pattern = Template::parse(*text);
        if (!pattern)
            return fail(pattern.error());
        const auto expanded = pattern->expand(m_lookup);
        if (!expanded)
            return fail(expanded.error());
        if (!*expanded)
            return std::optional<QByteArray>();
        const QStringList names = pattern->placeholders();
        const bool isOnePlaceholder = names.size() == 1 && *text == u"${"_s + names.first() + u'}';
        const QByteArray utf8 = (*expanded)->toUtf8();
        if (isOnePlaceholder && json::canonicalNumber(utf8))
            return utf8;
        return json::quoted(**expanded);
    }

    Piece container(int depth, char end)
    {
        const bool isObject = end == '}';
        QByteArray out(1, m_text[m_at++]);
        skipSpaces();
        while (peek() != end) {
            QByteArray name;
            if (isObject) {
                const auto key = peek() == '"' ? token() : std::nullopt;
                skipSpaces();
                if (!key || peek() != ':')
                    return fail(broken());
                ++m_at;
                name = *key + ':';
            }
            auto member = value(depth + 1);
            if (!member)
                return member;
            if (*member || !isObject) {
                if (out.size() > 1)
                    out += ',';
                out += name + member->value_or(QByteArrayLiteral("null"));
            }
            skipSpaces();
            if (peek() == ',') {
                ++m_at;
                skipSpaces();
            } else if (peek() != end) {
                return fail(broken());
            }
        }
        ++m_at;
        return out + end;
    }

    QByteArrayView m_text;
    const Template::Lookup &m_lookup;
    qsizetype m_at = 0;
};

} // namespace

Result<QByteArray> expandJson(QByteArrayView text, const Template::Lookup &lookup)
{
    return Expander(text, lookup).all();
}

} // namespace watukuy::http
