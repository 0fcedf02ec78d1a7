// SPDX-License-Identifier: GPL-3.0-or-later
// The demo of the desktop program: the shop's API on a thread of its own, and its workspace.
#pragma once

#include <expected>

#include <QString>
#include <QThread>

namespace watukuy::demo {
class DemoShop;
}

namespace watukuy::desktop {

/// Runs the demo shop while it lives. The workspace and its store stay in the user's data folder.
class Demo {
public:
    Demo() = default;
    ~Demo();
    Q_DISABLE_COPY_MOVE(Demo)

    /// Starts the shop and writes the workspace; calls `ready` in the thread of `context` with the
    /// workspace's file, or why it could not be done.
    void start(QObject *context, std::function<void(std::expected<QString, QString>)> ready);

private:
    QThread m_thread;
    demo::DemoShop *m_shop = nullptr; ///< lives and dies in m_thread
};

} // namespace watukuy::desktop
