// SPDX-License-Identifier: GPL-3.0-or-later
// SIGINT and SIGTERM, or Ctrl-C on Windows, as events of the event loop.
#pragma once

#include <array>

#include <QObject>

class QSocketNotifier;

namespace watukuy::cli {

/// While one of these lives, SIGINT and SIGTERM do not end the program: they are counted here.
/// One at a time.
class StopSignals : public QObject {
    Q_OBJECT

public:
    StopSignals();
    ~StopSignals() override;
    Q_DISABLE_COPY_MOVE(StopSignals)

Q_SIGNALS:
    /// `count` is 1 for the first signal, then 2, ...
    void received(int count);

public:
    /// One more signal has come.
    void count();

private:
    void read();

    std::array<int, 2> m_sockets{-1, -1};
    QSocketNotifier *m_notifier = nullptr;
    int m_count = 0;
};

} // namespace watukuy::cli
