// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QRegularExpression>

#include "engine/definition/endpointreader.h"
#include "engine/definition/requestreader.h"

namespace watukuy {

using namespace Qt::StringLiterals;
using json::Kind;

namespace {

/// `path` below `folder`, whose own name may hold what looks like a placeholder.
Template absolutePath(const Template &path, const QString &folder)
{
    if (path.isEmpty() || QDir::isAbsolutePath(path.text()))
        return path;
    QString start = QDir(folder).absolutePath();
    start.replace(u"${"_s, u"$${"_s);
    return Template::parse(start + u'/' + path.text()).value_or(path);
}

FileSinkDefinition readFileSink(ObjectReader &reader, const Surroundings &around)
{
    FileSinkDefinition file;
    Template path;
    const PlaceholderRules rules{.place = u"the path of a file sink"_s,
                                 .names = {u"poller"_s, u"partition"_s, u"date"_s}};
    QString text;
    reader.requiredText(u"path"_s, text, u"For example \"events/${poller}.jsonl\"."_s);
    reader.pattern(u"path"_s, path, rules);
    file.path = absolutePath(path, around.folder);
    reader.object(u"rotate"_s, [&](ObjectReader &rotate) {
        rotate.size(u"size"_s, file.rotateSize);
        rotate.word(u"every"_s, file.rotateDaily, {{"day"_L1, true}});
    });
    reader.integer(u"keep"_s, file.keep, 0, 1'000'000);
    reader.word(u"fsync"_s, file.fsync,
                {{"always"_L1, FsyncPolicy::Always},
                 {"interval"_L1, FsyncPolicy::Interval},
                 {"never"_L1, FsyncPolicy::Never}});
    return file;
}

/// So many in such a time: one without the other says nothing.
void readRate(ObjectReader &reader, const QString &countName, int &count, Duration &per)
{
    reader.require(countName, u"How many."_s);
    reader.require(u"per"_s, u"In which time, for example \"1m\"."_s);
    reader.integer(countName, count, 1, 1'000'000);
    reader.duration(u"per"_s, per);
}

WebhookSinkDefinition readWebhookSink(ObjectReader &reader, const Surroundings &around)
{
    WebhookSinkDefinition webhook;
    reader.require(u"url"_s, u"The address that takes the events."_s);
    reader.url(u"url"_s, webhook.url, sinkRules(around, u"the url of a webhook"_s));
    readSecret(reader, u"secret"_s, webhook.secret, connectionRules(around, u"the secret of a webhook"_s),
               false);
    reader.patterns(u"headers"_s, webhook.headers, sinkRules(around, u"a header of a webhook"_s),
                    Qt::CaseInsensitive);
    checkHeaders(reader, u"headers"_s);
    reader.duration(u"timeout"_s, webhook.timeout);
    reader.eachElement(u"successStatuses"_s, [&](const LocatedValue &element, const QString &place) {
        static const QRegularExpression form(u"\\A[1-5][0-9][0-9]\\z"_s);
        if (element.kind == Kind::Number && form.match(QString::fromLatin1(element.raw)).hasMatch())
            webhook.successStatuses.append(element.raw.toInt());
        else
            reader.problems().add(place, element.line, u"A status is a number from 100 to 599"_s,
                                  u"For example [200, 202]."_s);
    });
    reader.object(u"rateLimit"_s, [&](ObjectReader &limit) {
        readRate(limit, u"requests"_s, webhook.rateRequests, webhook.ratePer);
    });
    return webhook;
}

KafkaSinkDefinition readKafkaSink(ObjectReader &reader, const Surroundings &around)
{
    KafkaSinkDefinition kafka;
    reader.requiredText(u"brokers"_s, kafka.brokers, u"For example \"kafka1:9092,kafka2:9092\"."_s);
    reader.requiredText(u"topic"_s, kafka.topic, u"The topic that takes the events."_s);
    reader.word(u"mode"_s, kafka.structured, {{"binary"_L1, false}, {"structured"_L1, true}});
    std::vector<std::pair<QString, Template>> properties;
    reader.patterns(u"properties"_s, properties, connectionRules(around, u"a property of a kafka sink"_s));
    kafka.properties = {properties.begin(), properties.end()};
    static const QRegularExpression secretName(u"(^|\\.)(password|secret)$"_s);
    for (const auto &[name, text] : properties) {
        if (!secretName.match(name).hasMatch() || text.usesSecret())
            continue;
        const LocatedValue *literal = reader.find(u"properties"_s)->member(name);
        reader.problems().add(
            reader.pointer(u"properties"_s) + pointerStep(name), literal->line,
            u"\"%1\" is written into the workspace; a workspace never holds a secret"_s.arg(name),
            u"Write ${keychain:NAME}, ${env:NAME} or ${file:PATH}."_s);
    }
    return kafka;
}

RedisSinkDefinition readRedisSink(ObjectReader &reader, const Surroundings &around)
{
    RedisSinkDefinition redis;
    reader.requiredText(u"host"_s, redis.host, u"The name or address of the server."_s);
    reader.integer(u"port"_s, redis.port, 1, 65535);
    readSecret(reader, u"password"_s, redis.password, connectionRules(around, u"the password of a sink"_s),
               false);
    reader.requiredText(u"stream"_s, redis.stream, u"The stream that takes the events."_s);
    reader.integer(u"maxLength"_s, redis.maxLength, 0, std::numeric_limits<int>::max());
    return redis;
}

/// A program is looked up on the PATH unless its name has a slash.
CommandSinkDefinition readCommandSink(ObjectReader &reader, const Surroundings &around)
{
    CommandSinkDefinition command;
    reader.requiredText(u"program"_s, command.program,
                        u"The program that gets each event on its standard input."_s);
    reader.texts(u"arguments"_s, command.arguments);
    reader.duration(u"timeout"_s, command.timeout);
    reader.text(u"workingDirectory"_s, command.workingDirectory);
    for (QString *path : {&command.program, &command.workingDirectory}) {
        const bool isPath = path == &command.workingDirectory ? !path->isEmpty() : path->contains(u'/');
        if (isPath)
            *path = QDir(around.folder).absoluteFilePath(*path);
    }
    return command;
}

NotificationSinkDefinition readNotificationSink(ObjectReader &reader, const Surroundings &around)
{
    NotificationSinkDefinition notification;
    PlaceholderRules rules = sinkRules(around, u"a notification"_s);
    rules.secrets = false;
    rules.names << u"id"_s << u"type"_s << u"subject"_s << u"time"_s;
    rules.prefixes << u"data."_s;
    reader.pattern(u"title"_s, notification.title, rules);
    reader.pattern(u"body"_s, notification.body, rules);
    reader.object(u"atMost"_s, [&](ObjectReader &atMost) {
        readRate(atMost, u"count"_s, notification.atMostCount, notification.atMostPer);
    });
    return notification;
}

} // namespace

std::optional<SinkDefinition> readSink(const LocatedValue &value, const QString &pointer,
                                       const Surroundings &around, Problems &problems)
{
    ObjectReader reader(&value, pointer, problems);
    const auto kind =
        readKind(reader, {u"file"_s, u"webhook"_s, u"kafka"_s, u"redis"_s, u"command"_s, u"notification"_s});
    switch (kind.value_or(-1)) {
    case 0:
        return readFileSink(reader, around);
    case 1:
        return readWebhookSink(reader, around);
    case 2:
        return readKafkaSink(reader, around);
    case 3:
        return readRedisSink(reader, around);
    case 4:
        return readCommandSink(reader, around);
    case 5:
        return readNotificationSink(reader, around);
    default:
        return {};
    }
}

} // namespace watukuy
