// SPDX-License-Identifier: GPL-3.0-or-later
// What a running engine on the command line waits for.
#pragma once

#include <memory>
#include <optional>

#include <QByteArray>
#include <QCoroTask>
#include <QFileSystemWatcher>
#include <QObject>
#include <QQueue>
#include <QTimer>

#include "app/cli/stopsignals.h"
#include "engine/model/bell.h"
#include "engine/model/clock.h"

namespace watukuy::cli {

/// Collects the reasons to end, or to reload, and hands them out one by one.
class Endings : public QObject {
    Q_OBJECT

public:
    enum class Reason { Signal, TimeOver, ReaderGone, FileChanged };

    Endings();

    void endAfter(Duration span);
    /// FileChanged whenever the content of `file` is another one, also when it was replaced.
    void watch(const QString &file);
    void readerGone() { add(Reason::ReaderGone); }

    /// The next reason; waits for one.
    QCoro::Task<Reason> next();

Q_SIGNALS:
    /// A second signal: stop at once.
    void hurried();

private:
    void add(Reason reason);
    void compareFile();

    StopSignals m_signals;
    SystemClock m_clock;
    std::unique_ptr<PendingWake> m_end;
    QQueue<Reason> m_reasons;
    Bell m_added{this};
    QFileSystemWatcher m_watcher;
    QTimer m_settle;
    QString m_file;
    QByteArray m_content;
};

} // namespace watukuy::cli
