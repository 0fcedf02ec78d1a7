// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include "engine/change/change.h"
#include "engine/change/scanverdict.h"
#include "engine/json/rawvalue.h"

using namespace watukuy;
using namespace watukuy::change;
using namespace Qt::StringLiterals;

namespace {

PollerDefinition pollerWith(std::optional<QString> version = {})
{
    PollerDefinition poller;
    poller.name = u"orders"_s;
    poller.source = u"urn:watukuy:orders"_s;
    poller.identity.paths = {*json::Path::parse(u"id"_s)};
    if (version)
        poller.version = *json::Path::parse(*version);
    return poller;
}

/// What a consumer that drops repeated ids ends up with, and the snapshot behind it.
struct World {
    PollerDefinition poller;
    QHash<QString, ItemRow> rows;
    QSet<EventId> known;
    QHash<QString, QByteArray> consumer;
    QList<Event> events;

    void take(const Event &event)
    {
        events.append(event);
        if (known.contains(event.id))
            return;
        known.insert(event.id);
        if (event.type == EventType::Deleted)
            consumer.remove(event.subject);
        else
            consumer.insert(event.subject, event.data);
    }
    PageDiff list(const std::vector<QByteArray> &items)
    {
        const PageContext context{.key = {u"orders"_s, {}}, .now = fromEpochMs(1000)};
        PageDiff diff = diffPage(identify(items, poller.identity).items, rows, poller, context);
        for (const ItemRow &row : diff.upserts)
            rows.insert(row.identity, row);
        for (const Event &event : diff.events)
            take(event);
        return diff;
    }
    void remove(const QString &identity)
    {
        const Deletion deletion = deletionOf(rows.value(identity), poller, {.key = {u"orders"_s, {}}}, 0);
        rows.insert(identity, deletion.tombstone);
        take(deletion.event);
    }
};

} // namespace

class TestChange : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyVectorHasItsMaterialAndId()
    {
        QFile file(QStringLiteral(WATUKUY_VECTORS) + u"/event-ids.json"_s);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonArray rows = QJsonDocument::fromJson(file.readAll()).array();
        QVERIFY(rows.size() > 10);
        for (const QJsonValue &row : rows) {
            const QString word = row[u"type"_s].toString();
            const EventType type = word == u"created"   ? EventType::Created
                                   : word == u"updated" ? EventType::Updated
                                                        : EventType::Deleted;
            const auto text = [&](const char *name) { return row[QLatin1StringView(name)].toString(); };
            const int schemaVersion = row[u"schemaVersion"_s].toInt();
            QCOMPARE(eventMaterial(text("source"), text("partition"), text("identity"), text("versionOrHash"),
                                   schemaVersion, type, 1),
                     json::wellFormed(text("material")).toUtf8());
            QCOMPARE(eventId(text("source"), text("partition"), text("identity"), text("versionOrHash"),
                             schemaVersion, type, 1)
                         .toHex(),
                     text("id").toLatin1());
        }
    }

    void fromTheSecondRevisionOnTheMaterialEndsInIt()
    {
        QVERIFY(eventMaterial(u"s"_s, {}, u"i"_s, u"v"_s, 1, EventType::Updated, 2).endsWith("|updated|2"));
    }

    void identitiesAreWhatAUrlWouldCarry()
    {
        const IdentityDefinition id = pollerWith().identity;
        QCOMPARE(*identityOf(R"({"id":1})", id), u"1"_s);
        QCOMPARE(*identityOf(R"({"id":"1"})", id), u"1"_s);
        QCOMPARE(*identityOf(R"({"id":7615917337495251231})", id), u"7615917337495251231"_s);
        IdentityDefinition two;
        two.paths = {*json::Path::parse(u"shop"_s), *json::Path::parse(u"no"_s)};
        QCOMPARE(*identityOf(R"({"shop":"a","no":5})", two), u"a/5"_s);
        IdentityDefinition pattern;
        pattern.pattern = *Template::parse(u"${shop}-${no}"_s);
        QCOMPARE(*identityOf(R"({"shop":"a","no":5})", pattern), u"a-5"_s);
    }

    void C54_identitiesThatAreNoneSayWhy()
    {
        const IdentityDefinition id = pollerWith().identity;
        QVERIFY(identityOf(R"({"id":null})", id).error().detail.contains(u"null"_s));
        QVERIFY(identityOf(R"({"id":{"a":1}})", id).error().detail.contains(u"object"_s));
        QVERIFY(identityOf(R"({"x":1})", id).error().detail.contains(u"missing"_s));
        const IdentifiedPage page = identify({R"({"id":null})", R"({"id":null})", R"({"id":1})"}, id);
        QCOMPARE(page.invalid.size(), size_t(2));
        QCOMPARE(page.items.size(), size_t(1));
    }

    void theLastOfTwoItemsWithOneIdentityCountsAndIsReported()
    {
        const IdentifiedPage page =
            identify({R"({"id":1,"a":1})", R"({"id":1,"a":2})"}, pollerWith().identity);
        QCOMPARE(page.items.size(), size_t(1));
        QCOMPARE(page.items[0].raw, R"({"id":1,"a":2})");
        QCOMPARE(page.unstable, QList<QString>{u"1"_s});
    }

    void C26_sameContentInAnotherDressIsNoChange()
    {
        World world{pollerWith()};
        world.list({R"({"id":1,"total":5.0})"});
        QVERIFY(world.list({R"({ "total": 5 , "id":1 })"}).events.empty());
        QCOMPARE(world.events.size(), 1);
    }

    void anEqualVersionIsNotHashedAndANewOneWithTheSameContentIsNoEvent()
    {
        World world{pollerWith(u"v"_s)};
        world.poller.fingerprint = {FingerprintDefinition::Mode::Chosen, {*json::Path::parse(u"total"_s)}};
        world.list({R"({"id":1,"v":1,"total":5})"});
        QVERIFY(world.list({R"({"id":1,"v":1,"total":6})"}).upserts.empty());
        const PageDiff moved = world.list({R"({"id":1,"v":2,"total":5})"});
        QVERIFY(moved.events.empty());
        QCOMPARE(moved.upserts.size(), size_t(1));
        QCOMPARE(moved.upserts[0].revision, 1);
    }

    void excludedMembersDoNotCount()
    {
        World world{pollerWith()};
        world.poller.fingerprint = {FingerprintDefinition::Mode::Exclude, {*json::Path::parse(u"seen"_s)}};
        world.list({R"({"id":1,"seen":1,"total":5})"});
        QVERIFY(world.list({R"({"id":1,"seen":2,"total":5})"}).events.empty());
        QCOMPARE(world.list({R"({"id":1,"seen":2,"total":6})"}).events.size(), size_t(1));
    }

    void C40_aConsumerThatDropsRepeatedIdsEndsAtTheLastState_data()
    {
        QTest::addColumn<bool>("withVersion");
        QTest::newRow("without a version") << false;
        QTest::newRow("with a version") << true;
    }

    void C40_aConsumerThatDropsRepeatedIdsEndsAtTheLastState()
    {
        QFETCH(bool, withVersion);
        World world{withVersion ? pollerWith(u"v"_s) : pollerWith()};
        const QByteArray a = R"({"id":1,"v":"a"})";
        const QByteArray b = R"({"id":1,"v":"b"})";
        for (const QByteArray &state : {a, b, a, b})
            world.list({state});
        QCOMPARE(world.events.size(), 4);
        QCOMPARE(world.consumer.value(u"1"_s), b);
    }

    void C41_anItemThatComesBackUnchangedExistsAgain()
    {
        World world{pollerWith()};
        world.list({R"({"id":1})"});
        world.remove(u"1"_s);
        QVERIFY(world.consumer.isEmpty());
        world.list({R"({"id":1})"});
        QCOMPARE(world.consumer.size(), 1);
        QCOMPARE(world.rows.value(u"1"_s).revision, 3);
    }

    void C58_aSecondChangeIsAnEventOfItsOwn()
    {
        World world{pollerWith()};
        world.list({R"({"id":1,"v":1})"});
        world.list({R"({"id":1,"v":2})"});
        world.list({R"({"id":1,"v":3})"});
        QCOMPARE(world.known.size(), 3);
    }

    void C59_aNumberAsIdentityStaysTheSameItem()
    {
        World world{pollerWith()};
        for (int cycle = 0; cycle < 5; ++cycle)
            world.list({R"({"id":7,"a":1})", R"({"id":8,"a":1})"});
        QCOMPARE(world.events.size(), 2);
    }

    void C60_itemsThatCannotBeHashedAreSetAsideAndTheRestFlows()
    {
        World world{pollerWith()};
        const PageDiff diff = world.list({R"({"id":1})", R"({"id":2,"alt":NaN})", R"({"id":3,"n":1e400})"});
        QCOMPARE(diff.events.size(), size_t(2));
        QCOMPARE(diff.invalid.size(), size_t(1));
        QCOMPARE(diff.invalid[0].identity, u"2"_s);
    }

    void aNewSchemaVersionRebaselinesSilentlyOrEmits()
    {
        World world{pollerWith()};
        world.list({R"({"id":1})"});
        world.poller.schemaVersion = 2;
        const PageDiff silent = world.list({R"({"id":1})"});
        QVERIFY(silent.events.empty());
        QCOMPARE(silent.upserts[0].schemaVersion, 2);
        world.poller.schemaVersion = 3;
        world.poller.onSchemaChange = OnSchemaChange::Emit;
        QCOMPARE(world.list({R"({"id":1})"}).events.size(), size_t(1));
    }

    void retainedPayloadsGivePreviousAndTheDataOfDeletes()
    {
        World world{pollerWith()};
        world.poller.retain = Retain::Payload;
        world.list({R"({"id":1,"a":1})"});
        world.list({R"({"id":1,"a":2})"});
        QCOMPARE(world.events.last().previous, std::optional<QByteArray>(R"({"id":1,"a":1})"));
        world.remove(u"1"_s);
        QCOMPARE(world.events.last().data, R"({"id":1,"a":2})");
        world.poller.retain = Retain::Hash;
        World bare{pollerWith()};
        bare.list({R"({"id":1})"});
        bare.remove(u"1"_s);
        QVERIFY(bare.events.last().data.isEmpty());
    }

    void aForcedBackfillReemitsWithTheSameIds()
    {
        World world{pollerWith()};
        world.list({R"({"id":1})"});
        world.list({R"({"id":1,"a":2})"});
        const EventId id = world.events.last().id;
        const PageContext forced{.key = {u"orders"_s, {}}, .lane = Lane::Backfill, .reemitKnown = true};
        const PageDiff diff = diffPage(identify({R"({"id":1,"a":2})"}, world.poller.identity).items,
                                       world.rows, world.poller, forced);
        QCOMPARE(diff.events.size(), size_t(1));
        QCOMPARE(diff.events[0].id, id);
        QVERIFY(diff.upserts.empty());
    }

    void theOrderingKeyIsTheSubjectOrAPathOfTheItem()
    {
        Event event;
        event.subject = u"7"_s;
        event.data = R"({"customer":{"id":12}})";
        QCOMPARE(orderingKeyOf(event, u"subject"_s), u"7"_s);
        QCOMPARE(orderingKeyOf(event, u"data.customer.id"_s), u"12"_s);
        QCOMPARE(orderingKeyOf(event, u"data.nothing"_s), u"7"_s);
    }

    void C44_aListingThatLostTooMuchOrEverythingIsSuspect()
    {
        const DeleteGuardDefinition guard;
        ScanFacts facts{.finished = true, .listed = 41, .stored = 100, .missing = 59};
        QVERIFY(verdictOf(facts, guard) == Verdict::Suspect);
        QVERIFY(guardReason(facts, guard).contains(u"59 of 100"_s));
        facts = {.finished = true, .listed = 50, .stored = 100, .missing = 50};
        QVERIFY(verdictOf(facts, guard) == Verdict::Complete);
        facts = {.finished = true, .listed = 0, .stored = 3, .missing = 3};
        QVERIFY(verdictOf(facts, guard) == Verdict::Suspect);
        facts = {.finished = true, .listed = 1, .stored = 10, .missing = 9};
        QVERIFY(verdictOf(facts, guard) == Verdict::Complete);
        DeleteGuardDefinition off;
        off.enabled = false;
        facts = {.finished = true, .listed = 0, .stored = 3, .missing = 3};
        QVERIFY(verdictOf(facts, off) == Verdict::Complete);
    }

    void onlyAWholeListingSeenAtOnceIsComplete()
    {
        const DeleteGuardDefinition guard;
        QVERIFY(verdictOf({.finished = false}, guard) == Verdict::Truncated);
        QVERIFY(verdictOf({.finished = true, .sawUnmodified = true}, guard) == Verdict::Unmodified);
        QVERIFY(verdictOf({.finished = true, .sawUnstable = true}, guard) == Verdict::Unstable);
    }
};

QTEST_GUILESS_MAIN(TestChange)
#include "test_change.moc"
