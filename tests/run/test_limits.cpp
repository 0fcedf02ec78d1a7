// SPDX-License-Identifier: GPL-3.0-or-later
// What an operator bounds: items by a schema, cycles by time, polling by windows.
#include "tests/run/cyclesuite.h"
#include "tests/support/liveheap.h"

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace watukuy;
using namespace watukuy::tests;

namespace {

const QByteArray withSchema = ",\"schema\":{\"properties\":{\"n\":{\"type\":\"integer\",\"maximum\":9}}}";

QByteArray items(const QByteArrayList &values)
{
    QByteArrayList all;
    for (qsizetype index = 0; index < values.size(); ++index)
        all.append("{\"id\":" + QByteArray::number(index + 1) + ",\"n\":" + values.at(index) + '}');
    return '[' + all.join(',') + ']';
}

std::vector<ParkedRow> parkedOf(EngineRig &rig)
{
    ParkedFilter filter;
    filter.poller = u"items"_s;
    return *QCoro::waitFor(rig.store().readParked(filter));
}

} // namespace

class TestLimits : public CycleSuite {
    Q_OBJECT

public:
    using CycleSuite::CycleSuite;

private Q_SLOTS:
    void init()
    {
        m_api.clear();
        m_api.etags = false;
    }

    void anItemAgainstTheSchemaIsSetAsideAndTheOthersFlow()
    {
        EngineRig rig(m_kind, wholeList + withSchema);
        QByteArray body = items({"1", "\"two\"", "3"});
        rig.answer = [&](const ServerRequest &) { return ServerReply::json(body); };
        runCleanly(rig);
        QCOMPARE(rig.news(), (QStringList{u"created 1"_s, u"created 3"_s}));
        auto parked = parkedOf(rig);
        QCOMPARE(parked.size(), size_t(1));
        QCOMPARE(toString(parked.front().kind), toString(ParkedKind::Invalid));
        QCOMPARE(parked.front().item, QByteArray("{\"id\":2,\"n\":\"two\"}"));
        QCOMPARE(parked.front().issues.first().path, u"/n"_s);

        body = items({"1", "2", "11"});
        rig.clock.advance(1h);
        runCleanly(rig);
        QCOMPARE(rig.news(), QStringList{u"created 2"_s}); // 3 stays as it was, and is not deleted
        QCOMPARE(parkedOf(rig).size(), size_t(2));
        body = items({"1", "2", "4"});
        rig.clock.advance(1h);
        runCleanly(rig);
        QCOMPARE(rig.news(), QStringList{u"updated 3"_s});
        expectQuiet(rig);
    }

    void onInvalidSkipsOrFails()
    {
        EngineRig rig(m_kind, wholeList + withSchema + ",\"onInvalid\":\"skip\"");
        rig.answer = [](const ServerRequest &) { return ServerReply::json(items({"1", "11"})); };
        runCleanly(rig);
        QCOMPARE(rig.news(), QStringList{u"created 1"_s});
        QVERIFY(parkedOf(rig).empty());

        EngineRig strict(m_kind, wholeList + withSchema + ",\"onInvalid\":\"fail\"");
        strict.answer = [](const ServerRequest &) { return ServerReply::json(items({"1", "11"})); };
        const RunReport report = strict.tick();
        QVERIFY(report.error);
        QVERIFY2(report.error->detail.contains(u"/n"_s), qPrintable(report.error->oneLine()));
        QCOMPARE(strict.news(), QStringList());
        QVERIFY(parkedOf(strict).empty());
    }

    void aScanHoldsNothingOfThePagesBehindIt()
    {
        if (m_kind == StoreKind::Memory)
            QSKIP("this store holds all rows in memory by its nature");
        constexpr int pages = 40;
        constexpr int perPage = 250;
        QList<qint64> heap;
        EngineRig rig(m_kind, byPage);
        rig.answer = [&](const ServerRequest &request) {
            rig.requests.clear();
            const int number = static_cast<int>(request.number(u"page"_s, 1));
            QByteArrayList items;
            for (int index = 0; index < perPage; ++index)
                items.append("{\"id\":\"" +
                             QByteArray::number(number * perPage + index).rightJustified(99, '0') + "\"}");
            heap.append(liveHeap());
            return ServerReply::json("{\"items\":[" + items.join(',') +
                                     "],\"more\":" + (number < pages ? "true" : "false") + '}');
        };
        runCleanly(rig); // the store's cache is warm, and the second scan has no events to remember
        QCOMPARE(rig.state().counts.items, pages * perPage);
        heap.clear();
        rig.clock.advance(1h);
        runCleanly(rig);
        QCOMPARE(heap.size(), pages);
        const qint64 grown = heap.last() - heap.at(4);
        QVERIFY2(grown < 300'000, qPrintable(QString::number(grown)));
    }

    void maxCycleTimeEndsACycleAndTheNextOneGoesOn()
    {
        for (int id = 1; id <= 40; ++id)
            m_api.put(id, "\"n\":1", qint64(1'767'225'600'000) - 1000 * (41 - id));
        QByteArray members = byKeyset + ",\"maxCycleTime\":\"5s\"";
        members.replace("\"500\"", "\"4\"");
        EngineRig rig(m_kind, members);
        rig.answer = [&](const ServerRequest &request) {
            rig.clock.advance(2s);
            return m_api.list(request, ListingKind::Keyset);
        };
        const RunReport first = runCleanly(rig);
        QCOMPARE(first.lanes.front().pages, 3);
        QVERIFY(first.lanes.front().truncated);
        QCOMPARE(rig.news().size(), 12);
        QVERIFY2(rig.state().schedule.nextDueAt <= rig.clock.now(), "the rest is not due at once");
        QStringList rest;
        for (int run = 0; run < 3; ++run) {
            runCleanly(rig);
            rest += rig.news();
        }
        QCOMPARE(rest.size(), 28);
    }

    void aFullScanBeyondMaxCycleTimeTellsNoDeletesAndSaysSo()
    {
        for (int id = 1; id <= 12; ++id)
            m_api.put(id, "\"n\":1");
        EngineRig rig(m_kind, byPage + ",\"maxCycleTime\":\"5s\"");
        Duration pageTakes{0};
        rig.answer = [&](const ServerRequest &request) {
            rig.clock.advance(pageTakes);
            return m_api.list(request, ListingKind::Page);
        };
        runCleanly(rig);
        QCOMPARE(rig.news(), createdUpTo(12));
        m_api.remove(1);
        pageTakes = 3s;
        rig.clock.advance(1h);
        const RunReport slow = runCleanly(rig);
        QVERIFY(hasWarning(slow, u"max-cycle-time"_s));
        QCOMPARE(rig.news(), QStringList());
        QVERIFY2(rig.state().schedule.nextDueAt > rig.clock.now(), "it would ask without a pause");
        pageTakes = 0s;
        rig.clock.advance(1h);
        runCleanly(rig);
        QCOMPARE(rig.news(), QStringList{u"deleted 1"_s});
    }
};

int main(int argc, char **argv)
{
    const QCoreApplication app(argc, argv);
    return runOnEveryStore<TestLimits>(argc, argv);
}

#include "test_limits.moc"
