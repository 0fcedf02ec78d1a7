// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/json/rawvalue.h"

#include "engine/json/token.h"
#include "engine/json/walk.h"

namespace watukuy::json {

using namespace Qt::StringLiterals;
using walk::ondemand::array;
using walk::ondemand::document;
using walk::ondemand::field;
using walk::ondemand::object;
using walk::ondemand::parser;
using walk::ondemand::value;

namespace {

QString nameOf(std::string_view keyAndMore)
{
    const size_t end = keyAndMore.find_last_of('"');
    const std::string_view token = keyAndMore.substr(0, end + 1);
    return textOfString(QByteArrayView(token.data(), static_cast<qsizetype>(token.size())))
        .value_or(QString());
}

/// Follows a path; keeps the last match so that a repeated name counts as its last value.
class Finder {
public:
    explicit Finder(const QStringList &segments)
        : m_segments(segments)
    {
    }

    simdjson::error_code descend(value from, qsizetype depth)
    {
        if (depth == m_segments.size()) {
            std::string_view raw;
            if (const auto error = walk::rawOf(from).get(raw))
                return error;
            m_found = walk::rawValue(raw);
            return simdjson::SUCCESS;
        }
        walk::ondemand::json_type type{};
        if (const auto error = from.type().get(type))
            return error;
        if (type == walk::ondemand::json_type::object)
            return inObject(from, depth);
        if (type == walk::ondemand::json_type::array)
            return inArray(from, depth);
        return walk::skip(from);
    }

    std::optional<RawValue> takeFound() { return std::move(m_found); }

private:
    simdjson::error_code inObject(value from, qsizetype depth)
    {
        object members;
        if (const auto error = from.get_object().get(members))
            return error;
        for (auto member : members) {
            field entry;
            if (const auto error = std::move(member).get(entry))
                return error;
            const char *key = entry.key().raw() - 1;
            const bool wanted = isWanted(key, depth);
            if (wanted)
                m_found.reset();
            if (const auto error = wanted ? descend(entry.value(), depth + 1) : walk::skip(entry.value()))
                return error;
        }
        return simdjson::SUCCESS;
    }

    simdjson::error_code inArray(value from, qsizetype depth)
    {
        bool isNumber = false;
        const qlonglong wanted = m_segments.at(depth).toLongLong(&isNumber);
        array elements;
        if (const auto error = from.get_array().get(elements))
            return error;
        qlonglong index = 0;
        for (auto element : elements) {
            value inner;
            if (const auto error = std::move(element).get(inner))
                return error;
            if (isNumber && index++ == wanted)
                return descend(inner, depth + 1);
            if (const auto error = walk::skip(inner))
                return error;
        }
        return simdjson::SUCCESS;
    }

    [[nodiscard]] bool isWanted(const char *key, qsizetype depth) const
    {
        const char *end = key + 1;
        while (*end != '"')
            end += *end == '\\' ? 2 : 1;
        return nameOf({key, static_cast<size_t>(end - key + 1)}) == m_segments.at(depth);
    }

    const QStringList &m_segments;
    std::optional<RawValue> m_found;
};

Result<std::optional<RawValue>> findScalarRoot(std::string_view text, const Path &path)
{
    const std::string_view raw = walk::trimmed(text);
    const QByteArrayView view(raw.data(), static_cast<qsizetype>(raw.size()));
    const bool isWord = raw == "true" || raw == "false" || raw == "null";
    if (!isWord && !(view.isValidUtf8() && textOfString(view)) && !canonicalNumber(view))
        return fail(walk::bodyError(u"it is neither an object, an array nor a value"_s, 0));
    return path.isWhole() ? std::optional(walk::rawValue(raw)) : std::nullopt;
}

} // namespace

QString RawValue::scalarText() const
{
    switch (kind) {
    case Kind::String:
        return textOfString(text).value_or(QString());
    case Kind::Bool:
    case Kind::Number:
        return QString::fromUtf8(text);
    case Kind::Null:
    case Kind::Array:
    case Kind::Object:
        return {};
    }
    return {};
}

Result<std::optional<RawValue>> find(QByteArrayView raw, const Path &path)
{
    thread_local walk::PaddedText padded;
    thread_local parser reader;
    const std::string_view text = padded.hold(raw);
    const std::string_view body = walk::trimmed(text);
    if (body.empty() || (body.front() != '{' && body.front() != '['))
        return findScalarRoot(text, path);
    document root;
    value whole;
    auto error = reader.iterate(padded.view()).get(root);
    const bool isIndexed = !error;
    if (!error)
        error = root.get_value().get(whole);
    Finder finder(path.segments());
    if (!error)
        error = finder.descend(whole, 0);
    if (error) {
        const char *at = nullptr;
        const bool known = isIndexed && root.current_location().get(at) == simdjson::SUCCESS;
        return fail(walk::bodyError(QString::fromLatin1(simdjson::error_message(error)),
                                    known ? at - text.data() : -1));
    }
    return finder.takeFound();
}

QStringList namesAt(QByteArrayView raw)
{
    walk::PaddedText padded;
    parser reader;
    padded.hold(raw);
    document root;
    object members;
    if (reader.iterate(padded.view()).get(root) || root.get_object().get(members))
        return {};
    QStringList names;
    for (auto member : members) {
        std::string_view name;
        if (member.unescaped_key().get(name))
            break;
        names.append(textOfUtf8({name.data(), static_cast<qsizetype>(name.size())}));
    }
    return names;
}

QByteArray quoted(const QString &text)
{
    return canonicalString(text);
}

QByteArray withoutLoneSurrogates(QByteArray raw)
{
    static constexpr QByteArrayView replacement = "\\ufffd";
    constexpr qsizetype escapeLength = 6;
    const auto unitAt = [&raw](qsizetype at) -> std::optional<ushort> {
        if (at + escapeLength > raw.size() || raw.at(at) != '\\' || raw.at(at + 1) != 'u')
            return {};
        bool isHex = false;
        const ushort unit = raw.mid(at + 2, 4).toUShort(&isHex, 16);
        return isHex ? std::optional(unit) : std::nullopt;
    };
    for (qsizetype at = raw.indexOf('\\'); at >= 0 && at + 1 < raw.size(); at = raw.indexOf('\\', at)) {
        const auto unit = unitAt(at);
        if (!unit || !QChar::isSurrogate(*unit)) {
            at += unit ? escapeLength : 2;
            continue;
        }
        const auto second = unitAt(at + escapeLength);
        if (QChar::isHighSurrogate(*unit) && second && QChar::isLowSurrogate(*second)) {
            at += 2 * escapeLength;
            continue;
        }
        raw.replace(at, escapeLength, replacement.toByteArray());
        at += escapeLength;
    }
    return raw;
}

} // namespace watukuy::json
