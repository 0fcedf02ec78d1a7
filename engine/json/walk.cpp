// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/json/walk.h"

namespace watukuy::json::walk {

using namespace Qt::StringLiterals;

std::string_view PaddedText::hold(QByteArrayView raw)
{
    if (raw.startsWith("\xEF\xBB\xBF"))
        raw = raw.sliced(3);
    m_size = raw.size();
    const qsizetype wanted = m_size + static_cast<qsizetype>(simdjson::SIMDJSON_PADDING);
    if (m_buffer.size() < wanted)
        m_buffer.resize(wanted);
    std::ranges::copy(raw, m_buffer.data());
    std::fill_n(m_buffer.data() + m_size, simdjson::SIMDJSON_PADDING, ' ');
    return {m_buffer.constData(), static_cast<size_t>(m_size)};
}

simdjson::padded_string_view PaddedText::view() const
{
    return simdjson::padded_string_view(m_buffer.constData(), static_cast<size_t>(m_size),
                                        static_cast<size_t>(m_buffer.size()));
}

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view spaces = " \t\r\n";
    const size_t first = text.find_first_not_of(spaces);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

simdjson::simdjson_result<std::string_view> tokenOf(ondemand::value value)
{
    const std::string_view token = value.raw_json_token();
    const auto error = token.starts_with('"') ? value.get_raw_json_string().error() : simdjson::SUCCESS;
    return {trimmed(token), error};
}

simdjson::simdjson_result<std::string_view> rawOf(ondemand::value value)
{
    ondemand::json_type type{};
    if (value.type().get(type) == simdjson::SUCCESS) {
        std::string_view raw;
        simdjson::error_code error = simdjson::SUCCESS;
        if (type == ondemand::json_type::object) {
            ondemand::object object;
            error = value.get_object().get(object);
            if (!error)
                error = object.raw_json().get(raw);
            return {trimmed(raw), error};
        }
        if (type == ondemand::json_type::array) {
            ondemand::array array;
            error = value.get_array().get(array);
            if (!error)
                error = array.raw_json().get(raw);
            return {trimmed(raw), error};
        }
    }
    return tokenOf(value);
}

simdjson::error_code skip(ondemand::value value)
{
    return rawOf(value).error();
}

Kind kindOf(std::string_view raw)
{
    if (raw.empty())
        return Kind::Null;
    switch (raw.front()) {
    case '{':
        return Kind::Object;
    case '[':
        return Kind::Array;
    case '"':
        return Kind::String;
    case 't':
    case 'f':
        return Kind::Bool;
    case 'n':
        return Kind::Null;
    default:
        return Kind::Number;
    }
}

RawValue rawValue(std::string_view raw)
{
    return {kindOf(raw), QByteArray(raw.data(), static_cast<qsizetype>(raw.size()))};
}

Error bodyError(const QString &what, qint64 offset)
{
    return {.kind = ErrorKind::Body,
            .name = u"JsonError"_s,
            .title = u"The text is not JSON"_s,
            .detail = offset >= 0 ? u"%1, near byte %2"_s.arg(what).arg(offset) : what,
            .nextStep = u"Look at the answer with \"watukuy test\"; nothing of it was used."_s,
            .retryable = true};
}

} // namespace watukuy::json::walk
