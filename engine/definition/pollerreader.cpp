// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/definition/pollerreader.h"

#include <algorithm>

#include "engine/definition/cursorreader.h"
#include "engine/definition/partitionreader.h"
#include "engine/definition/requestreader.h"

namespace watukuy {

using namespace Qt::StringLiterals;
using json::Kind;

namespace {

void readIdentity(ObjectReader &poller, IdentityDefinition &identity)
{
    const LocatedValue *value =
        poller.require(u"identity"_s, u"Name the member that tells items apart, for example \"id\"."_s);
    if (!value)
        return;
    const QString place = poller.pointer(u"identity"_s);
    if (value->kind == Kind::Array) {
        poller.paths(u"identity"_s, identity.paths);
        if (identity.paths.empty())
            poller.problem(u"identity"_s, u"\"identity\" is an empty list"_s, u"Name at least one path."_s);
        return;
    }
    if (value->kind != Kind::String || !value->text().contains(u"${")) {
        identity.paths.push_back(ObjectReader::readPath(*value, place, poller.problems()));
        return;
    }
    const auto pattern = Template::parse(value->text());
    if (!pattern) {
        poller.problem(u"identity"_s, pattern.error().oneLine(), pattern.error().nextStep);
        return;
    }
    identity.pattern = *pattern;
    if (pattern->placeholders().isEmpty())
        poller.problem(u"identity"_s, u"Every item would have the same identity"_s,
                       u"Name a member of the item, for example \"${id}\"."_s);
    for (const QString &name : pattern->placeholders()) {
        if (const auto path = json::Path::parse(name); !path)
            poller.problem(u"identity"_s, path.error().oneLine(), path.error().nextStep);
    }
}

void readFingerprint(ObjectReader &poller, FingerprintDefinition &fingerprint)
{
    const LocatedValue *value = poller.take(u"fingerprint"_s);
    if (!value)
        return;
    if (value->kind == Kind::Object) {
        fingerprint.mode = FingerprintDefinition::Mode::Exclude;
        poller.object(u"fingerprint"_s, [&](ObjectReader &inside) {
            inside.require(u"exclude"_s, u"The paths that do not count, for example [\"lastSeen\"]."_s);
            inside.paths(u"exclude"_s, fingerprint.paths);
        });
        return;
    }
    fingerprint.mode = FingerprintDefinition::Mode::Chosen;
    poller.paths(u"fingerprint"_s, fingerprint.paths);
    if (value->kind == Kind::Array && fingerprint.paths.empty())
        poller.problem(u"fingerprint"_s, u"\"fingerprint\" is an empty list: no change would ever be seen"_s,
                       u"Name at least one path, or take it out to compare whole items."_s);
}

void readDeleteGuard(ObjectReader &poller, DeleteGuardDefinition &guard)
{
    const LocatedValue *value = poller.take(u"deleteGuard"_s);
    if (!value)
        return;
    if (value->kind == Kind::String) {
        guard.enabled = false;
        if (value->text() != u"off")
            poller.problem(u"deleteGuard"_s, u"\"deleteGuard\" cannot be \"%1\""_s.arg(value->text()),
                           u"It is \"off\" or an object such as {\"maxPercent\": 50, \"minItems\": 20}."_s);
        return;
    }
    poller.object(u"deleteGuard"_s, [&](ObjectReader &reader) {
        reader.number(u"maxPercent"_s, guard.maxPercent, 0, 100);
        reader.integer(u"minItems"_s, guard.minItems, 0, std::numeric_limits<int>::max());
    });
}

void readBackoff(ObjectReader &reader, BackoffDefinition &backoff)
{
    reader.object(u"backoff"_s, [&](ObjectReader &inside) {
        inside.duration(u"base"_s, backoff.base);
        inside.number(u"factor"_s, backoff.factor, 1, 100);
        inside.duration(u"max"_s, backoff.max);
        if (inside.has(u"max"_s) && backoff.max < backoff.base)
            inside.problem(u"max"_s, u"\"max\" is shorter than \"base\""_s,
                           u"Give a longest wait of at least base."_s);
        backoff.max = std::max(backoff.max, backoff.base);
    });
}

void readActiveWindows(ObjectReader &reader, ActiveWindows &windows)
{
    const auto add = [&](const LocatedValue &element, const QString &place) {
        if (element.kind != Kind::String) {
            reader.problems().add(place, element.line,
                                  u"A window is a text, not %1"_s.arg(kindName(element.kind)),
                                  u"For example \"* 8-17 * * mon-fri\"."_s);
            return;
        }
        if (const auto added = windows.add(element.text(), QTimeZone::systemTimeZone()); !added)
            reader.problems().add(place, element.line, added.error().detail, added.error().nextStep);
    };
    if (const LocatedValue *one = reader.find(u"activeWindows"_s); one && one->kind == Kind::String)
        add(*reader.take(u"activeWindows"_s), reader.pointer(u"activeWindows"_s));
    else
        reader.eachElement(u"activeWindows"_s, add);
}

void readSchedule(ObjectReader &poller, PollerDefinition &definition)
{
    ScheduleDefinition &schedule = definition.schedule;
    poller.object(u"schedule"_s, [&](ObjectReader &reader) {
        reader.duration(u"min"_s, schedule.min);
        reader.duration(u"max"_s, schedule.max);
        reader.flag(u"adaptive"_s, schedule.adaptive);
        reader.number(u"jitter"_s, schedule.jitter, 0, 1);
        readBackoff(reader, schedule.backoff);
        readActiveWindows(reader, schedule.activeWindows);
        if (schedule.max < schedule.min && reader.has(u"max"_s))
            reader.problem(u"max"_s, u"\"max\" is shorter than \"min\""_s,
                           u"Give a longest interval of at least min."_s);
        schedule.max = std::max(schedule.min, schedule.max);
    });
    definition.circuit.probeEvery = schedule.max;
    poller.object(u"circuit"_s, [&](ObjectReader &reader) {
        reader.integer(u"failures"_s, definition.circuit.failures, 1, 1'000'000);
        reader.duration(u"probeEvery"_s, definition.circuit.probeEvery);
    });
}

void readSinkNames(ObjectReader &reader, DeliverDefinition &deliver, const QStringList &sinks)
{
    const LocatedValue *to = reader.find(u"to"_s);
    if (to && to->kind == Kind::String) {
        QString sink;
        reader.reference(u"to"_s, sink, sinks, u"sink"_s);
        deliver.to = {sink};
        return;
    }
    reader.eachElement(u"to"_s, [&](const LocatedValue &element, const QString &place) {
        const QString sink = element.text();
        if (element.kind != Kind::String)
            reader.problems().add(place, element.line,
                                  u"The name of a sink is a text, not %1"_s.arg(kindName(element.kind)));
        else if (deliver.to.contains(sink))
            reader.problems().add(place, element.line, u"The sink \"%1\" is named twice"_s.arg(sink),
                                  u"Take one of them out."_s);
        else if (!sinks.contains(sink))
            reader.problems().add(place, element.line, u"There is no sink \"%1\""_s.arg(sink),
                                  sinks.isEmpty() ? u"The workspace has none; add it first."_s
                                                  : nearestHint(sink, sinks));
        deliver.to.append(sink);
    });
}

void readDeliver(ObjectReader &poller, DeliverDefinition &deliver, const QStringList &sinks)
{
    poller.object(u"deliver"_s, [&](ObjectReader &reader) {
        readSinkNames(reader, deliver, sinks);
        json::Path orderingKey;
        reader.path(u"orderingKey"_s, orderingKey);
        reader.text(u"orderingKey"_s, deliver.orderingKey);
        reader.integer(u"concurrency"_s, deliver.concurrency, 1, 10'000);
        reader.object(u"retry"_s, [&](ObjectReader &retry) {
            retry.integer(u"attempts"_s, deliver.retry.attempts, 1, 1'000'000);
            readBackoff(retry, deliver.retry.backoff);
        });
        reader.object(u"poison"_s, [&](ObjectReader &poison) {
            poison.word(u"action"_s, deliver.poisonAction,
                        {{"park"_L1, PoisonAction::Park}, {"halt"_L1, PoisonAction::Halt}});
            poison.flag(u"holdKey"_s, deliver.holdKey);
        });
        reader.word(u"format"_s, deliver.format,
                    {{"native"_L1, EventFormat::Native}, {"cloudevents"_L1, EventFormat::CloudEvents}});
    });
}

void readSchema(ObjectReader &poller, std::optional<json::Schema> &schema)
{
    const LocatedValue *value = poller.take(u"schema"_s);
    if (!value)
        return;
    if (value->kind != Kind::Object) {
        poller.problem(u"schema"_s, u"\"schema\" should be an object, not %1"_s.arg(kindName(value->kind)),
                       u"Write a JSON Schema, for example {\"required\": [\"id\"]}."_s);
        return;
    }
    auto compiled = json::Schema::compile(value->raw);
    if (compiled)
        schema = std::move(*compiled);
    else
        poller.problem(u"schema"_s, compiled.error().oneLine(), compiled.error().nextStep);
}

void readChangeDetection(ObjectReader &poller, PollerDefinition &definition)
{
    readIdentity(poller, definition.identity);
    poller.path(u"version"_s, definition.version);
    readFingerprint(poller, definition.fingerprint);
    poller.integer(u"schemaVersion"_s, definition.schemaVersion, 1, std::numeric_limits<int>::max());
    poller.word(u"onSchemaChange"_s, definition.onSchemaChange,
                {{"rebaseline"_L1, OnSchemaChange::Rebaseline}, {"emit"_L1, OnSchemaChange::Emit}});
    poller.word(u"retain"_s, definition.retain, {{"hash"_L1, Retain::Hash}, {"payload"_L1, Retain::Payload}});
    readSchema(poller, definition.schema);
    poller.word(u"onInvalid"_s, definition.onInvalid,
                {{"quarantine"_L1, OnInvalid::Quarantine},
                 {"skip"_L1, OnInvalid::Skip},
                 {"fail"_L1, OnInvalid::Fail}});
    readDeleteGuard(poller, definition.deleteGuard);
    poller.duration(u"tombstoneRetention"_s, definition.tombstoneRetention, Least::Zero);
}

PaginationDefinition pagingByStrategy(const PollerDefinition &poller)
{
    PaginationDefinition paging;
    const bool lists = poller.cursor.strategy == Strategy::SnapshotDiff;
    setKind(paging, lists ? pagingOfTemplate(poller.request) : PagingKind::Keyset);
    return paging;
}

/// What reconcile pages by before its own `pagination` is laid over: its template decides, then what
/// the poller declared, unless that goes by the cursor.
PaginationDefinition reconcilePaging(const RequestDefinition &request, const PaginationDefinition &declared)
{
    PaginationDefinition paging = declared;
    const PagingKind byTemplate = pagingOfTemplate(request);
    if (byTemplate != PagingKind::None && byTemplate != declared.kind)
        setKind(paging, byTemplate);
    else if (declared.kind == PagingKind::Keyset)
        setKind(paging, PagingKind::None);
    return paging;
}

/// The kind that `pagination` of `owner` names, without reading it.
QString declaredKind(const LocatedValue *pagination)
{
    const LocatedValue *kind = pagination ? pagination->member(u"kind"_s) : nullptr;
    return kind ? kind->text() : QString();
}

/// Reads the poller one part after the other; later parts look at earlier ones.
class PollerReading {
public:
    PollerReading(const QString &name, const LocatedValue &value, const QString &pointer,
                  const Surroundings &around, Problems &problems)
        : m_poller(&value, pointer, problems)
        , m_around(around)
    {
        m_definition.name = name;
        m_definition.source = u"urn:watukuy:"_s + name;
    }

    PollerDefinition read()
    {
        if (m_poller.has(u"source"_s))
            m_poller.requiredText(u"source"_s, m_definition.source, u"For example \"urn:example:orders\"."_s);
        else
            (void)m_poller.take(u"source"_s);
        m_poller.flag(u"enabled"_s, m_definition.enabled);
        m_poller.text(u"description"_s, m_definition.description);
        m_poller.texts(u"tags"_s, m_definition.tags);
        m_knowsStrategy = readCursor(m_poller, m_definition.cursor);
        readListing();
        readChangeDetection(m_poller, m_definition);
        readReconcile();
        readPartitions(m_poller, m_definition.partitions, m_definition.name, m_around);
        readSchedule(m_poller, m_definition);
        m_poller.reference(u"budget"_s, m_definition.budget, m_around.budgets, u"budget"_s);
        m_poller.number(u"budgetWeight"_s, m_definition.budgetWeight, 0.001, 1'000'000);
        readDeliver(m_poller, m_definition.deliver, m_around.sinks);
        readLimits();
        return std::move(m_definition);
    }

private:
    [[nodiscard]] bool listsEverything() const
    {
        return m_knowsStrategy && m_definition.cursor.strategy == Strategy::SnapshotDiff;
    }

    void readListing()
    {
        const bool takesNext = fillsNext(declaredKind(m_poller.find(u"pagination"_s)));
        const PlaceholderRules rules =
            requestRules(m_around, m_knowsStrategy ? &m_definition.cursor : nullptr, takesNext);
        m_poller.require(u"request"_s, u"At least {\"url\": \"https://…\"}."_s);
        m_poller.object(u"request"_s, [&](ObjectReader &request) {
            readRequest(request, m_definition.request, m_around, rules, Overlay::No);
        });
        m_poller.duration(u"validatorMaxAge"_s, m_definition.request.validatorMaxAge, Least::Zero);
        m_poller.object(u"response"_s,
                        [&](ObjectReader &response) { readResponse(response, m_definition.response); });
        if (m_knowsStrategy && m_definition.cursor.strategy == Strategy::Token &&
            !m_definition.response.shape.cursor)
            m_poller.problem(u"response"_s, u"A token cursor does not say where the next token stands"_s,
                             u"Give response.cursor, for example \"nextSyncToken\"."_s);
        m_definition.pagination = pagingByStrategy(m_definition);
        readPagination(m_poller, m_definition.pagination, m_definition.request, m_definition.response,
                       listsEverything() ? ScanCursor::Absent : ScanCursor::Present);
        m_declaredPaging = m_definition.pagination;
        takeSizeFromQuery(m_definition.pagination, m_definition.request);
    }

    void readReconcile()
    {
        if (listsEverything() && m_poller.find(u"reconcile"_s)) {
            (void)m_poller.takeNullable(u"reconcile"_s);
            m_poller.problem(
                u"reconcile"_s,
                u"A snapshotDiff poller lists everything each cycle; it has nothing to reconcile"_s,
                u"Take \"reconcile\" out."_s);
            return;
        }
        m_poller.object(u"reconcile"_s, [&](ObjectReader &reader) {
            ReconcileDefinition reconcile{.request = m_definition.request, .response = m_definition.response};
            reader.require(u"every"_s, u"How often everything is listed, for example \"6h\"."_s);
            reader.duration(u"every"_s, reconcile.every);
            readReconcileRequest(reader, reconcile.request);
            reader.object(u"response"_s,
                          [&](ObjectReader &response) { readResponse(response, reconcile.response); });
            reconcile.pagination = reconcilePaging(reconcile.request, m_declaredPaging);
            readPagination(reader, reconcile.pagination, reconcile.request, reconcile.response,
                           ScanCursor::Absent);
            takeSizeFromQuery(reconcile.pagination, reconcile.request);
            m_definition.reconcile = std::move(reconcile);
        });
    }

    /// The parts that ask from the cursor on are left out: a reconcile asks for everything.
    void readReconcileRequest(ObjectReader &reader, RequestDefinition &request)
    {
        const auto asksFromCursor = [](const auto &member) { return member.second.uses(u"cursor."); };
        std::erase_if(request.query, asksFromCursor);
        std::erase_if(request.headers, asksFromCursor);
        const QString own = declaredKind(reader.find(u"pagination"_s));
        const QString kind = own.isEmpty() ? declaredKind(m_poller.find(u"pagination"_s)) : own;
        const PlaceholderRules rules = reconcileRules(m_around, fillsNext(kind));
        reader.object(u"request"_s, [&](ObjectReader &inside) {
            readRequest(inside, request, m_around, rules, Overlay::Yes);
        });
        const LocatedValue *given = reader.find(u"request"_s);
        const auto inherits = [given](const QString &name) { return !given || !given->member(name); };
        const bool formUses = std::ranges::any_of(request.form, asksFromCursor);
        if (request.url.uses(u"cursor.") && inherits(u"url"_s))
            reader.problem(
                u"request"_s,
                u"The url of the poller asks from the cursor on; a reconcile asks for everything"_s,
                u"Give reconcile.request.url."_s);
        if ((request.body.uses(u"cursor.") || formUses) && inherits(u"body"_s))
            reader.problem(
                u"request"_s,
                u"The body of the poller's request asks from the cursor on; a reconcile asks for everything"_s,
                u"Give reconcile.request.body."_s);
    }

    void readLimits()
    {
        m_poller.object(u"log"_s, [&](ObjectReader &log) {
            Duration retention{};
            log.require(u"retention"_s, u"How long events stay in the log, for example \"30d\"."_s);
            log.duration(u"retention"_s, retention);
            m_definition.logRetention = retention;
        });
        m_poller.integer(u"maxPagesPerCycle"_s, m_definition.maxPagesPerCycle, 1, 1'000'000);
        Duration cycleTime{};
        m_poller.duration(u"maxCycleTime"_s, cycleTime);
        if (cycleTime > Duration::zero())
            m_definition.maxCycleTime = cycleTime;
    }

    PollerDefinition m_definition;
    ObjectReader m_poller;
    const Surroundings &m_around;
    PaginationDefinition m_declaredPaging;
    bool m_knowsStrategy = false;
};

} // namespace

PollerDefinition readPoller(const QString &name, const LocatedValue &value, const QString &pointer,
                            const Surroundings &around, Problems &problems)
{
    return PollerReading(name, value, pointer, around, problems).read();
}

} // namespace watukuy
