// SPDX-License-Identifier: GPL-3.0-or-later
// Credentials, sinks and stores of a workspace as values, every default filled in (spec-workspace).
#pragma once

#include <map>
#include <optional>
#include <variant>
#include <vector>

#include <QList>
#include <QString>
#include <QStringList>

#include "engine/definition/template.h"
#include "engine/model/instant.h"

namespace watukuy {

struct BearerCredential {
    Template token;
};
struct BasicCredential {
    Template username, password;
};
struct ApiKeyCredential {
    enum class In { Header, Query, Cookie };
    In in = In::Header;
    QString name;
    Template value;
};
struct OAuth2Credential {
    bool refreshGrant = false;
    Template tokenUrl, clientId, clientSecret, refreshToken;
    QStringList scopes;
    QString audience;
    bool basicClientAuth = false;
};
struct HmacCredential {
    Template key, payload;
    QString algorithm, header, encoding;
};
using CredentialDefinition =
    std::variant<BearerCredential, BasicCredential, ApiKeyCredential, OAuth2Credential, HmacCredential>;

enum class FsyncPolicy { Always, Interval, Never };

struct FileSinkDefinition {
    Template path; ///< relative paths start at the workspace's folder
    std::optional<qint64> rotateSize;
    bool rotateDaily = false;
    int keep = 0; ///< 0 = all
    FsyncPolicy fsync = FsyncPolicy::Interval;
};
struct WebhookSinkDefinition {
    Template url, secret;
    std::vector<std::pair<QString, Template>> headers;
    Duration timeout{10'000};
    QList<int> successStatuses;
    int rateRequests = 0;
    Duration ratePer{0};
};
struct KafkaSinkDefinition {
    QString brokers, topic;
    bool structured = false;
    std::map<QString, Template> properties;
};
struct RedisSinkDefinition {
    QString host, stream;
    int port = 6379;
    Template password;
    qint64 maxLength = 0;
};
struct CommandSinkDefinition {
    QString program, workingDirectory;
    QStringList arguments;
    Duration timeout{30'000};
};
struct NotificationSinkDefinition {
    Template title, body;
    int atMostCount = 0;
    Duration atMostPer{0};
};
using SinkDefinition = std::variant<FileSinkDefinition, WebhookSinkDefinition, KafkaSinkDefinition,
                                    RedisSinkDefinition, CommandSinkDefinition, NotificationSinkDefinition>;

struct MemoryStoreDefinition {};
struct SqliteStoreDefinition {
    QString path; ///< absolute
};
struct PostgresStoreDefinition {
    QString host, database, user, schema;
    int port = 5432;
    Template password;
    QString tls;
};
struct RedisStoreDefinition {
    QString host, prefix;
    int port = 6379;
    int database = 0;
    Template password;
};
using StoreDefinition =
    std::variant<MemoryStoreDefinition, SqliteStoreDefinition, PostgresStoreDefinition, RedisStoreDefinition>;

} // namespace watukuy
