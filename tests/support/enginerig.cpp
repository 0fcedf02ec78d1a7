// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/enginerig.h"

#include <QCoreApplication>
#include <QCoroTask>
#include <QTimer>

namespace watukuy::tests {

using namespace Qt::StringLiterals;

namespace {

template <typename T>
T must(Result<T> result)
{
    if (!result)
        qFatal("%s", qPrintable(result.error().oneLine()));
    if constexpr (!std::is_void_v<T>)
        return std::move(*result);
}

} // namespace

EngineRig::EngineRig(StoreKind kind, const QByteArray &members, QByteArray beside)
    : answer([](const demo::ServerRequest &) { return demo::ServerReply::json("[]"); })
    , m_kind(kind)
    , m_members(members)
    , m_beside(std::move(beside))
    , m_server([this](const demo::ServerRequest &request) {
        requests.append(request);
        return answer(request);
    })
{
    if (!m_server.start())
        qFatal("%s", qPrintable(m_server.errorString()));
    makeEngine(members);
}

EngineRig::~EngineRig()
{
    QCoro::waitFor(m_engine->stop(Duration{0}));
    m_engine.reset();
    (void)QCoro::waitFor(m_store->close());
}

void EngineRig::makeEngine(const QByteArray &members)
{
    const QByteArray storeText =
        m_kind == StoreKind::Memory ? R"({"kind":"memory"})" : R"({"kind":"sqlite","path":"state.db"})";
    QByteArray text = R"({"version":1,"store":)" + storeText +
                      R"(,"sinks":{"log":{"kind":"file","path":"events.jsonl"}},"pollers":{"items":{)" +
                      members + R"(,"deliver":{"to":["log"]}}})" + m_beside + '}';
    text.replace("$API", m_server.url().toEncoded());
    auto parsed = parseWorkspace(text, m_folder.filePath(u"test.watukuy.json"_s));
    if (!parsed)
        qFatal("%s: %s", qPrintable(parsed.error().first().pointer),
               qPrintable(parsed.error().first().message));
    auto workspace = std::make_unique<WorkspaceDefinition>(std::move(*parsed));
    auto secrets = std::make_unique<Secrets>(m_folder.path());
    if (!m_store) {
        m_store = must(makeStore(workspace->store));
        must(QCoro::waitFor(m_store->open()));
    }
    EngineObserver observer;
    observer.log = [this](const LogLine &line) { log.append(line); };
    observer.keyChanged = [this](const Key &key) {
        if (!m_engine || !m_engine->keys().contains(key)) // a window would look for it in vain
            qFatal("a change of %s is told, which is no key", qPrintable(key.toString()));
    };
    observer.delivered = [this](const Event &event) { m_delivered.push_back(event); };
    m_engine = std::make_unique<Engine>(*workspace, *m_store, clock, random, transport, *secrets, observer);
    m_workspace = std::move(workspace);
    m_secrets = std::move(secrets);
    must(QCoro::waitFor(m_engine->prepare()));
}

RunReport EngineRig::tick()
{
    auto reports = QCoro::waitFor(m_engine->tick([](const Key &) { return true; }));
    return reports.empty() ? RunReport{} : std::move(reports.front().second);
}

void EngineRig::restart(const QByteArray &members)
{
    if (!members.isEmpty())
        m_members = members;
    QCoro::waitFor(m_engine->stop(Duration{0}));
    makeEngine(m_members);
}

void EngineRig::settle()
{
    constexpr int hops = 3; // the stamp, the keys, the run they lead to
    const auto isIdle = [this] { return m_engine->busy() == 0; };
    // A run that was just granted its budget is idle for a moment: idle twice is idle.
    for (int idle = 0; idle < 2; ++idle) {
        for (int hop = 0; hop < hops; ++hop) {
            (void)QCoro::waitFor(m_store->changeStamp());
            QCoreApplication::processEvents();
        }
        if (isIdle())
            continue;
        idle = -1;
        QTimer limit;
        limit.setSingleShot(true);
        limit.start(30'000);
        while (!isIdle()) {
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
            if (!limit.isActive())
                qFatal("a cycle does not end");
        }
    }
}

void EngineRig::pass(Duration by)
{
    constexpr Duration step{1000};
    for (Duration passed{0}; passed < by; passed += step) {
        clock.advance(std::min(step, by - passed));
        settle();
    }
}

KeyState EngineRig::state()
{
    return must(QCoro::waitFor(m_store->loadKey(key())));
}

QStringList EngineRig::news()
{
    QStringList lines;
    for (; m_told < m_delivered.size(); ++m_told)
        lines.append(toString(m_delivered[m_told].type) + u' ' + m_delivered[m_told].subject);
    return lines;
}

} // namespace watukuy::tests
