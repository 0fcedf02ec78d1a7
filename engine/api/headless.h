// SPDX-License-Identifier: GPL-3.0-or-later
// An engine without a user interface: what the command line runs.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <QByteArray>
#include <QCoroTask>
#include <QString>

#include "engine/api/operations.h"
#include "engine/api/snapshot.h"
#include "engine/definition/workspace.h"

namespace watukuy {

/// One element of `tick --json` (spec-workspace).
struct TickResult {
    Key key;
    Lane lane = Lane::Live;
    Verdict verdict = Verdict::None;
    int pages = 0;
    qint64 items = 0;
    EventCounts events;
    qint64 delivered = 0;
    Duration took{0};
    std::optional<Error> error;
    QString skipped;                ///< "", `not-due`, `paused`, `leased`
    std::optional<Error> sinkError; ///< a sink is down; its events wait
    QList<Warning> warnings;
};
[[nodiscard]] QByteArray tickJson(const TickResult &result);

/// What `test` found out about a poller; nothing was written.
struct TestReport {
    struct Exchange {
        QString method;
        QString url;                                ///< redacted
        QList<std::pair<QString, QString>> headers; ///< redacted
        int status = 0;
        Duration took{0};
        qint64 bytes = 0;
    };
    QList<Exchange> requests;
    std::vector<QByteArray> items; ///< raw
    qint64 itemCount = 0;
    QStringList identities;
    std::vector<QByteArray> events; ///< envelopes that a cycle would emit now
    QByteArray nextCursor;          ///< JSON text; empty = null
    Verdict verdict = Verdict::None;
    QList<Warning> warnings;
    std::optional<Error> error; ///< what ended the test early; the rest says how far it came
    QString lastAnswer;         ///< then: the beginning of the last answer's body, redacted
};
[[nodiscard]] QByteArray testJson(const TestReport &report);

/// A workspace with its store open, and an engine on it when asked. Everything runs on the calling
/// thread's event loop; SQL on threads of the store.
class Headless {
public:
    explicit Headless(WorkspaceDefinition workspace);
    ~Headless();
    Q_DISABLE_COPY_MOVE(Headless)

    /// Opens the store; to write, it is created when new. First of all, once. After an error nothing is
    /// open, and another try may follow.
    QCoro::Task<Result<void>> open(StoreAccess access);
    /// The access that a read-only workspace allows, or else to write.
    [[nodiscard]] StoreAccess allowedAccess() const;
    /// Forgets everything in memory only: for trials of a workspace that has no store yet.
    QCoro::Task<Result<void>> openInMemory();

    /// Valid after open().
    [[nodiscard]] Operations &operations();

    /// Starts the engine. `observe` gets every log line; `delivered` every event that all sinks took.
    QCoro::Task<Result<void>> start(std::function<void(const LogLine &)> observe,
                                    std::function<void(const Event &)> delivered);
    /// Drains within the limit, then stops. Safe to call when nothing was started.
    QCoro::Task<void> stop(Duration limit);
    /// Ends a tick at the next page boundary of its cycles.
    void endTick();
    /// Stops at once; what is under way is redelivered later.
    void stopNow();

    /// One pass over what is due: every key at most once.
    QCoro::Task<Result<std::vector<TickResult>>> tick(Duration maxDuration, KeyScope only);

    /// Lists the partitions of a poller now; a dry run lists them, too, and changes nothing.
    QCoro::Task<Result<ActionResult>> refreshPartitions(QString poller, Request request);

    /// Fetches for real, writes nothing.
    QCoro::Task<Result<TestReport>> test(QString poller, QString partition, int pages,
                                         std::optional<QString> cursor);

    QCoro::Task<void> close();

private:
    class Private;
    class Visit;
    std::unique_ptr<Private> d;
};

} // namespace watukuy
