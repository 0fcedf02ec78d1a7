// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main/mainwindow.h"

#include <QApplication>
#include <QCloseEvent>
#include <QCompleter>
#include <QDockWidget>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QStackedWidget>
#include <QTableView>
#include <QTimer>

#include "ui/dialogs/reasondialog.h"
#include "ui/main/statusline.h"
#include "ui/models/keymodel.h"
#include "ui/models/keyorder.h"
#include "ui/models/logmodel.h"
#include "ui/views/detailspanel.h"
#include "ui/views/gobackview.h"
#include "ui/views/parkedview.h"
#include "ui/views/problemspage.h"
#include "ui/views/startpage.h"
#include "ui/views/table.h"
#include "ui/views/viewspanel.h"

namespace watukuy::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int logCapacity = 100'000;
constexpr Duration tickEvery = std::chrono::seconds{1};
constexpr qsizetype mostNamed = 200;

QStringList namesOf(const QList<Key> &keys)
{
    QStringList names;
    for (const Key &key : keys.mid(0, mostNamed))
        names.append(key.toString());
    return names;
}

} // namespace

MainWindow::MainWindow(EngineClient *client, std::function<Instant()> now, QWidget *parent)
    : QMainWindow(parent)
    , m_client(client)
    , m_now(std::move(now))
    , m_keys(new KeyModel(this))
    , m_order(new KeyOrder(m_keys, this))
    , m_logLines(new LogModel(logCapacity, this))
    , m_status(new StatusLine(this))
{
    setObjectName(u"main"_s);
    setWindowTitle(tr("Watukuy"));
    setStatusBar(m_status);
    makeCentre();
    makeDocks();
    makeActions();
    makeMenus();
    makeToolBar();
    listenToClient();
    listenToOperator();
    showIcons();
    showStatus(m_client->status());
    resize(1440, 900);
    resizeDocks({m_viewsDock}, {210}, Qt::Horizontal);
    resizeDocks({m_detailsDock}, {330}, Qt::Vertical);
    auto *timer = new QTimer(this);
    connect(timer, &QTimer::timeout, this, &MainWindow::tick);
    timer->start(tickEvery);
    m_keys->setNow(m_now());
    tick();
}

MainWindow::~MainWindow() = default;

void MainWindow::makeCentre()
{
    m_table = makeTable(m_order, {18, 19, 15, 21, 16, 14, 11, 13, 9, 9, 8, 16, 44}, tr("Keys"), this);
    m_table->setSortingEnabled(true);
    m_table->horizontalHeader()->setSortIndicator(KeyModel::State, Qt::DescendingOrder);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    m_table->setFrameShape(QFrame::NoFrame);
    m_start = new StartPage(this);
    m_problems = new ProblemsPage(this);
    m_pages = new QStackedWidget(this);
    for (QWidget *page : {static_cast<QWidget *>(m_start), static_cast<QWidget *>(m_problems),
                          static_cast<QWidget *>(m_table)})
        m_pages->addWidget(page);
    setCentralWidget(m_pages);
}

void MainWindow::makeDocks()
{
    m_views = new ViewsPanel(this);
    m_viewsDock = new QDockWidget(tr("Views"), this);
    m_viewsDock->setObjectName(u"views"_s);
    m_viewsDock->setWidget(m_views);
    addDockWidget(Qt::LeftDockWidgetArea, m_viewsDock);
    m_details = new DetailsPanel(m_client, m_logLines, &m_history, this);
    m_detailsDock = new QDockWidget(tr("Selected key"), this);
    m_detailsDock->setObjectName(u"details"_s);
    m_detailsDock->setWidget(m_details);
    addDockWidget(Qt::BottomDockWidgetArea, m_detailsDock);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
}

void MainWindow::listenToClient()
{
    connect(m_client, &EngineClient::statusChanged, this, &MainWindow::showStatus);
    connect(m_client, &EngineClient::opened, this, &MainWindow::showWorkspace);
    connect(m_client, &EngineClient::openFailed, this,
            [this](const Error &error, const QList<WorkspaceProblem> &problems) {
                m_problems->show(error, problems);
                m_pages->setCurrentWidget(m_problems);
            });
    connect(m_client, &EngineClient::engineFailed, this,
            [this](const Error &error) { m_status->say(error.oneLine()); });
    connect(m_client, &EngineClient::keysChanged, this,
            [this](const QList<KeySnapshot> &changed, const QList<Key> &removed, Instant at) {
                const bool first = m_keys->rowCount() == 0;
                m_status->heard(at);
                m_keys->apply(changed, removed);
                if (first)
                    m_order->settle();
                if (!changed.isEmpty() || !removed.isEmpty()) {
                    showCounts();
                    showSelection();
                }
            });
    connect(m_client, &EngineClient::logAdded, this,
            [this](const QList<LogLine> &lines) { m_logLines->append(lines); });
    connect(m_client, &EngineClient::actionFinished, this, &MainWindow::finish);
    connect(m_client, &EngineClient::readFailed, this,
            [this](quint64, const Error &error) { m_status->say(error.oneLine()); });
}

void MainWindow::listenToOperator()
{
    connect(m_views, &ViewsPanel::chosen, this, [this](View view) {
        m_order->setView(view);
        showCounts();
    });
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString &line) {
        m_order->setFilterLine(line);
        showCounts();
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        showSelection();
        showCounts();
        enableActions();
    });
    connect(m_start, &StartPage::demoWanted, this, &MainWindow::demoWanted);
    connect(m_start, &StartPage::openWanted, this, &MainWindow::askForWorkspace);
    connect(m_problems, &ProblemsPage::openWanted, this, &MainWindow::askForWorkspace);
    connect(m_problems, &ProblemsPage::retryWanted, this, [this] { openWorkspace(m_file); });
    connect(m_details->parked(), &ParkedView::retryWanted, this, &MainWindow::retry);
    connect(m_details->parked(), &ParkedView::discardWanted, this, &MainWindow::askToDiscard);
    connect(m_details->goBack(), &GoBackView::wanted, this, &MainWindow::askToGoBack);
}

void MainWindow::openWorkspace(const QString &file)
{
    m_file = file;
    m_keys->clear();
    m_history.clear();
    m_client->open(file, true);
}

void MainWindow::showStatus(EngineClient::Status status)
{
    using Status = EngineClient::Status;
    m_status->setStatus(status);
    m_status->tick(m_now());
    const bool isOpen =
        status == Status::Running || status == Status::Monitoring || status == Status::Draining;
    if (isOpen)
        m_pages->setCurrentWidget(m_table);
    else if (status != Status::Failed)
        m_pages->setCurrentWidget(m_start);
    m_start->setBusy(status == Status::Opening ? tr("Opening %1…").arg(m_file) : QString());
    m_viewsDock->setVisible(isOpen);
    m_detailsDock->setVisible(isOpen);
    enableActions();
}

void MainWindow::showWorkspace(const WorkspaceInfo &workspace)
{
    m_keys->clear(); // what the workspace before sent while it was closed
    m_history.clear();
    setWindowTitle(tr("%1 – Watukuy").arg(workspace.file));
    QStringList badges;
    if (!workspace.environment.isEmpty())
        badges.append(workspace.environment.toUpper());
    if (workspace.readOnly)
        badges.append(tr("READ-ONLY"));
    m_badge->setText(badges.join(u" · "_s));
    const bool isProduction = workspace.environment.compare(u"production"_s, Qt::CaseInsensitive) == 0;
    m_badge->setStyleSheet(u"QLabel#badge{background:%1;color:#ffffff;border-radius:4px;font-weight:bold;"
                           "margin:0 6px;padding:2px 8px}"_s.arg(isProduction ? u"#a3341f"_s : u"#4d6478"_s));
    m_badgeAction->setVisible(!badges.isEmpty());
    m_badge->setToolTip(tr("Store: %1\nInstance: %2").arg(workspace.store, workspace.instance));
    rememberRecent(workspace.file);
    enableActions();
}

QList<Key> MainWindow::selectedKeys() const
{
    QList<Key> keys;
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    for (const QModelIndex &row : rows)
        keys.append(m_order->keyAt(row).key);
    return keys;
}

void MainWindow::showSelection()
{
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    if (rows.isEmpty()) {
        m_details->setKey(std::nullopt, m_now());
        m_detailsDock->setWindowTitle(tr("Selected key"));
        return;
    }
    const QModelIndex current = m_table->selectionModel()->isSelected(m_table->currentIndex())
                                    ? m_table->currentIndex()
                                    : rows.first();
    const KeySnapshot &key = m_order->keyAt(current);
    m_details->setKey(key, m_now());
    m_detailsDock->setWindowTitle(key.key.toString());
}

void MainWindow::showCounts()
{
    std::array<int, 7> counts{};
    for (const KeySnapshot &key : m_keys->rows())
        ++counts.at(static_cast<size_t>(key.state));
    QStringList words;
    for (size_t state = 0; state < counts.size(); ++state) {
        if (counts.at(state) > 0)
            words.append(tr("%1 %2").arg(Wording::state(static_cast<VisibleState>(state)),
                                         Wording::count(counts.at(state))));
    }
    m_status->setCounts(static_cast<int>(m_table->selectionModel()->selectedRows().size()),
                        m_order->rowCount(), m_keys->rowCount(), words.join(u" · "_s));
    m_views->count(m_keys->rows(), m_now());
}

bool MainWindow::isOperatorAtWork() const
{
    return m_table->selectionModel()->hasSelection() || m_table->viewport()->underMouse() ||
           QApplication::activePopupWidget() != nullptr;
}

void MainWindow::tick()
{
    const Instant now = m_now();
    m_status->tick(now);
    m_status->setFrozen(m_table->selectionModel()->hasSelection() && m_table->isVisible());
    m_sinceSample += tickEvery;
    const bool isSampled =
        m_sinceSample >= History::cadence && m_client->status() == EngineClient::Status::Running;
    if (isSampled) {
        m_sinceSample = {};
        m_history.add(m_keys->rows(), now);
    }
    if (!isVisible() || isMinimized())
        return;
    m_keys->setNow(now);
    if (!isOperatorAtWork())
        m_order->settle();
    if (isSampled)
        m_details->refresh();
}

void MainWindow::expect(quint64 request, const QList<Key> &keys, const QString &pending, const QString &done)
{
    m_keys->setPending(keys, pending);
    m_expected.insert(request, {keys, done});
}

void MainWindow::finish(quint64 request, const ActionResult &result)
{
    const Expected expected = m_expected.take(request);
    m_keys->setPending(expected.keys, QString());
    QString message = tr("%1: %2 done, %3 skipped, %4 failed")
                          .arg(expected.done, Wording::count(result.done), Wording::count(result.skipped),
                               Wording::count(result.failed.size()));
    if (!result.failed.isEmpty())
        message += u" – "_s + result.failed.first().error.oneLine();
    else if (result.done == 0 && !result.details.isEmpty())
        message += u" – "_s + result.details.first();
    m_status->say(message);
    m_details->refresh();
}

void MainWindow::triggerSelected()
{
    const QList<Key> keys = selectedKeys();
    if (!keys.isEmpty())
        expect(m_client->trigger(keys, QString()), keys, tr("Triggering…"), tr("Trigger"));
}

void MainWindow::resumeSelected()
{
    const QList<Key> keys = selectedKeys();
    if (!keys.isEmpty())
        expect(m_client->resume(keys, QString()), keys, tr("Resuming…"), tr("Resume"));
}

void MainWindow::pauseSelected()
{
    const QList<Key> keys = selectedKeys();
    if (keys.isEmpty())
        return;
    auto *dialog =
        new ReasonDialog({.title = tr("Pause"),
                          .scope = tr("Selected (%1)").arg(Wording::count(keys.size())),
                          .consequence = tr("They are not polled and their events wait until someone "
                                            "resumes them. A cycle at work stops at its next page. "
                                            "Nothing is lost."),
                          .action = tr("Pause")},
                         namesOf(keys), this);
    connect(dialog, &ReasonDialog::confirmed, this, [this, keys](const QString &reason) {
        expect(m_client->pause(keys, reason), keys, tr("Pausing…"), tr("Pause"));
    });
    dialog->open();
}

void MainWindow::retry(const QList<qint64> &ids)
{
    const std::optional<Key> key = m_details->key();
    if (key && !ids.isEmpty())
        expect(m_client->retryParked(key->poller, ids, QString()), {*key}, tr("Retrying…"), tr("Retry"));
}

void MainWindow::askToDiscard(const QList<qint64> &ids)
{
    const std::optional<Key> key = m_details->key();
    if (!key || ids.isEmpty())
        return;
    QStringList names;
    for (const qint64 id : ids.mid(0, mostNamed))
        names.append(tr("Parked number %1").arg(id));
    auto *dialog =
        new ReasonDialog({.title = tr("Discard parked"),
                          .scope = tr("Parked (%1) of %2").arg(Wording::count(ids.size()), key->poller),
                          .consequence = tr("These events are never delivered, and later events of the "
                                            "same items go on without them. This cannot be undone."),
                          .action = tr("Discard")},
                         names, this);
    connect(dialog, &ReasonDialog::confirmed, this, [this, key, ids](const QString &reason) {
        expect(m_client->discardParked(key->poller, ids, reason), {*key}, tr("Discarding…"), tr("Discard"));
    });
    dialog->open();
}

void MainWindow::askToGoBack(const Key &key, const GoBackWish &wish, const QString &preview)
{
    const bool isReplay = std::holds_alternative<ReplayWish>(wish);
    const bool isBackfill = std::holds_alternative<BackfillWish>(wish);
    const QString action = isReplay ? tr("Replay") : isBackfill ? tr("Start backfill") : tr("End backfill");
    auto *dialog = new ReasonDialog(
        {.title = action,
         .scope = key.toString(),
         .consequence = isReplay
                            ? tr("The events go to every sink of the poller once more, under their own ids.")
                        : isBackfill ? tr("The API is listed again beside live polling; it costs requests.")
                                     : tr("What the backfill has committed stays."),
         .action = action},
        {preview}, this);
    connect(dialog, &ReasonDialog::confirmed, this, [this, key, wish, action](const QString &reason) {
        expect(m_client->goBack(key, wish, Run::ForReal, reason), {key}, tr("Asking…"), action);
    });
    dialog->open();
}

void MainWindow::enableActions()
{
    using Status = EngineClient::Status;
    const bool isOpen = m_client->status() == Status::Running || m_client->status() == Status::Monitoring;
    const bool mayAct =
        isOpen && !m_client->workspace().readOnly && m_table->selectionModel()->hasSelection();
    for (QAction *action : {m_trigger, m_pause, m_resume, m_retryParked, m_discardParked})
        action->setEnabled(mayAct);
    m_filter->setEnabled(isOpen);
}

void MainWindow::setZone(Zone zone)
{
    m_wording.zone = zone;
    m_keys->setWording(m_wording);
    m_logLines->setWording(m_wording);
    m_details->setWording(m_wording);
    m_status->setWording(m_wording);
    showSelection();
}

void MainWindow::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape) {
        m_table->clearSelection();
        m_filter->clear();
        return;
    }
    QMainWindow::keyPressEvent(event);
}

void MainWindow::changeEvent(QEvent *event)
{
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        showIcons();
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    event->ignore();
    Q_EMIT closeWanted();
}

} // namespace watukuy::ui
