// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/store/rowcodec.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace watukuy::rowcodec {

using namespace Qt::StringLiterals;

namespace {

QByteArray text(const QJsonObject &object)
{
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

QByteArray text(const QJsonArray &array)
{
    return array.isEmpty() ? QByteArray() : QJsonDocument(array).toJson(QJsonDocument::Compact);
}

std::optional<QJsonObject> objectOf(const QByteArray &json)
{
    if (json.isEmpty())
        return std::nullopt;
    const QJsonDocument document = QJsonDocument::fromJson(json);
    if (!document.isObject())
        return std::nullopt;
    return document.object();
}

QJsonArray arrayOf(const QByteArray &json)
{
    return json.isEmpty() ? QJsonArray() : QJsonDocument::fromJson(json).array();
}

/// A number of an enum that ends at `last`; anything else is the first value.
template <typename Enum>
Enum enumOf(const QJsonValue &value, Enum last)
{
    const qint64 number = value.toInteger();
    return number < 0 || number > static_cast<qint64>(last) ? Enum{} : static_cast<Enum>(number);
}

} // namespace

QByteArray encode(const Error &error)
{
    QJsonObject object{{u"kind"_s, static_cast<int>(error.kind)},
                       {u"name"_s, error.name},
                       {u"title"_s, error.title},
                       {u"detail"_s, error.detail},
                       {u"nextStep"_s, error.nextStep},
                       {u"retryable"_s, error.retryable},
                       {u"httpStatus"_s, error.httpStatus}};
    if (error.notBefore)
        object.insert(u"notBefore"_s, toEpochMs(*error.notBefore));
    return text(object);
}

std::optional<Error> decodeError(const QByteArray &json)
{
    const auto object = objectOf(json);
    if (!object)
        return std::nullopt;
    Error error;
    error.kind = enumOf(object->value(u"kind"_s), ErrorKind::Internal);
    error.name = object->value(u"name"_s).toString();
    error.title = object->value(u"title"_s).toString();
    error.detail = object->value(u"detail"_s).toString();
    error.nextStep = object->value(u"nextStep"_s).toString();
    error.httpStatus = object->value(u"httpStatus"_s).toInt();
    error.retryable = object->value(u"retryable"_s).toBool();
    if (const QJsonValue at = object->value(u"notBefore"_s); !at.isUndefined())
        error.notBefore = fromEpochMs(at.toInteger());
    return error;
}

QByteArray encode(const RateLimit &limit)
{
    QJsonObject object{{u"source"_s, limit.source}, {u"policy"_s, limit.policy}};
    if (limit.limit)
        object.insert(u"limit"_s, *limit.limit);
    if (limit.remaining)
        object.insert(u"remaining"_s, *limit.remaining);
    if (limit.resetAt)
        object.insert(u"resetAt"_s, toEpochMs(*limit.resetAt));
    return text(object);
}

std::optional<RateLimit> decodeRateLimit(const QByteArray &json)
{
    const auto object = objectOf(json);
    if (!object)
        return std::nullopt;
    RateLimit limit;
    limit.source = object->value(u"source"_s).toString();
    limit.policy = object->value(u"policy"_s).toString();
    if (object->contains(u"limit"_s))
        limit.limit = object->value(u"limit"_s).toInteger();
    if (object->contains(u"remaining"_s))
        limit.remaining = object->value(u"remaining"_s).toInteger();
    if (object->contains(u"resetAt"_s))
        limit.resetAt = fromEpochMs(object->value(u"resetAt"_s).toInteger());
    return limit;
}

QByteArray encode(const PollSummary &summary)
{
    return text(QJsonObject{{u"lane"_s, static_cast<int>(summary.lane)},
                            {u"startedAt"_s, toEpochMs(summary.startedAt)},
                            {u"took"_s, static_cast<qint64>(summary.took.count())},
                            {u"pages"_s, summary.pages},
                            {u"items"_s, summary.items},
                            {u"created"_s, summary.events.created},
                            {u"updated"_s, summary.events.updated},
                            {u"deleted"_s, summary.events.deleted},
                            {u"notModified"_s, summary.notModified},
                            {u"truncated"_s, summary.truncated},
                            {u"verdict"_s, static_cast<int>(summary.verdict)}});
}

std::optional<PollSummary> decodePollSummary(const QByteArray &json)
{
    const auto object = objectOf(json);
    if (!object)
        return std::nullopt;
    PollSummary summary;
    summary.lane = enumOf(object->value(u"lane"_s), Lane::Replay);
    summary.startedAt = fromEpochMs(object->value(u"startedAt"_s).toInteger());
    summary.took = Duration{object->value(u"took"_s).toInteger()};
    summary.pages = static_cast<int>(object->value(u"pages"_s).toInteger());
    summary.items = object->value(u"items"_s).toInteger();
    summary.events.created = object->value(u"created"_s).toInteger();
    summary.events.updated = object->value(u"updated"_s).toInteger();
    summary.events.deleted = object->value(u"deleted"_s).toInteger();
    summary.notModified = object->value(u"notModified"_s).toBool();
    summary.truncated = object->value(u"truncated"_s).toBool();
    summary.verdict = enumOf(object->value(u"verdict"_s), Verdict::Suspect);
    return summary;
}

QByteArray encode(const QList<AttemptRecord> &history)
{
    QJsonArray array;
    for (const AttemptRecord &record : history)
        array.append(QJsonObject{
            {u"at"_s, toEpochMs(record.at)}, {u"sink"_s, record.sink}, {u"message"_s, record.message}});
    return text(array);
}

QList<AttemptRecord> decodeHistory(const QByteArray &json)
{
    QList<AttemptRecord> history;
    const QJsonArray array = arrayOf(json);
    for (const QJsonValue &value : array)
        history.append({fromEpochMs(value[u"at"_s].toInteger()), value[u"sink"_s].toString(),
                        value[u"message"_s].toString()});
    return history;
}

QByteArray encode(const QList<ItemIssue> &issues)
{
    QJsonArray array;
    for (const ItemIssue &issue : issues)
        array.append(QJsonObject{{u"path"_s, issue.path}, {u"message"_s, issue.message}});
    return text(array);
}

QList<ItemIssue> decodeIssues(const QByteArray &json)
{
    QList<ItemIssue> issues;
    const QJsonArray array = arrayOf(json);
    for (const QJsonValue &value : array)
        issues.append({value[u"path"_s].toString(), value[u"message"_s].toString()});
    return issues;
}

QByteArray encode(const QStringList &names)
{
    return text(QJsonArray::fromStringList(names));
}

QStringList decodeNames(const QByteArray &json)
{
    QStringList names;
    const QJsonArray array = arrayOf(json);
    for (const QJsonValue &value : array)
        names.append(value.toString());
    return names;
}

void addToHistory(QList<AttemptRecord> &history, const AttemptRecord &record)
{
    history.append(record);
    if (history.size() > maxHistory)
        history.remove(0, history.size() - maxHistory);
}

} // namespace watukuy::rowcodec
