// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/definition/locatedjson.h"

#include <algorithm>

#include <simdjson.h>

#include "engine/definition/syntaxmistake.h"
#include "engine/json/token.h"
#include "engine/json/walk.h"

namespace watukuy {

using namespace Qt::StringLiterals;
namespace ondemand = simdjson::ondemand;

namespace {

constexpr int deepest = 100;

int lineAt(QByteArrayView text, qsizetype offset)
{
    const QByteArrayView before = text.first(std::clamp<qsizetype>(offset, 0, text.size()));
    return 1 + static_cast<int>(std::ranges::count(before, '\n'));
}

/// Walks On-Demand once and keeps where each value began. Offsets only grow on the way, so lines
/// are counted once over the whole text.
class LocatedReader {
public:
    explicit LocatedReader(QByteArrayView text)
        : m_text(text)
    {
    }

    simdjson::error_code read(ondemand::value from, LocatedValue &into, int depth)
    {
        if (depth > deepest)
            return simdjson::DEPTH_ERROR;
        const qsizetype start = goTo(from.raw_json_token().data());
        into.line = m_line;
        ondemand::json_type type{};
        if (const auto error = from.type().get(type))
            return error;
        if (type == ondemand::json_type::object)
            return readObject(from, into, start, depth);
        if (type == ondemand::json_type::array)
            return readArray(from, into, start, depth);
        std::string_view token;
        if (const auto error = json::walk::tokenOf(from).get(token))
            return error;
        into.raw = QByteArray(token.data(), static_cast<qsizetype>(token.size()));
        m_end = start + into.raw.size();
        return readScalar(into);
    }

    [[nodiscard]] qsizetype end() const { return m_end; }
    [[nodiscard]] int line() const { return m_line; }

private:
    static simdjson::error_code readScalar(LocatedValue &into)
    {
        if (into.raw.startsWith('"')) {
            into.kind = json::Kind::String;
            return json::textOfString(into.raw) ? simdjson::SUCCESS : simdjson::STRING_ERROR;
        }
        if (into.raw == "true" || into.raw == "false") {
            into.kind = json::Kind::Bool;
            return simdjson::SUCCESS;
        }
        if (into.raw == "null") {
            into.kind = json::Kind::Null;
            return simdjson::SUCCESS;
        }
        into.kind = json::Kind::Number;
        return json::canonicalNumber(into.raw) ? simdjson::SUCCESS : simdjson::NUMBER_ERROR;
    }

    simdjson::error_code readObject(ondemand::value from, LocatedValue &into, qsizetype start, int depth)
    {
        into.kind = json::Kind::Object;
        m_end = start + 1;
        ondemand::object members;
        if (const auto error = from.get_object().get(members))
            return error;
        for (auto entry : members) {
            ondemand::field field;
            if (const auto error = std::move(entry).get(field))
                return error;
            goTo(field.key().raw());
            LocatedMember member{.line = m_line};
            std::string_view name;
            if (const auto error = field.unescaped_key().get(name))
                return error;
            member.name = json::textOfUtf8({name.data(), static_cast<qsizetype>(name.size())});
            if (const auto error = read(field.value(), member.value, depth + 1))
                return error;
            into.members.push_back(std::move(member));
        }
        into.raw = closed(start, '}');
        return simdjson::SUCCESS;
    }

    simdjson::error_code readArray(ondemand::value from, LocatedValue &into, qsizetype start, int depth)
    {
        into.kind = json::Kind::Array;
        m_end = start + 1;
        ondemand::array elements;
        if (const auto error = from.get_array().get(elements))
            return error;
        for (auto element : elements) {
            ondemand::value inner;
            if (const auto error = std::move(element).get(inner))
                return error;
            LocatedValue value;
            if (const auto error = read(inner, value, depth + 1))
                return error;
            into.elements.push_back(std::move(value));
        }
        into.raw = closed(start, ']');
        return simdjson::SUCCESS;
    }

    /// The text from `start` to the bracket behind the last value read.
    QByteArray closed(qsizetype start, char bracket)
    {
        while (m_end < m_text.size() && m_text.at(m_end) != bracket)
            ++m_end;
        m_end = std::min(m_end + 1, m_text.size());
        return m_text.sliced(start, m_end - start).toByteArray();
    }

    qsizetype goTo(const char *place)
    {
        const qsizetype offset = place - m_text.data();
        for (; m_at < offset; ++m_at)
            m_line += m_text.at(m_at) == '\n' ? 1 : 0;
        return offset;
    }

    QByteArrayView m_text;
    qsizetype m_at = 0;
    qsizetype m_end = 0;
    int m_line = 1;
};

WorkspaceError explained(QByteArrayView text, simdjson::error_code error, int line)
{
    if (error == simdjson::DEPTH_ERROR)
        return {{},
                line,
                u"The workspace is nested deeper than %1 levels"_s.arg(deepest),
                u"Check whether a bracket was closed too late."_s};
    if (const auto mistake = findSyntaxMistake(text))
        return {{}, lineAt(text, mistake->offset), mistake->message, mistake->hint};
    return {{},
            line,
            u"This is not JSON: %1"_s.arg(QLatin1StringView(simdjson::error_message(error))),
            u"Check brackets, commas and quotes around this line."_s};
}

} // namespace

const LocatedValue *LocatedValue::member(const QString &name) const
{
    const auto found = std::ranges::find(members, name, &LocatedMember::name);
    return found == members.end() ? nullptr : &found->value;
}

std::expected<LocatedValue, WorkspaceError> readLocated(const QByteArray &text)
{
    const simdjson::padded_string padded(text.constData(), static_cast<size_t>(text.size()));
    const QByteArrayView view(padded.data(), static_cast<qsizetype>(padded.size()));
    LocatedReader reader(view);
    ondemand::parser parser;
    ondemand::document document;
    ondemand::value whole;
    LocatedValue root;
    bool isScalar = false;
    auto error = parser.iterate(padded).get(document);
    if (!error)
        error = document.is_scalar().get(isScalar);
    if (!error && isScalar && !findSyntaxMistake(view)) {
        const int line = lineAt(view, view.size() - QByteArrayView(view).trimmed().size());
        return std::unexpected(
            WorkspaceError{{}, line, u"A workspace is an object"_s, u"Begin with {\"version\": 1, …}."_s});
    }
    if (!error)
        error = document.get_value().get(whole);
    if (!error)
        error = reader.read(whole, root, 0);
    const std::string_view behind = std::string_view(padded).substr(static_cast<size_t>(reader.end()));
    if (!error && !json::walk::trimmed(behind).empty())
        error = simdjson::TRAILING_CONTENT;
    if (error)
        return std::unexpected(explained(view, error, reader.line()));
    return root;
}

} // namespace watukuy
