// SPDX-License-Identifier: GPL-3.0-or-later
// What holds for every listing: each item once, and an order of times that is one of instants.
#include <algorithm>
#include <set>

#include <rapidcheck.h>

#include <QTest>

#include "engine/cursor/paging.h"
#include "engine/cursor/progressguard.h"
#include "engine/cursor/strategy.h"
#include "engine/cursor/tiebreak.h"
#include "engine/cursor/timestampvalue.h"

using namespace Qt::StringLiterals;
using namespace watukuy;
using namespace std::chrono_literals;

namespace {

constexpr qint64 epoch = 1'700'000'000;
constexpr Instant now = fromEpochMs((epoch + 1000) * 1000);

struct Row {
    qint64 second;
    int id;
};

/// How an API writes one second: any of these is the same instant.
QString spelled(qint64 second, int style)
{
    const QDateTime at = QDateTime::fromSecsSinceEpoch(second, Qt::UTC);
    switch (style) {
    case 0:
        return at.toString(Qt::ISODate);
    case 1:
        return at.toOffsetFromUtc(7200).toString(Qt::ISODate);
    case 2:
        return at.toString(u"yyyy-MM-dd HH:mm:ss"_s) + u".000000"_s;
    case 3:
        return QString::number(second);
    case 4:
        return QString::number(second) + u"000"_s;
    case 5:
        return QLocale::c().toString(at, u"ddd, dd MMM yyyy HH:mm:ss"_s) + u" GMT"_s;
    default:
        return u"/Date("_s + QString::number(second) + u"000)/"_s;
    }
}

/// An API that filters by (at, id), sorts by them, and gives pages of `size`.
class Api {
public:
    Api(std::vector<Row> rows, size_t size, bool inclusive, int style)
        : m_rows(std::move(rows))
        , m_size(size)
        , m_inclusive(inclusive)
        , m_style(style)
    {
        std::ranges::sort(m_rows, {}, [](const Row &row) { return std::pair{row.second, row.id}; });
    }

    [[nodiscard]] json::PageBody ask(const std::optional<QString> &value,
                                     const std::optional<QString> &tieBreak) const
    {
        json::PageBody body;
        for (const Row &row : m_rows) {
            if (passes(row, value, tieBreak) && body.items.size() < m_size)
                body.items.push_back(text(row));
        }
        return body;
    }

private:
    [[nodiscard]] bool passes(const Row &row, const std::optional<QString> &value,
                              const std::optional<QString> &tieBreak) const
    {
        if (!value)
            return true;
        const qint64 after = cursor::readTimestamp(*value, {})->seconds;
        if (row.second != after)
            return row.second > after;
        if (!tieBreak)
            return true;
        const int id = tieBreak->toInt();
        return m_inclusive ? row.id >= id : row.id > id;
    }

    [[nodiscard]] QByteArray text(const Row &row) const
    {
        return "{\"id\":" + QByteArray::number(row.id) + ",\"at\":\"" +
               spelled(row.second, m_style).toUtf8() + "\"}";
    }

    std::vector<Row> m_rows;
    size_t m_size;
    bool m_inclusive;
    int m_style;
};

/// Runs one keyset scan as the engine does; gives every distinct item and whether one was new twice.
struct Scan {
    std::set<QByteArray> seen;
    int requests = 0;
    bool looped = false;
};

Scan scan(const Api &api, const cursor::CursorStrategy &strategy, LaneCursor &durable, qint64 size)
{
    PaginationDefinition paging;
    paging.kind = PagingKind::Keyset;
    paging.size = size;
    Scan result;
    std::set<QByteArray> asked;
    LaneCursor at = strategy.scanStart(durable);
    cursor::PagePosition position = cursor::firstPosition(paging);
    for (;;) {
        if (!asked.insert(at.json).second) {
            result.looped = true;
            return result;
        }
        ++result.requests;
        const json::PageBody body =
            api.ask(strategy.placeholder(at, u"value"_s), strategy.placeholder(at, u"tieBreak"_s));
        const auto advance = strategy.advance(at, {body, now});
        RC_ASSERT(advance.has_value());
        result.seen.insert(body.items.begin(), body.items.end());
        cursor::PageSignals page;
        page.items = qint64(body.items.size());
        page.cursorMoved = advance->next != at;
        page.strategyExhausted = advance->exhausted;
        durable = strategy.further(durable, advance->next);
        at = advance->next;
        const cursor::PagingStep step = cursor::nextStep(paging, position, page);
        if (step.finished)
            return result;
        position = step.position;
    }
}

std::vector<Row> anyRows()
{
    const int count = *rc::gen::inRange(0, 60);
    const int seconds = *rc::gen::inRange(1, 8); // few instants, so that ties are long
    std::vector<Row> rows;
    for (int id = 1; id <= count; ++id)
        rows.push_back({epoch + *rc::gen::inRange(0, seconds), id});
    return rows;
}

CursorDefinition definition(Duration overlap)
{
    CursorDefinition value;
    value.strategy = Strategy::Timestamp;
    value.field = json::Path::parse(u"at"_s).value_or(json::Path{});
    value.tieBreak = json::Path::parse(u"id"_s).value_or(json::Path{});
    value.overlap = overlap;
    return value;
}

} // namespace

class TestCursorProperties : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyListingIsSeenWholeWhateverItsTiesAndPages();
    void rowsThatArriveLaterAreSeenByTheNextScan();
    void anOverlapReadsLateRowsAndNeverMovesTheDurableCursorBack();
    void everySpellingOfASecondIsTheSameInstant();
    void timesAreTotallyOrderedLikeTheirInstants();
    void aMovedTimeIsNeverLaterThanAskedFor();
    void integersOfAnyLengthAreOrderedByValue();
    void aCircleIsNoticedAndNothingElse();
};

void TestCursorProperties::everyListingIsSeenWholeWhateverItsTiesAndPages()
{
    QVERIFY(rc::check([] {
        const std::vector<Row> rows = anyRows();
        const bool inclusive = *rc::gen::arbitrary<bool>();
        // An inclusive filter lists the row it stands on again: pages of one could never go on.
        const int size = *rc::gen::inRange(inclusive ? 2 : 1, 20);
        const Api api(rows, size_t(size), inclusive, *rc::gen::inRange(0, 7));
        const auto strategy = cursor::makeStrategy(definition(0s));
        LaneCursor durable;
        const Scan got = scan(api, **strategy, durable, size);
        RC_ASSERT(!got.looped);
        RC_ASSERT(got.seen.size() == rows.size());
        RC_ASSERT(got.requests <= int(rows.size()) + 2);
    }));
}

void TestCursorProperties::rowsThatArriveLaterAreSeenByTheNextScan()
{
    QVERIFY(rc::check([] {
        std::vector<Row> rows = anyRows();
        const int style = *rc::gen::inRange(0, 7);
        const bool inclusive = *rc::gen::arbitrary<bool>();
        const int size = *rc::gen::inRange(2, 20);
        const auto strategy = cursor::makeStrategy(definition(0s));
        LaneCursor durable;
        const Scan first = scan({rows, size_t(size), inclusive, style}, **strategy, durable, size);
        const qint64 last = rows.empty() ? epoch : std::ranges::max(rows, {}, &Row::second).second;
        const int more = *rc::gen::inRange(1, 30);
        const auto old = rows.size();
        for (int i = 0; i < more; ++i)
            rows.push_back({last + *rc::gen::inRange(0, 3), int(old) + 1 + i});
        const Scan second = scan({rows, size_t(size), inclusive, style}, **strategy, durable, size);
        RC_ASSERT(!second.looped);
        std::set<QByteArray> all = first.seen;
        all.insert(second.seen.begin(), second.seen.end());
        RC_ASSERT(all.size() == rows.size());
        // An exclusive filter gives nothing twice, an inclusive one only the row it stands on.
        RC_ASSERT(second.seen.size() <= size_t(more) + (inclusive && old > 0 ? 1 : 0));
    }));
}

void TestCursorProperties::anOverlapReadsLateRowsAndNeverMovesTheDurableCursorBack()
{
    QVERIFY(rc::check([] {
        std::vector<Row> rows = anyRows();
        RC_PRE(!rows.empty());
        const int style = *rc::gen::inRange(0, 7);
        const int size = *rc::gen::inRange(2, 20);
        const auto strategy = cursor::makeStrategy(definition(10s));
        LaneCursor durable;
        const Scan first = scan({rows, size_t(size), false, style}, **strategy, durable, size);
        const LaneCursor before = durable;
        const qint64 last = std::ranges::max(rows, {}, &Row::second).second;
        const auto old = int(rows.size());
        for (int i = 0; i < *rc::gen::inRange(1, 10); ++i)
            rows.push_back({last - *rc::gen::inRange(1, 9), old + 1 + i});
        const Scan second = scan({rows, size_t(size), false, style}, **strategy, durable, size);
        RC_ASSERT(!second.looped);
        RC_ASSERT(durable == before);
        std::set<QByteArray> all = first.seen;
        all.insert(second.seen.begin(), second.seen.end());
        RC_ASSERT(all.size() == rows.size());
    }));
}

void TestCursorProperties::everySpellingOfASecondIsTheSameInstant()
{
    QVERIFY(rc::check([] {
        // Beyond eleven digits a count would be milliseconds; fewer than eleven of these would be seconds.
        const qint64 second = *rc::gen::inRange<qint64>(1'000'000'000, 90'000'000'000);
        for (int style = 0; style < 7; ++style) {
            const auto at = cursor::readTimestamp(spelled(second, style), {});
            RC_ASSERT(at.has_value());
            RC_ASSERT(at->seconds == second);
            RC_ASSERT(at->nanoseconds == 0);
        }
    }));
}

void TestCursorProperties::timesAreTotallyOrderedLikeTheirInstants()
{
    QVERIFY(rc::check([] {
        const auto any = [] {
            const qint64 second = epoch + *rc::gen::inRange<qint64>(0, 3);
            const int nanosecond = *rc::gen::inRange(0, 3);
            const int offset = *rc::gen::inRange(-12, 13) * 3600;
            const QString local =
                QDateTime::fromSecsSinceEpoch(second + offset, Qt::UTC).toString(u"yyyy-MM-ddTHH:mm:ss"_s);
            const QString zone =
                (offset < 0 ? u"-%1:00"_s : u"+%1:00"_s).arg(qAbs(offset / 3600), 2, 10, QChar(u'0'));
            const QString text = local + u".00000000"_s + QString::number(nanosecond) + zone;
            return std::pair{std::pair{second, nanosecond}, *cursor::readTimestamp(text, {})};
        };
        const auto left = any();
        const auto right = any();
        RC_ASSERT((left.first <=> right.first) == (left.second <=> right.second));
    }));
}

void TestCursorProperties::aMovedTimeIsNeverLaterThanAskedFor()
{
    QVERIFY(rc::check([] {
        const qint64 second = *rc::gen::inRange<qint64>(1'000'000'000, 9'000'000'000);
        const QString text = spelled(second, *rc::gen::inRange(0, 7));
        const Duration by{*rc::gen::inRange<qint64>(0, 100'000'000)};
        const auto moved = cursor::movedBack(text, by, {});
        RC_ASSERT(moved.has_value());
        const auto at = cursor::readTimestamp(*moved, {});
        RC_ASSERT(at.has_value());
        const Instant wanted = fromEpochMs(second * 1000) - by;
        RC_ASSERT(at->toInstant() <= wanted);
        RC_ASSERT(wanted - at->toInstant() < 1s);
    }));
}

void TestCursorProperties::integersOfAnyLengthAreOrderedByValue()
{
    QVERIFY(rc::check([] {
        const auto left = *rc::gen::arbitrary<qint64>();
        const auto right = *rc::gen::arbitrary<qint64>();
        RC_ASSERT(cursor::compareTieBreaks(QString::number(left), QString::number(right)) ==
                  (left <=> right));
    }));
}

void TestCursorProperties::aCircleIsNoticedAndNothingElse()
{
    QVERIFY(rc::check([] {
        const int way = *rc::gen::inRange(0, 40);
        const int circle = *rc::gen::inRange(1, 40);
        const int piece = *rc::gen::inRange(1, 20);
        cursor::ProgressGuard guard;
        int asked = 0;
        for (;; ++asked) {
            RC_ASSERT(asked <= 4 * (way + circle) + 2);
            if (asked > 0 && asked % piece == 0)
                guard = cursor::ProgressGuard(guard.marks(), asked); // another run goes on
            const int page = asked < way ? asked : way + (asked - way) % circle;
            const QByteArray request = QByteArray::number(page);
            if (guard.wasAsked(request))
                break;
            guard.noteAsked(request);
            guard.notePage(request);
        }
        RC_ASSERT(asked >= way + circle); // before, all were new
    }));
}

QTEST_GUILESS_MAIN(TestCursorProperties)
#include "test_cursor_properties.moc"
