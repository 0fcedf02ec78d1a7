// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractButton>
#include <QLabel>

#include <QListWidget>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTableView>
#include <QTest>

#include "tests/gui/support/scene.h"
#include "ui/dialogs/reasondialog.h"
#include "ui/main/mainwindow.h"
#include "ui/main/statusline.h"
#include "ui/models/keymodel.h"
#include "ui/views/detailspanel.h"
#include "ui/views/logview.h"
#include "ui/views/gobackview.h"
#include "ui/views/parkedview.h"
#include "ui/views/statemachineview.h"
#include "ui/views/viewspanel.h"

using namespace watukuy;
using namespace watukuy::ui;
using namespace watukuy::test;
using namespace Qt::StringLiterals;

class GuiWindow : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<FakeClient> m_client;
    std::unique_ptr<MainWindow> m_window;
    Instant m_now = sceneNow();

    QString textAt(int row, int column) const
    {
        return m_window->keyTable()->model()->index(row, column).data().toString();
    }
    void select(int row) const
    {
        const QModelIndex index = m_window->keyTable()->model()->index(row, KeyModel::Poller);
        QTest::mouseClick(m_window->keyTable()->viewport(), Qt::LeftButton, {},
                          m_window->keyTable()->visualRect(index).center());
    }
    void furnishWindow()
    {
        furnish(*m_client);
        m_client->run(sceneWorkspace());
        Q_EMIT m_client->keysChanged(sceneKeys(), {}, m_now);
        Q_EMIT m_client->logAdded(sceneLog());
    }

    void press(const QString &object)
    {
        auto *dialog = m_window->findChild<ReasonDialog *>();
        QVERIFY(dialog);
        QTest::mouseClick(dialog->findChild<QPushButton *>(object), Qt::LeftButton);
    }

private Q_SLOTS:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName(u"watukuy-tests"_s);
    }

    void init()
    {
        m_client = std::make_unique<FakeClient>();
        m_window = std::make_unique<MainWindow>(m_client.get(), [this] { return m_now; });
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }

    void cleanup()
    {
        m_window.reset();
        m_client.reset();
    }

    void withoutAWorkspaceThereIsOneNextAction()
    {
        QSignalSpy demo(m_window.get(), &MainWindow::demoWanted);
        QPushButton *button = nullptr;
        for (QPushButton *candidate : m_window->findChildren<QPushButton *>()) {
            if (candidate->isVisible() && candidate->isDefault())
                button = candidate;
        }
        QVERIFY(button);
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(demo.count(), 1);
    }

    void everyMistakeOfAWorkspaceIsListedWithItsPlace()
    {
        m_window->openWorkspace(u"/srv/broken.watukuy.json"_s);
        Q_EMIT m_client->openFailed({.title = u"The workspace has mistakes"_s},
                                    {{u"/pollers/orders/idenity"_s, 12, u"\"idenity\" is not known"_s,
                                      u"Did you mean \"identity\"?"_s}});
        m_client->setStatus(EngineClient::Status::Failed);
        QTableView *table = nullptr;
        for (QTableView *candidate : m_window->findChildren<QTableView *>()) {
            if (candidate->isVisible())
                table = candidate;
        }
        QVERIFY(table);
        QCOMPARE(table->model()->rowCount(), 1);
        QCOMPARE(table->model()->index(0, 0).data().toString(), u"12"_s);
        QCOMPARE(table->model()->index(0, 3).data().toString(), u"Did you mean \"identity\"?"_s);
    }

    void rowsAppearWithTheWorstFirst()
    {
        furnishWindow();
        QCOMPARE(m_window->keyTable()->model()->rowCount(), 14);
        QCOMPARE(textAt(0, KeyModel::State), u"Circuit open"_s);
        QCOMPARE(textAt(0, KeyModel::CircuitColumn), u"Open, probe in 42 s"_s);
        QCOMPARE(textAt(0, KeyModel::Lag), u"31 min"_s);
    }

    void aSelectionSurvivesAThousandUpdatesAndFreezesTheOrder()
    {
        furnishWindow();
        select(2);
        const QList<Key> selected = m_window->selectedKeys();
        QCOMPARE(selected.size(), 1);
        const QString top = textAt(0, KeyModel::Poller) + textAt(0, KeyModel::Partition);
        for (int number = 0; number < 1000; ++number) {
            KeySnapshot key = sceneKeys().at(number % 14);
            key.state = static_cast<VisibleState>(number % 7);
            Q_EMIT m_client->keysChanged({key}, {}, m_now);
        }
        QTRY_VERIFY(m_window->statusLine()->isVisible());
        QCOMPARE(m_window->selectedKeys(), selected);
        QCOMPARE(textAt(0, KeyModel::Poller) + textAt(0, KeyModel::Partition), top);
    }

    void aViewShowsWhatItCounts()
    {
        furnishWindow();
        QCOMPARE(m_window->views()->countOf(View::NeedsAttention), 6);
        QCOMPARE(m_window->views()->countOf(View::Parked), 1);
        m_window->views()->choose(View::Parked);
        QCOMPARE(m_window->keyTable()->model()->rowCount(), 1);
        QCOMPARE(textAt(0, KeyModel::Poller), u"orders"_s);
        QVERIFY(m_window->statusLine()->countsText().contains(u"1 of 14 shown"_s));
    }

    void typingAFilterNarrowsTheList()
    {
        furnishWindow();
        QTest::keyClick(m_window.get(), Qt::Key_F, Qt::ControlModifier);
        QTRY_VERIFY(m_window->filterLine()->hasFocus());
        QTest::keyClicks(m_window->filterLine(), u"poller:bank"_s);
        QCOMPARE(m_window->keyTable()->model()->rowCount(), 3);
    }

    void triggerShowsPendingAtOnceAndTheResultAfterwards()
    {
        furnishWindow();
        select(0);
        QTest::keyClick(m_window.get(), Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(m_client->asked.size(), 1);
        QCOMPARE(m_client->asked.last().what, u"trigger"_s);
        QCOMPARE(m_client->asked.last().keys.first().poller, u"carrier-tracking"_s);
        QCOMPARE(textAt(0, KeyModel::State), u"Triggering…"_s);
        m_client->answer({.done = 1});
        QCOMPARE(textAt(0, KeyModel::State), u"Circuit open"_s);
        QVERIFY(m_window->statusLine()->currentMessage().contains(u"1 done"_s));
    }

    void pauseAsksFirstAndCancelDoesNothing()
    {
        furnishWindow();
        select(0);
        QTest::keyClick(m_window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        auto *dialog = m_window->findChild<ReasonDialog *>();
        QVERIFY(dialog);
        dialog->reject();
        QVERIFY(m_client->asked.isEmpty());
        QTRY_VERIFY(!m_window->findChild<ReasonDialog *>());
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        QTest::keyClick(m_window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        QTest::keyClicks(m_window->findChild<ReasonDialog *>()->findChild<QLineEdit *>(), u"maintenance"_s);
        press(u"confirm"_s);
        QCOMPARE(m_client->asked.size(), 1);
        QCOMPARE(m_client->asked.last().what, u"pause"_s);
        QCOMPARE(m_client->asked.last().reason, u"maintenance"_s);
    }

    void resumeTouchesTheSelectedKeysOnly()
    {
        furnishWindow();
        select(13);
        QTest::keyClick(m_window.get(), Qt::Key_R, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(m_client->asked.last().what, u"resume"_s);
        QCOMPARE(m_client->asked.last().keys, (QList<Key>{{u"returns"_s, {}}}));
    }

    void staleDataNeverLooksLive()
    {
        furnishWindow();
        m_window->statusLine()->tick(m_now);
        QVERIFY(m_window->statusLine()->liveText().startsWith(u"Live"_s));
        m_window->statusLine()->tick(m_now + std::chrono::seconds{10});
        QCOMPARE(m_window->statusLine()->liveText(), u"Stale since 2026-01-01 10:15:00 UTC"_s);
    }

    void theLastTransitionEqualsTheStateOfTheRow()
    {
        furnishWindow();
        select(0);
        m_window->details()->setCurrentIndex(0);
        QTRY_VERIFY(!m_window->details()->timeline().isEmpty());
        const VisibleState last = m_window->details()->timeline().first().to;
        QVERIFY(m_window->details()->stateMachine()->state() == std::optional(last));
        QCOMPARE(textAt(0, KeyModel::State), Wording::state(last));
        auto *table = qobject_cast<QTableView *>(m_window->details()->widget(0));
        QVERIFY(table);
        QVERIFY(table->model()->index(0, 0).data().toString().endsWith(u"UTC"_s));
    }

    void scrolledUpTheLogStaysAndCountsWhatIsNew()
    {
        furnishWindow();
        LogView *log = m_window->details()->log();
        m_window->details()->setCurrentWidget(log);
        QList<LogLine> lines;
        for (int number = 0; number < 500; ++number)
            lines.append({m_now, LogLevel::Info, {}, u"line %1"_s.arg(number)});
        Q_EMIT m_client->logAdded(lines);
        QVERIFY(log->isFollowing());
        log->table()->verticalScrollBar()->setValue(20);
        QVERIFY(!log->isFollowing());
        const int before = log->table()->rowAt(0);
        Q_EMIT m_client->logAdded(lines);
        Q_EMIT m_client->logAdded(lines);
        QCOMPARE(log->table()->rowAt(0), before);
        QCOMPARE(log->followText(), u"Paused, 1,000 new"_s);
        QTest::keyClick(log->table(), Qt::Key_End);
        log->follow();
        QCOMPARE(log->followText(), u"Following"_s);
    }

    void parkedRowsCanBeRetriedAndDiscardingAsksFirst()
    {
        furnishWindow();
        m_window->views()->choose(View::Parked);
        select(0);
        ParkedView *parked = m_window->details()->parked();
        m_window->details()->setCurrentWidget(parked);
        QTRY_COMPARE(parked->table()->model()->rowCount(), 2);
        parked->table()->selectRow(1);
        QCOMPARE(parked->chosen(), QList<qint64>{42});
        QList<ParkedRow> seenAgain = m_client->parkedRows.begin().value();
        for (QList<ParkedRow> &rows : m_client->parkedRows) {
            for (ParkedRow &row : rows)
                ++row.seen;
            seenAgain = rows.size() == 2 ? rows : seenAgain;
        }
        parked->show(seenAgain);
        QCOMPARE(parked->chosen(), QList<qint64>{42});
        Q_EMIT parked->retryWanted(parked->chosen());
        QCOMPARE(m_client->asked.last().what, u"retry"_s);
        QCOMPARE(m_client->asked.last().ids, QList<qint64>{42});
        Q_EMIT parked->discardWanted(parked->chosen());
        QCOMPARE(m_client->asked.last().what, u"retry"_s);
        press(u"confirm"_s);
        QCOMPARE(m_client->asked.last().what, u"discard"_s);
    }

    void goingBackIsPreviewedThenConfirmedAndAChangedWishIsPreviewedAgain()
    {
        furnishWindow();
        select(0);
        GoBackView *view = m_window->details()->goBack();
        m_window->details()->setCurrentWidget(view);
        auto *go = view->findChild<QPushButton *>(u"go"_s);
        auto *from = view->findChild<QLineEdit *>(u"from"_s);
        QVERIFY(!go->isVisible());
        QTest::keyClicks(from, u"2026-01-01T00:00:00Z"_s);
        QTest::mouseClick(view->findChild<QPushButton *>(u"previewBackfill"_s), Qt::LeftButton);
        QCOMPARE(m_client->asked.last().what, u"preview"_s);
        QCOMPARE(std::get<BackfillWish>(*m_client->asked.last().wish).from, u"2026-01-01T00:00:00Z"_s);
        m_client->answer({.done = 1, .details = {u"from A to B"_s}});
        QVERIFY(go->isVisible());
        QTest::keyClicks(from, u"x"_s);
        QVERIFY2(!go->isVisible(), "what was previewed is not what would happen now");

        QTest::mouseClick(view->findChild<QPushButton *>(u"previewReplay"_s), Qt::LeftButton);
        m_client->answer({.done = 1204, .details = {u"1204 events"_s}});
        QVERIFY(go->text().contains(u"1,204"_s));
        QTest::mouseClick(go, Qt::LeftButton);
        QCOMPARE(m_client->asked.last().what, u"preview"_s);
        press(u"confirm"_s);
        QCOMPARE(m_client->asked.last().what, u"go back"_s);
        QVERIFY(std::holds_alternative<ReplayWish>(*m_client->asked.last().wish));
    }

    void aWishThatCannotBeGrantedSaysWhy()
    {
        furnishWindow();
        select(0);
        GoBackView *view = m_window->details()->goBack();
        m_window->details()->setCurrentWidget(view);
        QTest::mouseClick(view->findChild<QPushButton *>(u"previewReplay"_s), Qt::LeftButton);
        m_client->answer({.failed = {{m_client->asked.last().keys.first(),
                                      {.title = u"It keeps no event log"_s, .nextStep = u"Add a log"_s}}}});
        QVERIFY(!view->findChild<QPushButton *>(u"go"_s)->isVisible());
        const QList<QLabel *> labels = view->findChildren<QLabel *>();
        QVERIFY(std::ranges::any_of(labels, [](const QLabel *label) {
            return label->text().contains(u"It keeps no event log"_s) &&
                   label->text().contains(u"Add a log"_s);
        }));
    }

    void aReadOnlyWorkspaceOffersNoChange()
    {
        WorkspaceInfo workspace = sceneWorkspace();
        workspace.readOnly = true;
        m_client->run(workspace);
        Q_EMIT m_client->keysChanged(sceneKeys(), {}, m_now);
        select(0);
        QTest::keyClick(m_window.get(), Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(m_client->asked.isEmpty());
    }

    void everythingThatTakesFocusHasAName()
    {
        furnishWindow();
        select(0);
        for (QWidget *widget : m_window->findChildren<QWidget *>()) {
            if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisible() ||
                widget->objectName().startsWith(u"qt_"_s))
                continue;
            const auto *button = qobject_cast<QAbstractButton *>(widget);
            const QString name = !widget->accessibleName().isEmpty() ? widget->accessibleName()
                                 : button                            ? button->text() + button->toolTip()
                                                                     : QString();
            const QByteArray what = widget->metaObject()->className();
            const bool isPart = what.startsWith("QTabBar") || what.startsWith("QScrollArea") ||
                                what.startsWith("QComboBoxListView");
            QVERIFY2(isPart || !name.isEmpty(), what.constData());
        }
    }

    void theKeyboardAloneReachesTheListAndItsActions()
    {
        furnishWindow();
        m_window->keyTable()->setFocus();
        QTest::keyClick(m_window->keyTable(), Qt::Key_Down);
        QTest::keyClick(m_window->keyTable(), Qt::Key_Down);
        QCOMPARE(m_window->selectedKeys().size(), 1);
        QTest::keyClick(m_window.get(), Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(m_client->asked.size(), 1);
        QTest::keyClick(m_window.get(), Qt::Key_Escape);
        QVERIFY(m_window->selectedKeys().isEmpty());
    }

    void closingTheWindowAsksTheProgramInsteadOfEndingIt()
    {
        furnishWindow();
        QSignalSpy wanted(m_window.get(), &MainWindow::closeWanted);
        m_window->close();
        QCOMPARE(wanted.count(), 1);
        QVERIFY(m_window->isVisible());
    }
};

QTEST_MAIN(GuiWindow)
#include "test_gui_window.moc"
