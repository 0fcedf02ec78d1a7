// SPDX-License-Identifier: GPL-3.0-or-later
// Where a scan goes on and where it ends, for every kind of paging.
#include <QTest>

#include "engine/cursor/paging.h"

using namespace Qt::StringLiterals;
using namespace watukuy;
using cursor::PagePosition;
using cursor::PageSignals;

namespace {

PaginationDefinition paging(PagingKind kind, std::optional<qint64> size = {}, qint64 start = 1)
{
    PaginationDefinition definition;
    definition.kind = kind;
    definition.size = size;
    definition.start = start;
    return definition;
}

PageSignals items(qint64 count, std::optional<bool> hasMore = {})
{
    PageSignals page;
    page.items = count;
    page.hasMore = hasMore;
    page.hasMoreDeclared = hasMore.has_value();
    return page;
}

PageSignals next(qint64 count, const QString &token)
{
    PageSignals page = items(count);
    page.next = token;
    return page;
}

PageSignals moved(qint64 count, bool cursorMoved = true)
{
    PageSignals page = items(count);
    page.cursorMoved = cursorMoved;
    return page;
}

cursor::PagingStep step(const PaginationDefinition &definition, const PageSignals &page)
{
    return cursor::nextStep(definition, cursor::firstPosition(definition), page);
}

std::optional<json::RawValue> raw(json::Kind kind, const QByteArray &text)
{
    return json::RawValue{kind, text};
}

} // namespace

class TestPaging : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void C01_aRepeatedPageEndsTheScanAndNamesTheParameter();
    void C02_aTokenThatComesAgainIsAskedForAgain();
    void C03_anEmptyPageWithTheTokenJustSentIsTheEnd();
    void C04_anEmptyLastPageWithoutATokenIsTheEnd();
    void C05_theExplicitFlagEndsEveryKindOfPaging();
    void C06_aFullPageWithoutPagingIsWorthAWarning();
    void anEmptyPageWithANewTokenGoesOn();
    void pagesEndAtTheFirstShortOrEmptyPage();
    void offsetsStepByTheRowsReceived();
    void aKeysetGoesOnWhileFullPagesMoveTheCursor();
    void aKeysetThatSaysMoreIsAskedAgainEvenWhenItStandsStill();
    void aDeclaredFlagThatIsMissingCountsAsFalse();
    void aListingThatSaysMoreWithoutANextPageIsReported();
    void aStrategyThatIsExhaustedEndsTheScan();
    void twoEmptyPagesInARowEndAPageListing();
    void aPositionSurvivesItsJsonText();
    void flagsAreReadFromBooleansNumbersAndTexts();
};

void TestPaging::C01_aRepeatedPageEndsTheScanAndNamesTheParameter()
{
    PaginationDefinition definition = paging(PagingKind::Page);
    definition.param = u"pageNo"_s;
    PageSignals page = items(2, true);
    page.samePageAgain = true;
    const cursor::PagingStep got = cursor::nextStep(definition, {3, 4, {}}, page);
    QVERIFY(got.finished);
    QCOMPARE(got.warnings.size(), 1);
    QCOMPARE(got.warnings[0].code, u"repeated-page"_s);
    QVERIFY(got.warnings[0].message.contains(u"pageNo=3"_s));
}

void TestPaging::C02_aTokenThatComesAgainIsAskedForAgain()
{
    // The decision is the same request once more: the progress guard knows that it was sent before.
    const PaginationDefinition definition = paging(PagingKind::Token);
    const cursor::PagingStep got = cursor::nextStep(definition, {2, 5, u"T1"_s}, next(5, u"T1"_s));
    QVERIFY(!got.finished);
    QCOMPARE(got.position.next, u"T1"_s);
}

void TestPaging::C03_anEmptyPageWithTheTokenJustSentIsTheEnd()
{
    const PaginationDefinition definition = paging(PagingKind::Token);
    QVERIFY(cursor::nextStep(definition, {2, 5, u"C"_s}, next(0, u"C"_s)).finished);
}

void TestPaging::C04_anEmptyLastPageWithoutATokenIsTheEnd()
{
    QVERIFY(step(paging(PagingKind::Token), next(0, {})).finished);
}

void TestPaging::C05_theExplicitFlagEndsEveryKindOfPaging()
{
    for (const PagingKind kind : {PagingKind::Keyset, PagingKind::Page, PagingKind::Offset, PagingKind::Token,
                                  PagingKind::NextUrl, PagingKind::Link}) {
        PageSignals page = items(100, false);
        page.cursorMoved = true;
        page.next = u"more"_s;
        const cursor::PagingStep got = step(paging(kind, 100), page);
        QVERIFY(got.finished);
        QVERIFY(got.warnings.isEmpty());
        page.hasMore = true;
        QVERIFY(!step(paging(kind, 100), page).finished);
    }
}

void TestPaging::C06_aFullPageWithoutPagingIsWorthAWarning()
{
    const auto codes = [](const PaginationDefinition &definition, qint64 count) {
        const cursor::PagingStep got = step(definition, items(count));
        return got.finished && !got.warnings.isEmpty() ? got.warnings[0].code : QString();
    };
    QCOMPARE(codes(paging(PagingKind::None, 3), 3), u"full-page-no-pagination"_s);
    QCOMPARE(codes(paging(PagingKind::None), 100), u"full-page-no-pagination"_s);
    QCOMPARE(codes(paging(PagingKind::None, 3), 2), QString());
    QCOMPARE(codes(paging(PagingKind::None), 37), QString());
    QCOMPARE(codes(paging(PagingKind::None), 0), QString());
    QVERIFY(step(paging(PagingKind::None, 3), items(3, false)).warnings.isEmpty());
    QVERIFY(step(paging(PagingKind::None), items(100))
                .warnings[0]
                .message.contains(u"full page and no pagination"_s));
}

void TestPaging::anEmptyPageWithANewTokenGoesOn()
{
    const cursor::PagingStep got =
        cursor::nextStep(paging(PagingKind::NextUrl), {2, 5, u"/a"_s}, next(0, u"/b"_s));
    QVERIFY(!got.finished);
    QCOMPARE(got.position.next, u"/b"_s);
}

void TestPaging::pagesEndAtTheFirstShortOrEmptyPage()
{
    QCOMPARE(step(paging(PagingKind::Page, {}, 0), items(5)).position.page, 1);
    QVERIFY(step(paging(PagingKind::Page), items(0)).finished);
    QVERIFY(step(paging(PagingKind::Page, 10), items(9)).finished);
    QVERIFY(!step(paging(PagingKind::Page, 10), items(10)).finished);
    QVERIFY(!step(paging(PagingKind::Page, 10), items(9, true)).finished);
    PaginationDefinition wide = paging(PagingKind::Page);
    wide.step = 10;
    QCOMPARE(step(wide, items(5)).position.page, 11);
}

void TestPaging::offsetsStepByTheRowsReceived()
{
    const PaginationDefinition definition = paging(PagingKind::Offset, 50, 0);
    const cursor::PagingStep first = step(definition, items(50));
    QCOMPARE(first.position.offset, 50);
    QCOMPARE(cursor::nextStep(definition, first.position, items(7, true)).position.offset, 57);
    QVERIFY(cursor::nextStep(definition, first.position, items(49)).finished);
    QVERIFY(cursor::nextStep(definition, first.position, items(0)).finished);
}

void TestPaging::aKeysetGoesOnWhileFullPagesMoveTheCursor()
{
    QVERIFY(!step(paging(PagingKind::Keyset, 10), moved(10)).finished);
    QVERIFY(step(paging(PagingKind::Keyset, 10), moved(9)).finished);
    QVERIFY(!step(paging(PagingKind::Keyset), moved(1)).finished);
    QVERIFY(step(paging(PagingKind::Keyset), moved(5, false)).finished);
    QVERIFY(step(paging(PagingKind::Keyset), moved(0, false)).finished);
}

void TestPaging::aKeysetThatSaysMoreIsAskedAgainEvenWhenItStandsStill()
{
    QVERIFY(!step(paging(PagingKind::Keyset), items(5, true)).finished);
}

void TestPaging::aDeclaredFlagThatIsMissingCountsAsFalse()
{
    PageSignals page = items(10);
    page.hasMoreDeclared = true;
    const cursor::PagingStep got = step(paging(PagingKind::Page), page);
    QVERIFY(got.finished);
    QCOMPARE(got.warnings[0].code, u"has-more-missing"_s);
    QCOMPARE(got.warnings[0].key, u"response.hasMore"_s);
}

void TestPaging::aListingThatSaysMoreWithoutANextPageIsReported()
{
    const cursor::PagingStep got = step(paging(PagingKind::Link), items(10, true));
    QVERIFY(got.finished);
    QCOMPARE(got.warnings[0].code, u"next-missing"_s);
}

void TestPaging::aStrategyThatIsExhaustedEndsTheScan()
{
    PageSignals page = items(10, true);
    page.strategyExhausted = true;
    QVERIFY(step(paging(PagingKind::Keyset), page).finished);
}

void TestPaging::twoEmptyPagesInARowEndAPageListing()
{
    PageSignals page = items(0, true);
    QVERIFY(!step(paging(PagingKind::Page), page).finished);
    page.samePageAgain = true;
    QVERIFY(step(paging(PagingKind::Page), page).finished);
    page.next = u"T2"_s;
    QVERIFY(!step(paging(PagingKind::Token), page).finished);
}

void TestPaging::aPositionSurvivesItsJsonText()
{
    const PaginationDefinition definition = paging(PagingKind::Offset, {}, 0);
    const PagePosition position{7, 9'007'199'254'740'993, u"https://h/a?q=\"\u00e9\"&p=2"_s};
    QVERIFY(PagePosition::fromJson(position.toJson(), definition) == position);
    QVERIFY(PagePosition::fromJson({}, definition) == cursor::firstPosition(definition));
    QVERIFY(PagePosition::fromJson("nonsense", definition) == cursor::firstPosition(definition));
}

void TestPaging::flagsAreReadFromBooleansNumbersAndTexts()
{
    using json::Kind;
    QVERIFY(cursor::readFlag(raw(Kind::Bool, "true")) == true);
    QVERIFY(cursor::readFlag(raw(Kind::Bool, "false")) == false);
    QVERIFY(cursor::readFlag(raw(Kind::Number, "1")) == true);
    QVERIFY(cursor::readFlag(raw(Kind::Number, "0")) == false);
    QVERIFY(cursor::readFlag(raw(Kind::String, "\"True\"")) == true);
    QVERIFY(cursor::readFlag(raw(Kind::String, "\"false\"")) == false);
    QVERIFY(cursor::readFlag(raw(Kind::Null, "null")) == false);
    QVERIFY(!cursor::readFlag(raw(Kind::Object, "{}")));
    QVERIFY(!cursor::readFlag(raw(Kind::String, "\"maybe\"")));
    QVERIFY(!cursor::readFlag(std::nullopt));
}

QTEST_GUILESS_MAIN(TestPaging)
#include "test_paging.moc"
