// SPDX-License-Identifier: GPL-3.0-or-later
// The main window's actions, menus and tool bar.
#include <QAction>
#include <QActionGroup>
#include <QCompleter>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QSettings>
#include <QTableView>
#include <QToolBar>

#include "ui/main/mainwindow.h"
#include "ui/models/keyfilter.h"
#include "ui/models/severity.h"
#include "ui/theme/icons.h"
#include "ui/views/detailspanel.h"
#include "ui/views/parkedview.h"
#include "ui/views/viewspanel.h"

namespace watukuy::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostRecent = 8;
const QString recentKey = u"recentWorkspaces"_s;

} // namespace

void MainWindow::makeActions()
{
    const auto make = [this](const QString &text, const QKeySequence &shortcut, auto slot) {
        auto *action = new QAction(text, this);
        action->setShortcut(shortcut);
        connect(action, &QAction::triggered, this, slot);
        return action;
    };
    m_open = make(tr("&Open workspace…"), QKeySequence::Open, [this] { askForWorkspace(); });
    m_quit = make(tr("&Quit"), QKeySequence::Quit, [this] { Q_EMIT closeWanted(); });
    m_trigger = make(tr("&Trigger now"), Qt::CTRL | Qt::Key_Return, [this] { triggerSelected(); });
    m_pause = make(tr("&Pause…"), Qt::CTRL | Qt::SHIFT | Qt::Key_P, [this] { pauseSelected(); });
    m_resume = make(tr("&Resume"), Qt::CTRL | Qt::SHIFT | Qt::Key_R, [this] { resumeSelected(); });
    m_retryParked = make(tr("&Retry"), {}, [this] { retry(m_details->parked()->chosen()); });
    m_discardParked = make(tr("&Discard…"), {}, [this] { askToDiscard(m_details->parked()->chosen()); });
    m_find = make(tr("&Filter"), QKeySequence::Find, [this] {
        m_filter->setFocus(Qt::ShortcutFocusReason);
        m_filter->selectAll();
    });
    m_utc = make(tr("Times in &UTC"), {}, [this](bool on) { setZone(on ? Zone::Utc : Zone::Local); });
    m_utc->setCheckable(true);
    m_utc->setChecked(true);
    m_trigger->setToolTip(tr("Poll the selected keys now (Ctrl+Return)"));
    m_pause->setToolTip(tr("Stop polling the selected keys until someone resumes them"));
    m_resume->setToolTip(tr("Poll the selected keys again"));
    m_table->addActions({m_trigger, m_pause, m_resume});
}

void MainWindow::makeMenus()
{
    QMenu *file = menuBar()->addMenu(tr("&File"));
    file->addAction(m_open);
    m_recent = file->addMenu(tr("Open &recent"));
    connect(m_recent, &QMenu::aboutToShow, this, &MainWindow::fillRecent);
    file->addSeparator();
    file->addAction(m_quit);

    QMenu *view = menuBar()->addMenu(tr("&View"));
    view->addAction(m_find);
    int number = 1;
    for (const View choice : allViews) {
        QAction *action =
            view->addAction(viewName(choice), this, [this, choice] { m_views->choose(choice); });
        action->setShortcut(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_0 + number++));
    }
    view->addSeparator();
    view->addAction(m_viewsDock->toggleViewAction());
    view->addAction(m_detailsDock->toggleViewAction());
    view->addAction(m_utc);
    for (int tab = 0; tab < m_details->count(); ++tab) {
        auto *action = new QAction(m_details->tabText(tab), this);
        action->setShortcut(Qt::ALT | static_cast<Qt::Key>(Qt::Key_1 + tab));
        connect(action, &QAction::triggered, this, [this, tab] { m_details->setCurrentIndex(tab); });
        addAction(action);
    }

    QMenu *poller = menuBar()->addMenu(tr("&Poller"));
    poller->addActions({m_trigger, m_pause, m_resume});
    QMenu *parked = menuBar()->addMenu(tr("P&arked"));
    parked->addActions({m_retryParked, m_discardParked});

    QMenu *help = menuBar()->addMenu(tr("&Help"));
    help->addAction(tr("&Shortcuts"), QKeySequence::HelpContents, this, &MainWindow::showShortcuts);
    help->addAction(tr("&About Watukuy"), this, &MainWindow::showAbout);
}

void MainWindow::makeToolBar()
{
    QToolBar *bar = addToolBar(tr("Actions"));
    bar->setObjectName(u"actions"_s);
    bar->setMovable(false);
    bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    bar->setIconSize({16, 16});
    m_badge = new QLabel(bar);
    m_badge->setObjectName(u"badge"_s);
    m_badge->setContentsMargins(8, 2, 8, 2);
    m_badge->setAccessibleName(tr("Kind of workspace"));
    m_badgeAction = bar->addWidget(m_badge);
    m_badgeAction->setVisible(false);
    bar->addActions({m_trigger, m_pause, m_resume});
    auto *space = new QWidget(bar);
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(space);
    m_filter = new QLineEdit(bar);
    m_filter->setPlaceholderText(tr("Filter: state:open parked>0 poller:orders"));
    m_filter->setAccessibleName(tr("Filter"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setMaximumWidth(360);
    m_filter->setMinimumWidth(260);
    auto *completer = new QCompleter(KeyFilter::beginnings(), m_filter);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    m_filter->setCompleter(completer);
    bar->addWidget(m_filter);
}

void MainWindow::showIcons()
{
    m_open->setIcon(actionIcon(u"open"_s, palette()));
    m_trigger->setIcon(actionIcon(u"trigger"_s, palette()));
    m_pause->setIcon(actionIcon(u"pause"_s, palette()));
    m_resume->setIcon(actionIcon(u"resume"_s, palette()));
    m_retryParked->setIcon(actionIcon(u"retry"_s, palette()));
    m_discardParked->setIcon(actionIcon(u"discard"_s, palette()));
}

void MainWindow::askForWorkspace()
{
    auto *dialog = new QFileDialog(this, tr("Open a workspace"), QFileInfo(m_file).absolutePath(),
                                   tr("Workspaces (*.watukuy.json)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::openWorkspace);
    dialog->open();
}

void MainWindow::rememberRecent(const QString &file)
{
    QSettings settings;
    QStringList files = settings.value(recentKey).toStringList();
    files.removeAll(file);
    files.prepend(file);
    settings.setValue(recentKey, files.mid(0, mostRecent));
}

void MainWindow::fillRecent()
{
    m_recent->clear();
    const QStringList files = QSettings().value(recentKey).toStringList();
    for (const QString &file : files)
        m_recent->addAction(file, this, [this, file] { openWorkspace(file); });
    if (files.isEmpty())
        m_recent->addAction(tr("Nothing was opened yet"))->setEnabled(false);
}

void MainWindow::showShortcuts()
{
    auto *box = new QMessageBox(QMessageBox::NoIcon, tr("Shortcuts"), QString(), QMessageBox::Close, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    QString text = u"<table cellpadding='4'>"_s;
    const QList<std::pair<QString, QString>> shortcuts{
        {tr("Ctrl+O"), tr("Open a workspace")},
        {tr("Ctrl+F"), tr("Filter the list")},
        {tr("Ctrl+1 … 8"), tr("Choose a view")},
        {tr("Alt+1 … 7"), tr("Choose a tab of the selected key")},
        {tr("Ctrl+Return"), tr("Trigger now")},
        {tr("Ctrl+Shift+P"), tr("Pause the selected keys")},
        {tr("Ctrl+Shift+R"), tr("Resume the selected keys")},
        {tr("End"), tr("In the log: follow the newest line")},
        {tr("Esc"), tr("Clear the selection and the filter")}};
    for (const auto &[keys, meaning] : shortcuts)
        text += u"<tr><td><b>%1</b></td><td>%2</td></tr>"_s.arg(keys, meaning);
    box->setText(text + u"</table>"_s);
    box->open();
}

void MainWindow::showAbout()
{
    auto *box =
        new QMessageBox(QMessageBox::NoIcon, tr("About Watukuy"),
                        tr("<h3>Watukuy %1</h3><p>Webhooks for APIs that have none.</p>"
                           "<p>Free software under the GNU General Public License, version 3 or later.</p>")
                            .arg(QStringLiteral(WATUKUY_VERSION)),
                        QMessageBox::Close, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setIconPixmap(programIcon().pixmap(64, 64));
    box->open();
}

} // namespace watukuy::ui
