// SPDX-License-Identifier: GPL-3.0-or-later
// An engine with one poller, a real server for it to visit, and time in the test's hands.
#pragma once

#include <memory>
#include <vector>

#include <QStringList>
#include <QTemporaryDir>
#include <QTest>

#include "app/cli/demo/listingapi.h"
#include "app/cli/demo/server.h"
#include "engine/definition/workspace.h"
#include "engine/http/networktransport.h"
#include "engine/run/engine.h"
#include "tests/support/knownrandom.h"
#include "tests/support/virtualclock.h"

namespace watukuy::tests {

enum class StoreKind { Memory, Sqlite };

/// The poller is called `items`; what it delivers goes to `events.jsonl` in a folder of its own.
class EngineRig {
public:
    /// `members` of the poller as JSON without braces, `beside` of the workspace with a comma before each;
    /// `$API` stands for the server's address.
    EngineRig(StoreKind kind, const QByteArray &members, QByteArray beside = {});
    ~EngineRig();
    Q_DISABLE_COPY_MOVE(EngineRig)

    VirtualClock clock;
    KnownRandom random;
    demo::HttpServer::Handler answer; ///< to every request; a test may change it at any time
    QList<demo::ServerRequest> requests;
    QList<LogLine> log;
    http::NetworkTransport transport;

    [[nodiscard]] Key key() const { return {QStringLiteral("items"), {}}; }
    [[nodiscard]] StateStore &store() { return *m_store; }
    [[nodiscard]] Engine &engine() { return *m_engine; }
    [[nodiscard]] const WorkspaceDefinition &workspace() const { return *m_workspace; }
    [[nodiscard]] QString path(const QString &name) const { return m_folder.filePath(name); }

    /// One pass over the key.
    RunReport tick();
    /// The engine stops and another one, with `members` when they are given, goes on with the store.
    void restart(const QByteArray &members = {});
    /// Lets what is under way happen: cycles to their end, and what the engine asks of the store.
    void settle();
    /// Moves time on in steps of a second, and lets what wakes up happen.
    void pass(Duration by);

    [[nodiscard]] KeyState state();
    /// `created 1`, `deleted 7`: what was delivered since the last call, in order.
    [[nodiscard]] QStringList news();
    [[nodiscard]] const std::vector<Event> &delivered() const { return m_delivered; }

private:
    void makeEngine(const QByteArray &members);

    StoreKind m_kind;
    QByteArray m_members;
    QByteArray m_beside;
    QTemporaryDir m_folder;
    demo::HttpServer m_server;
    std::unique_ptr<WorkspaceDefinition> m_workspace;
    std::unique_ptr<Secrets> m_secrets;
    std::unique_ptr<StateStore> m_store;
    std::unique_ptr<Engine> m_engine;
    std::vector<Event> m_delivered;
    size_t m_told = 0;
};

/// Runs `Suite` once per kind of store; the suite is made with it.
template <typename Suite>
int runOnEveryStore(int argc, char **argv)
{
    int failures = 0;
    for (const StoreKind kind : {StoreKind::Memory, StoreKind::Sqlite}) {
        Suite suite(kind);
        failures += QTest::qExec(&suite, argc, argv);
    }
    return failures;
}

} // namespace watukuy::tests
