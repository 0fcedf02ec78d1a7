// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/support/scene.h"

namespace watukuy::test {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

Instant sceneNow()
{
    return fromEpochMs(1'767'262'500'000); // 2026-01-01T10:15:00Z
}

KeySnapshot keyIn(VisibleState state, const QString &poller, const QString &partition)
{
    const Instant now = sceneNow();
    KeySnapshot key;
    key.key = {poller, partition};
    key.takenAt = now;
    key.state = state;
    key.running = state == VisibleState::Polling || state == VisibleState::HalfOpen;
    key.schedule.interval = 30s;
    key.schedule.nextDueAt = now + 24s;
    key.schedule.lastSuccessAt = now - 6s;
    key.schedule.lastPollAt = now - 6s;
    key.schedule.lastPoll = PollSummary{.startedAt = now - 7s,
                                        .took = 240ms,
                                        .pages = 2,
                                        .items = 640,
                                        .events = {.created = 3, .updated = 11}};
    key.lag = 6s;
    key.counts.items = 18'240;
    key.liveCursor = R"({"value":"2026-01-01T10:14:54.120Z","tieBreak":"84113"})";
    key.waitingForCode = u"due"_s;
    key.waitingUntil = key.schedule.nextDueAt;
    switch (state) {
    case VisibleState::Throttled:
        key.schedule.throttledUntil = now + 3min;
        key.schedule.nextDueAt = now + 3min;
        key.schedule.lastError = Error{.kind = ErrorKind::Http,
                                       .name = u"Throttled"_s,
                                       .title = u"The API answered 429"_s,
                                       .detail = u"Retry-After: 180 s"_s};
        key.waitingForCode = u"retry-after"_s;
        key.waitingUntil = now + 3min;
        key.lag = 4min;
        break;
    case VisibleState::BackingOff:
        key.schedule.consecutiveFailures = 2;
        key.schedule.nextDueAt = now + 3s;
        key.schedule.lastError = Error{.kind = ErrorKind::Http,
                                       .name = u"HttpStatusError"_s,
                                       .title = u"The API answered 502 Bad Gateway"_s,
                                       .detail = u"GET /v2/rates"_s,
                                       .nextStep = u"Nothing to do yet: it is tried again by itself."_s};
        key.recentErrors = 2;
        key.lag = 95s;
        key.waitingForCode = u"backoff"_s;
        key.waitingUntil = key.schedule.nextDueAt;
        break;
    case VisibleState::CircuitOpen:
    case VisibleState::HalfOpen:
        key.schedule.circuit = state == VisibleState::HalfOpen ? Circuit::HalfOpen : Circuit::Open;
        key.schedule.circuitOpenedAt = now - 12min;
        key.schedule.consecutiveFailures = 9;
        key.schedule.nextDueAt = now + 42s;
        key.schedule.lastSuccessAt = now - 31min;
        key.schedule.lastError = Error{
            .kind = ErrorKind::Http,
            .name = u"HttpStatusError"_s,
            .title = u"The API answered 401 Unauthorized"_s,
            .detail = u"token expired at 09:43 UTC"_s,
            .nextStep = u"Renew the token in the keychain entry carrier-token, then trigger the key."_s};
        key.recentErrors = 5;
        key.lag = 31min;
        key.waitingForCode = u"probe"_s;
        key.waitingUntil = key.schedule.nextDueAt;
        break;
    case VisibleState::Paused:
        key.pause = Pause::Operator;
        key.waitingForCode = u"resume"_s;
        key.waitingUntil.reset();
        key.lag = 2h;
        break;
    case VisibleState::Polling:
        key.lease = Lease{u"desk-01-4711-a3f2c1"_s, 8122, now + 28s};
        key.waitingForCode = u"running"_s;
        break;
    case VisibleState::Idle:
        break;
    }
    return key;
}

QList<KeySnapshot> sceneKeys()
{
    QList<KeySnapshot> keys{keyIn(VisibleState::CircuitOpen, u"carrier-tracking"_s, u"eu-west"_s),
                            keyIn(VisibleState::HalfOpen, u"carrier-tracking"_s, u"us-east"_s),
                            keyIn(VisibleState::BackingOff, u"exchange-rates"_s),
                            keyIn(VisibleState::Throttled, u"bank-statements"_s, u"account-7731"_s),
                            keyIn(VisibleState::Idle, u"orders"_s),
                            keyIn(VisibleState::Polling, u"catalog"_s),
                            keyIn(VisibleState::Polling, u"bank-statements"_s, u"account-1208"_s),
                            keyIn(VisibleState::Idle, u"bank-statements"_s, u"account-5562"_s),
                            keyIn(VisibleState::Idle, u"customers"_s),
                            keyIn(VisibleState::Idle, u"company-registry"_s),
                            keyIn(VisibleState::Idle, u"invoices"_s),
                            keyIn(VisibleState::Idle, u"stock-levels"_s, u"warehouse-2"_s),
                            keyIn(VisibleState::Idle, u"stock-levels"_s, u"warehouse-1"_s),
                            keyIn(VisibleState::Paused, u"returns"_s)};
    keys[4].counts.parked = 2;
    keys[4].counts.outboxPending = 37;
    keys[9].counts.held = 128;
    keys[5].counts.outboxPending = 1204;
    keys[11].leasedElsewhere = true;
    keys[11].lease = Lease{u"desk-02-1180-77ab01"_s, 420, sceneNow() + std::chrono::seconds{21}};
    return keys;
}

void furnish(FakeClient &client)
{
    const Instant now = sceneNow();
    const Key failing{u"carrier-tracking"_s, u"eu-west"_s};
    client.timelines[failing] = {
        {now - 18s, VisibleState::HalfOpen, VisibleState::CircuitOpen, u"probe-failed"_s,
         u"The API answered 401 Unauthorized: token expired at 09:43 UTC"_s, 310ms},
        {now - 19s, VisibleState::CircuitOpen, VisibleState::HalfOpen, u"due"_s, {}, 0ms},
        {now - 12min, VisibleState::Polling, VisibleState::CircuitOpen, u"circuit-open"_s,
         u"The API answered 401 Unauthorized"_s, 295ms},
        {now - 12min - 1s, VisibleState::BackingOff, VisibleState::Polling, u"due"_s, {}, 0ms},
        {now - 14min, VisibleState::Polling, VisibleState::BackingOff, u"backoff"_s,
         u"The API answered 401 Unauthorized"_s, 301ms},
        {now - 31min, VisibleState::Polling, VisibleState::Idle, u"speed-up"_s,
         u"1 pages, 44 items, 2 created, 9 updated, 0 deleted"_s, 188ms}};
    ParkedRow parked{.id = 41, .key = {u"orders"_s, {}}, .kind = ParkedKind::Poison};
    parked.event = Event{};
    parked.event->subject = u"84102"_s;
    parked.error = {.kind = ErrorKind::Sink,
                    .name = u"SinkRefused"_s,
                    .title = u"The receiver answered 422"_s,
                    .detail = u"unknown currency XBT"_s,
                    .nextStep = u"Teach the receiver this currency, then retry."_s};
    parked.attempts = 5;
    parked.parkedAt = now - 22min;
    ParkedRow second = parked;
    second.id = 42;
    second.event->subject = u"84107"_s;
    client.parkedRows[{u"orders"_s, {}}] = {parked, second};
}

QList<LogLine> sceneLog()
{
    const Instant now = sceneNow();
    return {{now - 40s, LogLevel::Info, {}, u"Engine started: 14 keys, instance desk-01-4711-a3f2c1"_s},
            {now - 31s,
             LogLevel::Info,
             {u"orders"_s, {}},
             u"live: 640 items on 2 pages, 3 created, 11 updated, 0 deleted in 240 ms"_s},
            {now - 24s,
             LogLevel::Warning,
             {u"company-registry"_s, {}},
             u"The listing lost so many items that their deletes are held for approval"_s},
            {now - 18s,
             LogLevel::Error,
             {u"carrier-tracking"_s, u"eu-west"_s},
             u"The API answered 401 Unauthorized: token expired at 09:43 UTC"_s},
            {now - 9s,
             LogLevel::Info,
             {u"catalog"_s, {}},
             u"live: 1,204 items on 3 pages, 0 created, 1 updated, 0 deleted in 512 ms"_s}};
}

WorkspaceInfo sceneWorkspace()
{
    return {.file = u"/srv/integrations/shop.watukuy.json"_s,
            .environment = u"production"_s,
            .store = u"SQLite, /srv/integrations/shop.db"_s,
            .instance = u"desk-01-4711-a3f2c1"_s,
            .pollers = {u"orders"_s, u"catalog"_s}};
}

} // namespace watukuy::test
