// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cursor/cursorjson.h"

using namespace Qt::StringLiterals;

namespace watukuy::cursor {

namespace {

std::optional<json::RawValue> at(const QByteArray &text, const json::Path &path)
{
    if (text.isEmpty())
        return std::nullopt;
    const auto found = json::find(text, path);
    if (!found || !*found || (*found)->kind == json::Kind::Null)
        return std::nullopt;
    return *found;
}

} // namespace

std::optional<json::RawValue> member(const QByteArray &object, const QString &name)
{
    const auto path = json::Path::parse(name);
    return path ? at(object, *path) : std::nullopt;
}

std::optional<QString> textOf(const std::optional<json::RawValue> &value)
{
    if (!value || value->kind == json::Kind::Null)
        return std::nullopt;
    if (value->kind == json::Kind::Array || value->kind == json::Kind::Object)
        return QString::fromUtf8(value->text);
    return value->scalarText();
}

std::optional<QString> memberText(const QByteArray &object, const QString &name)
{
    return textOf(member(object, name));
}

QByteArray stringOrNull(const std::optional<QString> &text)
{
    return text ? json::quoted(*text) : QByteArrayLiteral("null");
}

std::optional<json::RawValue> wholeValue(const QByteArray &text)
{
    return at(text.trimmed(), {});
}

std::optional<QString> argumentText(const QString &argument)
{
    const QString trimmed = argument.trimmed();
    if (trimmed.isEmpty() || trimmed == "null"_L1)
        return std::nullopt;
    if (trimmed.startsWith(u'"')) {
        if (const auto text = wholeValue(trimmed.toUtf8()); text && text->kind == json::Kind::String)
            return text->scalarText();
    }
    return trimmed;
}

} // namespace watukuy::cursor
