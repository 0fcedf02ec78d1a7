// SPDX-License-Identifier: GPL-3.0-or-later
// The real window on the real engine, polling a real server on loopback.
#include <QFile>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include "app/cli/demo/demoshop.h"
#include "app/cli/demo/demoworkspace.h"
#include "engine/model/clock.h"
#include "ui/main/mainwindow.h"
#include "ui/main/statusline.h"
#include "ui/models/keymodel.h"
#include "ui/views/detailspanel.h"

using namespace watukuy;
using namespace watukuy::ui;
using namespace Qt::StringLiterals;

class GuiEngine : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName(u"watukuy-tests"_s);
    }

    void theWindowShowsEventsFlowingAndItsActionsReachTheStore()
    {
        QTemporaryDir folder;
        demo::DemoShop shop;
        QVERIFY(shop.start(0));
        shop.changeEvery(std::chrono::milliseconds{200});
        const auto file = demo::writeDemoWorkspace(folder.path(), shop.url());
        QVERIFY(file);
        SystemClock clock;
        const auto client = makeEngineClient();
        MainWindow window(client.get(), [&clock] { return clock.now(); });
        window.show();
        window.openWorkspace(*file);

        QTRY_COMPARE_WITH_TIMEOUT(window.keyModel()->rowCount(), 3, 10'000);
        const QString events = folder.filePath(u"events/orders.jsonl"_s);
        QTRY_VERIFY_WITH_TIMEOUT(QFile(events).size() > 0, 10'000);
        QTRY_VERIFY_WITH_TIMEOUT(window.statusLine()->liveText().startsWith(u"Live"_s), 5'000);

        const Key orders{u"orders"_s, {}};
        window.keyTable()->selectAll();
        QSignalSpy finished(client.get(), &EngineClient::actionFinished);
        client->pause({orders}, u"a test"_s);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 5'000);
        QTRY_VERIFY_WITH_TIMEOUT(window.keyModel()->find(orders)->state == VisibleState::Paused, 10'000);
        client->resume({orders}, u"a test"_s);
        QTRY_VERIFY_WITH_TIMEOUT(window.keyModel()->find(orders)->state != VisibleState::Paused, 10'000);

        QSignalSpy timeline(client.get(), &EngineClient::timelineRead);
        client->readTimeline(orders, 50);
        QTRY_COMPARE_WITH_TIMEOUT(timeline.count(), 1, 5'000);
        QVERIFY(!timeline.first().at(2).value<QList<TimelineEntry>>().isEmpty());

        client->close();
        QTRY_COMPARE_WITH_TIMEOUT(client->status(), EngineClient::Status::Closed, 15'000);
    }

    void closingWhileItOpensAndEndingWhileItClosesComeToAnEnd()
    {
        QTemporaryDir folder;
        demo::DemoShop shop;
        QVERIFY(shop.start(0));
        const auto file = demo::writeDemoWorkspace(folder.path(), shop.url());
        QVERIFY(file);
        auto client = makeEngineClient();
        client->open(*file, true);
        client->close();
        QTRY_COMPARE_WITH_TIMEOUT(client->status(), EngineClient::Status::Closed, 15'000);

        client->open(*file, true);
        QTRY_COMPARE_WITH_TIMEOUT(client->status(), EngineClient::Status::Running, 15'000);
        client->close();
        client.reset(); // ends the thread while it drains; hangs here when it cannot
    }

    void aBrokenWorkspaceIsShownWithItsMistakes()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(u"broken.watukuy.json"_s);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\n  \"version\": 1,\n  \"pollrs\": {}\n}\n");
        file.close();
        const auto client = makeEngineClient();
        QSignalSpy failed(client.get(), &EngineClient::openFailed);
        client->open(path, true);
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, 5'000);
        const auto problems = failed.first().at(1).value<QList<WorkspaceProblem>>();
        QVERIFY(!problems.isEmpty());
        QCOMPARE(problems.first().pointer, u"/pollrs"_s);
        QCOMPARE(problems.first().line, 3);
        QVERIFY(problems.first().hint.contains(u"pollers"_s));
    }
};

QTEST_MAIN(GuiEngine)
#include "test_gui_engine.moc"
