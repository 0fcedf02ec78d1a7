// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/json.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace watukuy::cli::json {

QByteArray string(const QString &text)
{
    const QByteArray list = QJsonDocument(QJsonArray{text}).toJson(QJsonDocument::Compact);
    return list.sliced(1, list.size() - 2);
}

QByteArray strings(const QStringList &texts)
{
    return QJsonDocument(QJsonArray::fromStringList(texts)).toJson(QJsonDocument::Compact);
}

QByteArray boolean(bool value)
{
    return value ? QByteArrayLiteral("true") : QByteArrayLiteral("false");
}

QByteArray number(qint64 value)
{
    return QByteArray::number(value);
}

QByteArray object(std::initializer_list<std::pair<QLatin1StringView, QByteArray>> members)
{
    QByteArray text = "{";
    for (const auto &[name, value] : members) {
        if (text.size() > 1)
            text += ',';
        text += string(name) + ':' + value;
    }
    return text + '}';
}

QByteArray array(const std::vector<QByteArray> &elements)
{
    QByteArray text = "[";
    for (const QByteArray &element : elements)
        text += (text.size() > 1 ? ",\n" : "\n") + element;
    return text + (elements.empty() ? "]" : "\n]");
}

} // namespace watukuy::cli::json
