// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "tests/gui/support/scene.h"
#include "ui/models/keyfilter.h"
#include "ui/models/keymodel.h"
#include "ui/models/keyorder.h"
#include "ui/models/logmodel.h"
#include "ui/models/rowmodel.h"

using namespace watukuy;
using namespace watukuy::ui;
using namespace watukuy::test;
using namespace Qt::StringLiterals;

class GuiModels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theListOfKeysKeepsTheRulesOfModels()
    {
        KeyModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        KeyOrder order(&model);
        QAbstractItemModelTester orderTester(&order, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setNow(sceneNow());
        model.apply(sceneKeys(), {});
        order.settle();
        QCOMPARE(order.rowCount(), 14);
        model.apply({keyIn(VisibleState::Paused, u"orders"_s)}, {Key{u"returns"_s, {}}});
        order.settle();
        QCOMPARE(model.rowCount(), 13);
        order.setView(View::Paused);
        QCOMPARE(order.rowCount(), 1);
        model.clear();
        QCOMPARE(order.rowCount(), 0);
    }

    void aChangedKeyRepaintsItsOwnRowOnly()
    {
        KeyModel model;
        model.apply(sceneKeys(), {});
        QSignalSpy changes(&model, &QAbstractItemModel::dataChanged);
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        model.apply({keyIn(VisibleState::Idle, u"exchange-rates"_s)}, {});
        QCOMPARE(resets.count(), 0);
        QCOMPARE(changes.count(), 1);
        QCOMPARE(changes.first().at(0).toModelIndex().row(), 2);
        QCOMPARE(changes.first().at(1).toModelIndex().row(), 2);
    }

    void theWorstStandsFirstThenTheOneThatLagsMost()
    {
        KeyModel model;
        KeyOrder order(&model);
        model.apply(sceneKeys(), {});
        order.settle();
        QVERIFY(order.keyAt(order.index(0, 0)).state == VisibleState::CircuitOpen);
        QVERIFY(order.keyAt(order.index(1, 0)).state == VisibleState::HalfOpen);
        QVERIFY(order.keyAt(order.index(2, 0)).state == VisibleState::BackingOff);
        QVERIFY(order.keyAt(order.index(3, 0)).state == VisibleState::Throttled);
        QVERIFY(order.keyAt(order.index(13, 0)).state == VisibleState::Paused);
    }

    void valuesChangeWithoutMovingRows()
    {
        KeyModel model;
        KeyOrder order(&model);
        model.apply(sceneKeys(), {});
        order.settle();
        const Key first = order.keyAt(order.index(0, 0)).key;
        model.apply({keyIn(VisibleState::Idle, first.poller, first.partition)}, {});
        QCOMPARE(order.keyAt(order.index(0, 0)).key, first);
        order.settle();
        QVERIFY(order.keyAt(order.index(0, 0)).key != first);
    }

    void theFilterLineUnderstandsItsConditions_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<int>("accepted");
        QTest::newRow("empty") << QString() << 14;
        QTest::newRow("state") << u"state:open"_s << 2;
        QTest::newRow("state of two words") << u"state:backing"_s << 1;
        QTest::newRow("number") << u"parked>0"_s << 1;
        QTest::newRow("number with unit") << u"lag>10m"_s << 3;
        QTest::newRow("poller") << u"poller:bank"_s << 3;
        QTest::newRow("two at once") << u"poller:bank state:throttled"_s << 1;
        QTest::newRow("text in an error") << u"401"_s << 2;
        QTest::newRow("nothing") << u"nowhere"_s << 0;
    }

    void theFilterLineUnderstandsItsConditions()
    {
        QFETCH(QString, line);
        QFETCH(int, accepted);
        const KeyFilter filter(line);
        int count = 0;
        for (const KeySnapshot &key : sceneKeys())
            count += filter.accepts(key) ? 1 : 0;
        QCOMPARE(count, accepted);
    }

    void theLogKeepsTheNewestLinesAndCountsTheDropped()
    {
        LogModel log(100);
        QAbstractItemModelTester tester(&log, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QList<LogLine> lines;
        for (int number = 0; number < 250; ++number)
            lines.append({sceneNow(), LogLevel::Info, {}, QString::number(number)});
        log.append(lines.mid(0, 80));
        log.append(lines.mid(80, 40));
        log.append(lines.mid(120));
        QCOMPARE(log.rowCount(), 100);
        QCOMPARE(log.dropped(), 150);
        QCOMPARE(log.index(99, LogModel::Text).data().toString(), u"249"_s);
        QCOMPARE(log.index(0, LogModel::Text).data().toString(), u"150"_s);
    }

    void aTableOfRowsKeepsTheRulesOfModels()
    {
        using Model = RowModel<TimelineEntry>;
        Model model({Model::Column{u"Cause"_s, [](const TimelineEntry &entry) { return entry.cause; }}},
                    nullptr);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.replace({TimelineEntry{.cause = u"due"_s}, TimelineEntry{.cause = u"manual"_s}});
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.index(1, 0).data().toString(), u"manual"_s);
    }
};

QTEST_MAIN(GuiModels)
#include "test_gui_models.moc"
