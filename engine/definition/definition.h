// SPDX-License-Identifier: GPL-3.0-or-later
// A workspace as values: validated, every default filled in (spec-workspace).
#pragma once

#include <map>
#include <optional>
#include <vector>

#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringList>

#include "engine/definition/activewindows.h"
#include "engine/definition/endpoints.h"
#include "engine/definition/template.h"
#include "engine/json/pagebody.h"
#include "engine/json/path.h"
#include "engine/json/schema.h"
#include "engine/model/instant.h"
#include "engine/model/key.h"

namespace watukuy {

struct BackoffDefinition {
    Duration base{1000};
    double factor = 2;
    Duration max{600'000};
    bool operator==(const BackoffDefinition &) const = default;
};

struct ScheduleDefinition {
    Duration min{30'000};
    Duration max{300'000};
    bool adaptive = true;
    double jitter = 0.1;
    BackoffDefinition backoff;
    ActiveWindows activeWindows; ///< outside of them nothing is asked unless by hand
};

struct CircuitDefinition {
    int failures = 5;
    Duration probeEvery{300'000}; ///< defaults to schedule.max
};

enum class StatusRule { Fail, Empty, Throttle, IgnorePage };
enum class Redirects { SameOrigin, Any, None };
enum class Validators { Auto, On, Off };
enum class ProxyUse { System, None, Named };
enum class BodyKind { None, Json, Text, Form, GraphQl };

/// `request` of a poller, all texts with placeholders.
struct RequestDefinition {
    QByteArray method = "GET";
    Template url;
    std::vector<std::pair<QString, Template>> query;
    std::vector<std::pair<QString, Template>> headers;
    BodyKind bodyKind = BodyKind::None;
    Template body; ///< JSON text for Json and GraphQl, the text itself for Text
    std::vector<std::pair<QString, Template>> form;
    QString credential;       ///< name in `credentials`, "" for none
    Duration timeout{30'000}; ///< total deadline of one request
    Validators validators = Validators::Auto;
    Duration validatorMaxAge = std::chrono::hours{24};
    int cost = 1;
    qint64 maxBytes = 64LL * 1024 * 1024;
    Redirects redirects = Redirects::SameOrigin;
    QString tlsCa, tlsCertificate, tlsKey; ///< absolute paths, "" for none
    ProxyUse proxyUse = ProxyUse::System;
    Template proxy; ///< for ProxyUse::Named: an http or socks5 address, perhaps with secret references
    bool http2 = false;

    /// True when some part of the request uses a placeholder that starts with `prefix`.
    [[nodiscard]] bool uses(QStringView prefix) const;
};

struct ResponseDefinition {
    json::BodyShape shape;
    std::map<int, StatusRule> onStatus;
};

enum class PagingKind { Keyset, Page, Offset, Token, NextUrl, Link, None };

struct PaginationDefinition {
    PagingKind kind = PagingKind::None;
    qint64 start = 1; ///< page: first page; offset: first offset
    qint64 step = 1;
    std::optional<qint64> size; ///< items of a full page, when the poller says it
    QString header;             ///< token: response header
    QString param;         ///< query parameter that takes page, offset or token when the template names none
    int maxPages = 10'000; ///< bounds one scan
};

enum class Strategy { Timestamp, Token, Page, SnapshotDiff, Custom };

struct CursorDefinition {
    Strategy strategy = Strategy::SnapshotDiff;
    json::Path field;                   ///< timestamp
    std::optional<json::Path> tieBreak; ///< timestamp
    QByteArray initial;                 ///< JSON text as written in the workspace; empty = null
    Duration lag{0};
    Duration overlap{0};
    QStringList formats; ///< Qt date-time formats, tried in order
    QString unit;        ///< "", "s", "ms", "us", "ns"
    QByteArray timeZone; ///< IANA id; empty = UTC
    Duration maxAhead = std::chrono::hours{24};
    QString advance; ///< custom: JavaScript
};

/// One identity part: its path. A template identity has `pattern` instead.
struct IdentityDefinition {
    std::vector<json::Path> paths;
    std::optional<Template> pattern; ///< `${path}` of the item
};

struct FingerprintDefinition {
    enum class Mode { Whole, Chosen, Exclude };
    Mode mode = Mode::Whole;
    std::vector<json::Path> paths;
};

enum class Retain { Hash, Payload };
enum class OnSchemaChange { Rebaseline, Emit };
enum class OnInvalid { Quarantine, Skip, Fail };
enum class PoisonAction { Park, Halt };
enum class EventFormat { Native, CloudEvents };

struct DeleteGuardDefinition {
    bool enabled = true;
    double maxPercent = 50;
    qint64 minItems = 20;
};

struct ReconcileDefinition {
    Duration every{0};
    RequestDefinition request; ///< already laid over the poller's own
    ResponseDefinition response;
    PaginationDefinition pagination;
};

struct PartitionDefinition {
    QString key;
    QByteArray data; ///< raw JSON object, for `${partition.data.…}`; may be empty
    bool operator==(const PartitionDefinition &) const = default;
};

enum class PartitionSource { Single, List, File, Http, Poller };

struct PartitionsDefinition {
    PartitionSource source = PartitionSource::Single;
    std::vector<PartitionDefinition> list;
    QString file;
    QString poller;
    std::optional<RequestDefinition> request;
    json::Path items;
    json::Path key;
    Duration refresh = std::chrono::minutes{5};
};

struct RetryDefinition {
    int attempts = 5;
    BackoffDefinition backoff{Duration{1000}, 2, Duration{120'000}};
};

struct DeliverDefinition {
    QStringList to; ///< sink names
    QString orderingKey = QStringLiteral("subject");
    int concurrency = 1;
    RetryDefinition retry;
    PoisonAction poisonAction = PoisonAction::Park;
    bool holdKey = true;
    EventFormat format = EventFormat::Native;
};

/// A declared API listing.
struct PollerDefinition {
    QString name;
    QString source; ///< `urn:watukuy:<name>` unless given
    bool enabled = true;
    QString description;
    QStringList tags;
    RequestDefinition request;
    ResponseDefinition response;
    PaginationDefinition pagination;
    IdentityDefinition identity;
    std::optional<json::Path> version;
    FingerprintDefinition fingerprint;
    int schemaVersion = 1;
    OnSchemaChange onSchemaChange = OnSchemaChange::Rebaseline;
    Retain retain = Retain::Hash;
    std::optional<json::Schema> schema;
    OnInvalid onInvalid = OnInvalid::Quarantine;
    CursorDefinition cursor;
    std::optional<ReconcileDefinition> reconcile;
    DeleteGuardDefinition deleteGuard;
    PartitionsDefinition partitions;
    ScheduleDefinition schedule;
    CircuitDefinition circuit;
    QString budget;
    double budgetWeight = 1;
    DeliverDefinition deliver;
    std::optional<Duration> logRetention; ///< set = events are logged and can be replayed
    Duration tombstoneRetention = std::chrono::days{90};
    int maxPagesPerCycle = 50;
    std::optional<Duration> maxCycleTime;
};

struct BudgetDefinition {
    QString name;
    int requests = 0;
    Duration per{0};
    int burst = 0; ///< defaults to requests
    Duration maxWait = std::chrono::minutes{1};
    bool weighted = false;
};

/// A whole workspace file.
struct WorkspaceDefinition {
    QString file;            ///< absolute path
    QString folder;          ///< relative paths start here
    QString schemaReference; ///< `$schema`, for editors
    StoreDefinition store;
    std::map<QString, BudgetDefinition> budgets;
    std::map<QString, CredentialDefinition> credentials;
    std::map<QString, SinkDefinition> sinks;
    std::map<QString, PollerDefinition> pollers;
    std::map<QString, QString> variables;
    Duration leaseTtl{30'000};
    Duration leaseRenewEvery{10'000};
    bool readOnly = false;
    QString environment;
    int dispatchBatchSize = 100;
    QString instance; ///< "" = host-pid-random, made at start
};

} // namespace watukuy
