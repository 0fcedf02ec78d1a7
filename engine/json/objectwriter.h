// SPDX-License-Identifier: GPL-3.0-or-later
// Writes JSON objects and arrays member by member, in the order given, raw values verbatim.
#pragma once

#include <optional>

#include <QByteArray>
#include <QString>

#include "engine/json/rawvalue.h"

namespace watukuy::json {

/// Builds one object. Names are literals of this program and need no escapes.
class ObjectWriter {
public:
    explicit ObjectWriter(qsizetype expectedSize = 256) { m_text.reserve(expectedSize); }

    ObjectWriter &raw(const char *name, const QByteArray &value)
    {
        m_text += m_text.isEmpty() ? "{\"" : ",\"";
        m_text += name;
        m_text += "\":";
        m_text += value;
        return *this;
    }
    ObjectWriter &rawOrNull(const char *name, const QByteArray &value)
    {
        return raw(name, value.isEmpty() ? QByteArrayLiteral("null") : value);
    }
    ObjectWriter &text(const char *name, const QString &value) { return raw(name, quoted(value)); }
    ObjectWriter &latin1(const char *name, QLatin1StringView value) { return text(name, QString(value)); }
    ObjectWriter &textOrNull(const char *name, const QString &value)
    {
        return value.isEmpty() ? raw(name, "null") : text(name, value);
    }
    ObjectWriter &number(const char *name, qint64 value) { return raw(name, QByteArray::number(value)); }
    ObjectWriter &numberOrNull(const char *name, std::optional<qint64> value)
    {
        return value ? number(name, *value) : raw(name, "null");
    }
    ObjectWriter &flag(const char *name, bool value) { return raw(name, value ? "true" : "false"); }

    [[nodiscard]] QByteArray finish() { return m_text.isEmpty() ? QByteArrayLiteral("{}") : m_text + '}'; }

private:
    QByteArray m_text;
};

/// `[a,b,...]` of ready-made values.
template <typename Range, typename ToJson>
[[nodiscard]] QByteArray arrayOf(const Range &range, ToJson toJson)
{
    QByteArray text = "[";
    for (const auto &element : range) {
        if (text.size() > 1)
            text += ',';
        text += toJson(element);
    }
    return text + ']';
}

} // namespace watukuy::json
