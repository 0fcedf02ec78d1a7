// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the screens in light and dark and writes them where people can look at them.
#include <QApplication>
#include <QDir>
#include <QPalette>
#include <QStandardPaths>
#include <QStyleFactory>
#include <QTableView>
#include <QTest>

#include "tests/gui/support/scene.h"
#include "ui/main/mainwindow.h"
#include "ui/main/statusline.h"
#include "ui/views/detailspanel.h"

using namespace watukuy;
using namespace watukuy::ui;
using namespace watukuy::test;
using namespace Qt::StringLiterals;

namespace {

QPalette darkPalette()
{
    QPalette palette(QColor(0x2b, 0x2d, 0x30));
    palette.setColor(QPalette::Window, QColor(0x2b, 0x2d, 0x30));
    palette.setColor(QPalette::Base, QColor(0x1e, 0x1f, 0x22));
    palette.setColor(QPalette::AlternateBase, QColor(0x25, 0x27, 0x2a));
    palette.setColor(QPalette::Text, QColor(0xe3, 0xe5, 0xe8));
    palette.setColor(QPalette::WindowText, QColor(0xe3, 0xe5, 0xe8));
    palette.setColor(QPalette::ButtonText, QColor(0xe3, 0xe5, 0xe8));
    palette.setColor(QPalette::PlaceholderText, QColor(0x9a, 0xa0, 0xa6));
    palette.setColor(QPalette::Mid, QColor(0x5f, 0x64, 0x6a));
    palette.setColor(QPalette::Highlight, QColor(0x2f, 0x6f, 0xb3));
    palette.setColor(QPalette::HighlightedText, Qt::white);
    return palette;
}

} // namespace

class GuiScreenshots : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName(u"watukuy-tests"_s);
        QApplication::setStyle(QStyleFactory::create(u"Fusion"_s));
        QVERIFY(QDir().mkpath(QStringLiteral(WATUKUY_SCREENSHOTS)));
    }

    /// Half an hour of samples: the lag grows by and by and is caught up with, and once nothing was measured.
    static void fill(History &history)
    {
        const QList<KeySnapshot> keys = sceneKeys();
        for (size_t index = 0; index < History::capacity; ++index) {
            if (index > 150 && index < 190)
                continue;
            std::vector<KeySnapshot> at(keys.begin(), keys.end());
            for (KeySnapshot &key : at)
                key.lag = std::chrono::seconds{static_cast<int>(index % 90) * 3};
            history.add(at, sceneNow() - (History::capacity - index) * History::cadence);
        }
    }

    void everyScreenIsDrawn_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::addColumn<int>("tab");
        QTest::addColumn<QString>("file");
        for (const bool dark : {false, true}) {
            const QString theme = dark ? u"-dark"_s : QString();
            const QStringList names{u"timeline"_s, u"main-window"_s, u"log"_s,     u"charts"_s,
                                    u"outbox"_s,   u"parked"_s,      u"go-back"_s, u"cursor"_s};
            for (int tab = 0; tab < names.size(); ++tab)
                QTest::newRow(qPrintable(names.at(tab) + theme)) << dark << tab << names.at(tab) + theme;
            QTest::newRow(qPrintable(u"start"_s + theme)) << dark << -1 << u"start"_s + theme;
        }
    }

    void everyScreenIsDrawn()
    {
        QFETCH(bool, dark);
        QFETCH(int, tab);
        QFETCH(QString, file);
        QApplication::setPalette(dark ? darkPalette() : QApplication::style()->standardPalette());
        FakeClient client;
        MainWindow window(&client, [] { return sceneNow(); });
        window.resize(1440, 860);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        if (tab >= 0) {
            furnish(client);
            client.run(sceneWorkspace());
            Q_EMIT client.keysChanged(sceneKeys(), {}, sceneNow());
            Q_EMIT client.logAdded(sceneLog());
            fill(window.history());
            window.keyTable()->selectRow(tab == 5 ? 5 : 0);
            window.details()->setCurrentIndex(tab);
            window.statusLine()->tick(sceneNow());
        }
        QTRY_VERIFY(tab != 0 || !window.details()->timeline().isEmpty());
        QCoreApplication::sendPostedEvents();
        const QPixmap shot = window.grab();
        QCOMPARE(shot.size(), window.size() * shot.devicePixelRatio());
        QVERIFY(shot.save(QStringLiteral(WATUKUY_SCREENSHOTS) + u'/' + file + u".png"_s));
    }
};

QTEST_MAIN(GuiScreenshots)
#include "test_gui_screenshots.moc"
