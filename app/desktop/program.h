// SPDX-License-Identifier: GPL-3.0-or-later
// The desktop program: wires the engine thread and the window, and ends them in order.
#pragma once

#include <memory>

#include <QObject>
#include <QString>

#include "app/desktop/demo.h"
#include "engine/api/engineclient.h"
#include "engine/model/clock.h"

class QSystemTrayIcon;

namespace watukuy::ui {
class MainWindow;
}

namespace watukuy::desktop {

/// Lives from start to quit. A stop always drains: the program ends when the engine has closed.
class Program : public QObject {
    Q_OBJECT

public:
    Program();
    ~Program() override;

    void show();
    void openDemo();
    void openWorkspace(const QString &file);
    /// Drains, then quits. A second call quits at once; what is under way is redelivered later.
    void stop();

private:
    void askBeforeClosing();
    void keepInTray();

    SystemClock m_clock;
    Demo m_demo;
    std::unique_ptr<EngineClient> m_client;
    std::unique_ptr<ui::MainWindow> m_window;
    std::unique_ptr<QSystemTrayIcon> m_tray;
    bool m_stopping = false;
};

} // namespace watukuy::desktop
