// SPDX-License-Identifier: GPL-3.0-or-later
// The cursor strategies beyond the vectors: the cases of real pollers.
#include <QElapsedTimer>
#include <QTest>

#include "engine/cursor/paging.h"
#include "engine/cursor/strategy.h"

using namespace Qt::StringLiterals;
using namespace watukuy;
using namespace std::chrono_literals;

namespace {

constexpr Instant now = fromEpochMs(1'714'561'200'000); // 2024-05-01T11:00:00Z

json::Path path(const QString &text)
{
    return json::Path::parse(text).value_or(json::Path{});
}

CursorDefinition timestamps(const QString &tieBreak = {})
{
    CursorDefinition definition;
    definition.strategy = Strategy::Timestamp;
    definition.field = path(u"at"_s);
    if (!tieBreak.isEmpty())
        definition.tieBreak = path(tieBreak);
    return definition;
}

CursorDefinition other(Strategy strategy, const QByteArray &initial = {})
{
    CursorDefinition definition;
    definition.strategy = strategy;
    definition.initial = initial;
    return definition;
}

CursorDefinition script(const QString &advance, const QByteArray &initial = {})
{
    CursorDefinition definition = other(Strategy::Custom, initial);
    definition.advance = advance;
    return definition;
}

std::unique_ptr<cursor::CursorStrategy> make(const CursorDefinition &definition)
{
    auto made = cursor::makeStrategy(definition);
    return made ? std::move(*made) : nullptr;
}

json::PageBody page(std::vector<QByteArray> items)
{
    json::PageBody body;
    body.items = std::move(items);
    return body;
}

json::PageBody withCursor(std::vector<QByteArray> items, const QByteArray &token,
                          const QByteArray &hasMore = {})
{
    json::PageBody body = page(std::move(items));
    if (token == "null")
        body.cursor = json::RawValue{json::Kind::Null, token};
    else if (!token.isEmpty())
        body.cursor = json::RawValue{json::Kind::String, token};
    if (!hasMore.isEmpty())
        body.hasMore = json::RawValue{json::Kind::Bool, hasMore};
    return body;
}

QByteArray item(const QByteArray &at, const QByteArray &id = "1")
{
    return "{\"id\":" + id + ",\"at\":" + at + '}';
}

cursor::Advance advance(const cursor::CursorStrategy &strategy, const LaneCursor &from,
                        const json::PageBody &body)
{
    return strategy.advance(from, {body, now}).value_or(cursor::Advance{});
}

} // namespace

class TestStrategies : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void C09_aLateRowInsideTheOverlapIsAskedForAndNothingMovesBack();
    void C09_lagHoldsTheNewestRowsBackUntilTheyHaveSettled();
    void C10_aHundredThousandRowsOfOneInstantKeepTheCursorSmall();
    void C11_theSecondItemOfAMillisecondIsStillAskedFor();
    void C12_tenComesAfterNine();
    void C16_aFutureDateIsKeptAndFlaggedAndMovesNothing();
    void C20_anOverlapCoversAFilterOfWholeMinutes();
    void anUnreadableFieldKeepsItsItemAndIsReported();
    void aPageOfHeldBackRowsEndsTheScanInsteadOfAskingAgain();
    void initialMayBeATextANumberOrBothMembers();
    void anArgumentIsTheApisOwnTextOrNull();
    void aTokenIsFollowedUntilItIsEmpty();
    void aTokenWithNothingMoreIsKeptForNextTime();
    void C03_anEmptyPageWithTheTokenJustSentIsTheEnd();
    void pagesCountUpAndStartAgainWhenTheListingEnds();
    void aDeclaredFlagThatIsMissingEndsAPageCursor();
    void snapshotDiffHasNoCursorAndListsEverything();
    void aScriptMovesItsCursorAndItsMembersArePlaceholders();
    void aScriptMayBeABareExpression();
    void aScriptThatRunsForeverIsStopped();
    void aScriptThatFailsSaysWhere_data();
    void aScriptThatFailsSaysWhere();
    void aScriptThatCannotBeCompiledIsRefusedBeforeTheFirstPage();
    void aScriptHasNoWayOut();
};

void TestStrategies::C09_aLateRowInsideTheOverlapIsAskedForAndNothingMovesBack()
{
    CursorDefinition definition = timestamps();
    definition.overlap = 2min;
    const auto strategy = make(definition);
    const LaneCursor durable{R"({"value":"2024-05-01T02:30:00Z","tieBreak":null})"};
    const LaneCursor asked = strategy->scanStart(durable);
    QCOMPARE(strategy->placeholder(asked, u"value"_s), u"2024-05-01T02:28:00Z"_s);
    const cursor::Advance got =
        advance(*strategy, asked, page({item("\"2024-05-01T02:29:58Z\""), item("\"2024-05-01T02:29:59Z\"")}));
    QVERIFY(got.kept[0] && got.kept[1]);
    // The scan goes on from the late row, the durable cursor stays.
    QCOMPARE(strategy->placeholder(got.next, u"value"_s), u"2024-05-01T02:29:59Z"_s);
    QCOMPARE(strategy->further(durable, got.next), durable);
    const LaneCursor ahead{R"({"value":"2024-05-01T02:31:00Z","tieBreak":null})"};
    QCOMPARE(strategy->further(durable, ahead), ahead);
}

void TestStrategies::C09_lagHoldsTheNewestRowsBackUntilTheyHaveSettled()
{
    CursorDefinition definition = timestamps();
    definition.lag = 30s;
    const auto strategy = make(definition);
    const cursor::Advance got = advance(
        *strategy, {}, page({item("\"2024-05-01T10:59:30Z\""), item("\"2024-05-01T10:59:30.000000001Z\"")}));
    QVERIFY(got.kept[0]);
    QVERIFY(!got.kept[1]);
    QCOMPARE(strategy->placeholder(got.next, u"value"_s), u"2024-05-01T10:59:30Z"_s);
}

void TestStrategies::C10_aHundredThousandRowsOfOneInstantKeepTheCursorSmall()
{
    const auto strategy = make(timestamps(u"id"_s));
    LaneCursor at;
    int id = 0;
    for (int pages = 0; pages < 200; ++pages) {
        json::PageBody body;
        for (int i = 0; i < 500; ++i)
            body.items.push_back(item("\"2024-05-01T10:00:00Z\"", QByteArray::number(++id)));
        const cursor::Advance got = advance(*strategy, at, body);
        QVERIFY(got.next != at);
        at = got.next;
        QVERIFY(at.json.size() < 100);
    }
    QCOMPARE(at.json, R"({"value":"2024-05-01T10:00:00Z","tieBreak":"100000"})"_ba);
}

void TestStrategies::C11_theSecondItemOfAMillisecondIsStillAskedFor()
{
    const auto strategy = make(timestamps(u"id"_s));
    const cursor::Advance first = advance(*strategy, {}, page({item("\"2024-05-01T10:00:00.001Z\"", "1")}));
    QCOMPARE(strategy->placeholder(first.next, u"value"_s), u"2024-05-01T10:00:00.001Z"_s);
    // The inclusive filter lists the first one again beside the second.
    const cursor::Advance second =
        advance(*strategy, first.next,
                page({item("\"2024-05-01T10:00:00.001Z\"", "1"), item("\"2024-05-01T10:00:00.001Z\"", "2")}));
    QVERIFY(second.kept[0] && second.kept[1]);
    QCOMPARE(strategy->placeholder(second.next, u"tieBreak"_s), u"2"_s);
}

void TestStrategies::C12_tenComesAfterNine()
{
    const auto strategy = make(timestamps(u"id"_s));
    const cursor::Advance nine = advance(*strategy, {}, page({item("\"2024-05-01T10:00:00Z\"", "\"9\"")}));
    const cursor::Advance ten =
        advance(*strategy, nine.next, page({item("\"2024-05-01T10:00:00Z\"", "\"10\"")}));
    QCOMPARE(strategy->placeholder(nine.next, u"tieBreak"_s), u"9"_s);
    QCOMPARE(strategy->placeholder(ten.next, u"tieBreak"_s), u"10"_s);
    const cursor::Advance again =
        advance(*strategy, ten.next, page({item("\"2024-05-01T10:00:00Z\"", "\"9\"")}));
    QCOMPARE(again.next, ten.next);
}

void TestStrategies::C16_aFutureDateIsKeptAndFlaggedAndMovesNothing()
{
    const auto strategy = make(timestamps());
    const cursor::Advance got = advance(
        *strategy, {}, page({item("\"2024-05-01T10:00:00Z\""), item("\"2024-06-01T10:00:00Z\"", "2")}));
    QVERIFY(got.kept[0] && got.kept[1]);
    QCOMPARE(strategy->placeholder(got.next, u"value"_s), u"2024-05-01T10:00:00Z"_s);
    QCOMPARE(got.warnings.size(), 1);
    QCOMPARE(got.warnings[0].code, u"future-timestamp"_s);
    QCOMPARE(got.warnings[0].key, u"cursor.maxAhead"_s);
    QVERIFY(got.warnings[0].message.contains(u"2024-06-01"_s));
}

void TestStrategies::C20_anOverlapCoversAFilterOfWholeMinutes()
{
    CursorDefinition definition = timestamps();
    definition.overlap = 1min;
    const auto strategy = make(definition);
    const LaneCursor durable{R"({"value":"2024-05-01T10:00","tieBreak":null})"};
    QCOMPARE(strategy->placeholder(strategy->scanStart(durable), u"value"_s), u"2024-05-01T09:59"_s);
}

void TestStrategies::anUnreadableFieldKeepsItsItemAndIsReported()
{
    const auto strategy = make(timestamps());
    const LaneCursor before{R"({"value":"2024-05-01T10:00:00Z","tieBreak":null})"};
    const cursor::Advance got =
        advance(*strategy, before, page({item("\"soon\""), item("null"), "{\"id\":3}", "{\"broken"}));
    QCOMPARE(got.kept, std::vector<bool>(4, true));
    QCOMPARE(got.next, before);
    QCOMPARE(got.warnings.size(), 1);
    QCOMPARE(got.warnings[0].code, u"unreadable-timestamp"_s);
    QVERIFY(got.warnings[0].message.contains(u"soon"_s));
}

void TestStrategies::aPageOfHeldBackRowsEndsTheScanInsteadOfAskingAgain()
{
    CursorDefinition definition = timestamps();
    definition.lag = 1h;
    const auto strategy = make(definition);
    const LaneCursor before{R"({"value":"2024-05-01T09:00:00Z","tieBreak":null})"};
    const cursor::Advance got = advance(*strategy, before, page({item("\"2024-05-01T10:30:00Z\"")}));
    QCOMPARE(got.next, before);
    QVERIFY(got.exhausted);
}

void TestStrategies::initialMayBeATextANumberOrBothMembers()
{
    CursorDefinition definition = timestamps(u"id"_s);
    definition.initial = R"("2024-01-01T00:00:00Z")";
    QCOMPARE(make(definition)->placeholder({}, u"value"_s), u"2024-01-01T00:00:00Z"_s);
    definition.initial = "1714557600";
    QCOMPARE(make(definition)->placeholder({}, u"value"_s), u"1714557600"_s);
    definition.initial = R"({"value":"2024-01-01","tieBreak":7})";
    QCOMPARE(make(definition)->placeholder({}, u"tieBreak"_s), u"7"_s);
    definition.initial = "null";
    QVERIFY(!make(definition)->placeholder({}, u"value"_s));
    // A page that holds nothing newer than `initial` leaves the lane there.
    definition.initial = R"("2024-01-01T00:00:00Z")";
    QVERIFY(advance(*make(definition), {}, page({item("\"2023-01-01T00:00:00Z\"")})).next.isInitial());
}

void TestStrategies::anArgumentIsTheApisOwnTextOrNull()
{
    const auto strategy = make(timestamps(u"id"_s));
    QCOMPARE(strategy->fromArgument(u"2024-05-01"_s)->json, R"({"value":"2024-05-01","tieBreak":null})"_ba);
    QCOMPARE(strategy->fromArgument(u"\"1714557600\""_s)->json,
             R"({"value":"1714557600","tieBreak":null})"_ba);
    QCOMPARE(strategy->fromArgument(uR"({"value":"2024-05-01","tieBreak":"7"})"_s)->json,
             R"({"value":"2024-05-01","tieBreak":"7"})"_ba);
    QVERIFY(!strategy->placeholder(*strategy->fromArgument(u"null"_s), u"value"_s));
    QCOMPARE(strategy->fromArgument(u"yesterday"_s).error().kind, ErrorKind::Usage);
}

void TestStrategies::aTokenIsFollowedUntilItIsEmpty()
{
    const auto strategy = make(other(Strategy::Token, "\"start\""));
    QCOMPARE(strategy->placeholder({}, u"value"_s), u"start"_s);
    const cursor::Advance first = advance(*strategy, {}, withCursor({"{}"}, "\"A\""));
    QCOMPARE(strategy->placeholder(first.next, u"value"_s), u"A"_s);
    QVERIFY(!first.exhausted);
    // An empty page with another token goes on.
    const cursor::Advance second = advance(*strategy, first.next, withCursor({}, "\"B\""));
    QVERIFY(!second.exhausted);
    for (const QByteArray &nothing : {"null"_ba, "\"\""_ba, ""_ba}) {
        const cursor::Advance last = advance(*strategy, second.next, withCursor({"{}"}, nothing));
        QVERIFY(last.exhausted);
        QVERIFY(last.next.isInitial());
    }
}

void TestStrategies::aTokenWithNothingMoreIsKeptForNextTime()
{
    const auto strategy = make(other(Strategy::Token));
    const cursor::Advance got = advance(*strategy, {}, withCursor({"{}"}, "\"sync-1\"", "false"));
    QVERIFY(got.exhausted);
    QCOMPARE(strategy->placeholder(got.next, u"value"_s), u"sync-1"_s);
}

void TestStrategies::C03_anEmptyPageWithTheTokenJustSentIsTheEnd()
{
    const auto strategy = make(other(Strategy::Token));
    const LaneCursor sent = *strategy->fromArgument(u"C"_s);
    const cursor::Advance got = advance(*strategy, sent, withCursor({}, "\"C\""));
    QVERIFY(got.exhausted);
    QCOMPARE(got.next, sent);
    // With items behind it, the same token again is a loop: the progress guard ends that scan.
    QVERIFY(!advance(*strategy, sent, withCursor({"{}"}, "\"C\"")).exhausted);
}

void TestStrategies::pagesCountUpAndStartAgainWhenTheListingEnds()
{
    const auto strategy = make(other(Strategy::Page, "0"));
    QCOMPARE(strategy->placeholder({}, u"page"_s), u"0"_s);
    const cursor::Advance first = advance(*strategy, {}, page({"{}"}));
    QCOMPARE(strategy->placeholder(first.next, u"page"_s), u"1"_s);
    QVERIFY(!first.exhausted);
    const cursor::Advance last = advance(*strategy, first.next, page({}));
    QVERIFY(last.exhausted);
    QVERIFY(last.next.isInitial());
    QVERIFY(advance(*strategy, first.next, withCursor({"{}"}, {}, "false")).exhausted);
    QCOMPARE(strategy->placeholder(*strategy->fromArgument(u"7"_s), u"page"_s), u"7"_s);
    QCOMPARE(strategy->fromArgument(u"seven"_s).error().kind, ErrorKind::Usage);
}

void TestStrategies::aDeclaredFlagThatIsMissingEndsAPageCursor()
{
    const auto strategy = make(other(Strategy::Page));
    const json::PageBody body = page({"{}"});
    const auto got = strategy->advance({}, {body, now, true});
    QVERIFY(got && got->exhausted && got->next.isInitial());
}

void TestStrategies::snapshotDiffHasNoCursorAndListsEverything()
{
    const auto strategy = make(other(Strategy::SnapshotDiff));
    QVERIFY(strategy->isFullScan());
    QVERIFY(!strategy->placeholder({}, u"value"_s));
    QVERIFY(advance(*strategy, {}, page({"{}"})).next.isInitial());
    QVERIFY(strategy->fromArgument(u"null"_s));
    QVERIFY(!strategy->fromArgument(u"5"_s));
    QVERIFY(!make(timestamps())->isFullScan());
}

void TestStrategies::aScriptMovesItsCursorAndItsMembersArePlaceholders()
{
    const auto strategy = make(script(
        u"({cursor, items, pageCursor, hasMore}) => ({cursor: {after: items[items.length - 1].id, seen: cursor.seen + items.length, page: {token: pageCursor}}, done: hasMore === false})"_s,
        R"({"after":0,"seen":0})"));
    QVERIFY(strategy);
    QCOMPARE(strategy->placeholder({}, u"after"_s), u"0"_s);
    const cursor::Advance first =
        advance(*strategy, {}, withCursor({item("1", "7"), item("1", "8")}, "\"T\""));
    QCOMPARE(strategy->placeholder(first.next, u"after"_s), u"8"_s);
    QCOMPARE(strategy->placeholder(first.next, u"seen"_s), u"2"_s);
    QCOMPARE(strategy->placeholder(first.next, u"page.token"_s), u"T"_s);
    QVERIFY(!strategy->placeholder(first.next, u"absent"_s));
    QVERIFY(!first.exhausted);
    QVERIFY(advance(*strategy, first.next, withCursor({item("1", "9")}, {}, "false")).exhausted);
}

void TestStrategies::aScriptMayBeABareExpression()
{
    const auto strategy = make(script(u"{cursor: (cursor || 0) + items.length, done: items.length == 0}"_s));
    QVERIFY(strategy);
    const cursor::Advance first = advance(*strategy, {}, page({"{}", "{}"}));
    QCOMPARE(first.next.json, "2"_ba);
    QCOMPARE(strategy->placeholder(first.next, u"value"_s), u"2"_s);
    const cursor::Advance last = advance(*strategy, first.next, page({}));
    QVERIFY(last.exhausted);
    QCOMPARE(last.next, first.next);
    QCOMPARE(strategy->fromArgument(u"abc"_s)->json, "\"abc\""_ba);
    QCOMPARE(strategy->fromArgument(u"5"_s)->json, "5"_ba);
}

void TestStrategies::aScriptThatRunsForeverIsStopped()
{
    const auto strategy = make(script(u"() => { for (;;) {} }"_s));
    QVERIFY(strategy);
    QElapsedTimer timer;
    timer.start();
    const auto got = strategy->advance({}, {page({"{}"}), now});
    QVERIFY(!got);
    QCOMPARE(got.error().name, u"ScriptTimeout"_s);
    QVERIFY(timer.elapsed() >= 990);
    QVERIFY(timer.elapsed() < 20'000);
}

void TestStrategies::aScriptThatFailsSaysWhere_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("detail");
    QTest::newRow("throws") << u"() => {\n throw new Error('no luck') }"_s << u"no luck"_s;
    QTest::newRow("names nothing") << u"() => absent.member"_s << u"absent"_s;
    QTest::newRow("returns a number") << u"() => 5"_s << u"5"_s;
    QTest::newRow("returns nothing") << u"() => {}"_s << u"undefined"_s;
    QTest::newRow("returns a function") << u"() => ({cursor: () => 1})"_s << u"function"_s;
}

void TestStrategies::aScriptThatFailsSaysWhere()
{
    QFETCH(const QString, source);
    QFETCH(const QString, detail);
    const auto got = make(script(source))->advance({}, {page({"{}"}), now});
    QVERIFY(!got);
    QCOMPARE(got.error().kind, ErrorKind::Workspace);
    QVERIFY2(got.error().detail.contains(detail), qPrintable(got.error().detail));
}

void TestStrategies::aScriptThatCannotBeCompiledIsRefusedBeforeTheFirstPage()
{
    for (const QString &source : {u"({cursor) => 5"_s, u""_s}) {
        const auto made = cursor::makeStrategy(script(source));
        QVERIFY(!made);
        QCOMPARE(made.error().kind, ErrorKind::Workspace);
    }
}

void TestStrategies::aScriptHasNoWayOut()
{
    const auto strategy = make(script(
        u"() => ({cursor: [typeof XMLHttpRequest, typeof fetch, typeof require, typeof Qt, typeof console, typeof setTimeout].join(), done: true})"_s));
    QVERIFY(strategy);
    QCOMPARE(strategy->placeholder(advance(*strategy, {}, page({})).next, u"value"_s),
             QStringList(6, u"undefined"_s).join(u','));
}

QTEST_GUILESS_MAIN(TestStrategies)
#include "test_strategies.moc"
