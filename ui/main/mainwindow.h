// SPDX-License-Identifier: GPL-3.0-or-later
// The main window: the list of keys, views, details, and the actions on them.
#pragma once

#include <functional>

#include <QMainWindow>

#include "engine/api/engineclient.h"
#include "ui/charts/history.h"
#include "ui/models/wording.h"

class QAction;
class QActionGroup;
class QDockWidget;
class QLabel;
class QLineEdit;
class QStackedWidget;
class QTableView;

namespace watukuy::ui {

class DetailsPanel;
class KeyModel;
class KeyOrder;
class LogModel;
class ProblemsPage;
class StartPage;
class StatusLine;
class ViewsPanel;

/// Shows what an EngineClient says and asks it to act. Holds no engine and blocks on nothing.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    /// `now` tells the wall-clock time.
    MainWindow(EngineClient *client, std::function<Instant()> now, QWidget *parent = nullptr);
    ~MainWindow() override;

    void openWorkspace(const QString &file);

    [[nodiscard]] QTableView *keyTable() const { return m_table; }
    [[nodiscard]] KeyModel *keyModel() const { return m_keys; }
    [[nodiscard]] DetailsPanel *details() const { return m_details; }
    [[nodiscard]] History &history() { return m_history; }
    [[nodiscard]] StatusLine *statusLine() const { return m_status; }
    [[nodiscard]] ViewsPanel *views() const { return m_views; }
    [[nodiscard]] QLineEdit *filterLine() const { return m_filter; }
    [[nodiscard]] QList<Key> selectedKeys() const;

Q_SIGNALS:
    /// The operator wants the demo, which the program provides.
    void demoWanted();
    /// The operator closed the window.
    void closeWanted();

protected:
    void closeEvent(QCloseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void makeCentre();
    void makeDocks();
    void makeActions();
    void makeMenus();
    void makeToolBar();
    void listenToClient();
    void listenToOperator();
    void showIcons();
    void showStatus(EngineClient::Status status);
    void showWorkspace(const WorkspaceInfo &workspace);
    void showSelection();
    void showCounts();
    void enableActions();
    void tick();
    [[nodiscard]] bool isOperatorAtWork() const;
    void askForWorkspace();
    void rememberRecent(const QString &file);
    void fillRecent();
    void triggerSelected();
    void pauseSelected();
    void resumeSelected();
    void askToDiscard(const QList<qint64> &ids);
    void askToGoBack(const Key &key, const GoBackWish &wish, const QString &preview);
    void retry(const QList<qint64> &ids);
    void expect(quint64 request, const QList<Key> &keys, const QString &pending, const QString &done);
    void finish(quint64 request, const ActionResult &result);
    void setZone(Zone zone);
    void showShortcuts();
    void showAbout();

    /// An action that was asked for and has not been answered.
    struct Expected {
        QList<Key> keys;
        QString done;
    };

    EngineClient *m_client;
    std::function<Instant()> m_now;
    KeyModel *m_keys;
    KeyOrder *m_order;
    LogModel *m_logLines;
    History m_history;
    Duration m_sinceSample{0};
    Wording m_wording;
    QHash<quint64, Expected> m_expected;
    QString m_file;

    QStackedWidget *m_pages;
    StartPage *m_start;
    ProblemsPage *m_problems;
    QTableView *m_table;
    QLineEdit *m_filter;
    QLabel *m_badge;
    ViewsPanel *m_views;
    DetailsPanel *m_details;
    StatusLine *m_status;
    QDockWidget *m_viewsDock;
    QDockWidget *m_detailsDock;
    QAction *m_open;
    QAction *m_quit;
    QAction *m_trigger;
    QAction *m_pause;
    QAction *m_resume;
    QAction *m_retryParked;
    QAction *m_discardParked;
    QAction *m_find;
    QAction *m_utc;
    QAction *m_badgeAction;
    QMenu *m_recent;
};

} // namespace watukuy::ui
