// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/program.h"

#include <QAction>
#include <QApplication>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSystemTrayIcon>

#include "ui/main/mainwindow.h"
#include "ui/main/statusline.h"
#include "ui/theme/icons.h"

namespace watukuy::desktop {

Program::Program()
    : m_client(makeEngineClient())
    , m_window(std::make_unique<ui::MainWindow>(m_client.get(), [this] { return m_clock.now(); }))
{
    connect(m_window.get(), &ui::MainWindow::demoWanted, this, &Program::openDemo);
    connect(m_window.get(), &ui::MainWindow::closeWanted, this, &Program::askBeforeClosing);
    connect(m_client.get(), &EngineClient::statusChanged, this, [this](EngineClient::Status status) {
        if (m_stopping && (status == EngineClient::Status::Closed || status == EngineClient::Status::Failed))
            QApplication::quit();
    });
    connect(qApp, &QGuiApplication::commitDataRequest, this, [this] { m_client->close(); });
}

Program::~Program()
{
    m_tray.reset();
    m_window.reset();
    m_client.reset();
}

void Program::show()
{
    m_window->show();
}

void Program::openDemo()
{
    m_demo.start(this, [this](const std::expected<QString, QString> &file) {
        if (file)
            openWorkspace(*file);
        else
            m_window->statusLine()->say(tr("The demo could not be started: %1").arg(file.error()));
    });
}

void Program::openWorkspace(const QString &file)
{
    m_window->openWorkspace(file);
}

void Program::stop()
{
    using Status = EngineClient::Status;
    const Status status = m_client->status();
    if (m_stopping || status == Status::Closed || status == Status::Failed) {
        QApplication::quit();
        return;
    }
    m_stopping = true;
    m_client->close();
}

void Program::askBeforeClosing()
{
    const bool isRunning = m_client->status() == EngineClient::Status::Running;
    if (!isRunning || !QSystemTrayIcon::isSystemTrayAvailable()) {
        stop();
        return;
    }
    auto *box =
        new QMessageBox(QMessageBox::Question, tr("Pollers are running"),
                        tr("Keep them running in the background, or stop? Stopping delivers what is under "
                           "way first."),
                        QMessageBox::NoButton, m_window.get());
    box->setAttribute(Qt::WA_DeleteOnClose);
    QPushButton *keep = box->addButton(tr("Keep running"), QMessageBox::AcceptRole);
    QPushButton *end = box->addButton(tr("Stop and quit"), QMessageBox::DestructiveRole);
    box->addButton(QMessageBox::Cancel);
    connect(keep, &QPushButton::clicked, this, &Program::keepInTray);
    connect(end, &QPushButton::clicked, this, &Program::stop);
    box->open();
}

void Program::keepInTray()
{
    if (!m_tray) {
        m_tray = std::make_unique<QSystemTrayIcon>(ui::programIcon());
        auto *menu = new QMenu(m_window.get());
        menu->addAction(tr("Show Watukuy"), this, [this] { m_window->show(); });
        menu->addAction(tr("Stop and quit"), this, &Program::stop);
        m_tray->setContextMenu(menu);
        connect(m_tray.get(), &QSystemTrayIcon::activated, this, [this] { m_window->show(); });
    }
    m_tray->show();
    m_window->hide();
}

} // namespace watukuy::desktop
