// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/run/trial.h"

#include <algorithm>

#include "engine/change/change.h"
#include "engine/cursor/progressguard.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype longestAnswer = 8000;
constexpr qsizetype longestExample = 100;

/// Where the trial starts: the caller's cursor, the key's own, or `initial`.
QCoro::Task<Result<LaneCursor>> startOf(Ports *ports, Key key, const cursor::CursorStrategy *strategy,
                                        std::optional<QString> text)
{
    if (text)
        co_return strategy->fromArgument(*text);
    const auto state = co_await ports->store.loadKey(key);
    co_return state ? state->liveCursor : LaneCursor{};
}

/// The live lane's pages, taken as a cycle takes them, but for the store.
class Trial {
public:
    Trial(Ports &ports, const cursor::CursorStrategy &strategy,
          std::shared_ptr<const PollerDefinition> poller, const Key &key, PartitionDefinition partition,
          const LaneCursor &start)
        : m_ports(ports)
        , m_strategy(strategy)
        , m_poller(std::move(poller))
        , m_page{{m_poller->request, m_poller->response, m_poller->pagination},
                 key,
                 Lane::Live,
                 std::move(partition),
                 strategy.scanStart(start),
                 cursor::firstPosition(m_poller->pagination)}
    {
        m_result.nextCursor = start;
    }

    QCoro::Task<TrialResult> run(int pages)
    {
        for (int number = 0; number < pages && !m_result.finished && !m_result.error; ++number) {
            if (auto asked = co_await onePage(); !asked)
                m_result.error = asked.error();
        }
        co_return std::move(m_result);
    }

private:
    QCoro::Task<Result<void>> onePage();
    QCoro::Task<Result<void>> compare(json::PageBody body, LaneCursor at);
    void leaveOutWhatIsHeldBack(json::PageBody &body, const std::vector<bool> &kept);
    void warn(const QString &code, const QString &message, const QString &key);
    void addWarnings(const QList<cursor::CursorWarning> &warnings);
    void warnOfInvalid(const std::vector<change::InvalidItem> &items, const QString &key);

    Ports &m_ports;
    const cursor::CursorStrategy &m_strategy;
    std::shared_ptr<const PollerDefinition> m_poller;
    PageRequest m_page;
    TrialResult m_result;
    cursor::ProgressGuard m_guard;
};

void Trial::warn(const QString &code, const QString &message, const QString &key)
{
    m_result.warnings.append({code, message, key});
}

void Trial::addWarnings(const QList<cursor::CursorWarning> &warnings)
{
    for (const cursor::CursorWarning &warning : warnings)
        warn(warning.code, warning.message, warning.key);
}

/// What a cycle would set aside, leave out or stumble over.
void Trial::warnOfInvalid(const std::vector<change::InvalidItem> &items, const QString &key)
{
    if (items.empty())
        return;
    const QString fate = m_poller->onInvalid == OnInvalid::Quarantine ? u"parked"_s
                         : m_poller->onInvalid == OnInvalid::Skip     ? u"left out"_s
                                                                      : u"the end of the cycle"_s;
    const change::InvalidItem &first = items.front();
    const ItemIssue issue = first.issues.value(0);
    const QString why = issue.path.isEmpty() ? issue.message : u"%1: %2"_s.arg(issue.path, issue.message);
    const QString which = QString::fromUtf8(first.raw.left(longestExample)).simplified();
    warn(u"invalid-item"_s,
         u"%1 items of a page would be %2; the first, %3: %4"_s.arg(items.size()).arg(fate, which, why), key);
}

QCoro::Task<Result<void>> Trial::onePage()
{
    auto request = requestOf(m_page, m_ports.workspace, m_strategy, m_ports.client);
    if (!request)
        co_return fail(request.error());
    const QByteArray hash = http::requestHash(*request);
    if (m_guard.wasAsked(hash))
        co_return fail(repeatedRequest(*request, m_page.listing));
    m_guard.noteAsked(hash);
    const auto exchange = std::make_shared<TrialExchange>(TrialExchange{.request = *request});
    m_result.exchanges.push_back(exchange);
    request->answered = [exchange](const http::Response &response) {
        exchange->status = response.status;
        exchange->took = response.took;
        exchange->bytes = response.body.size();
        exchange->answer = response.body.left(longestAnswer);
    };
    BudgetKeeper::Wish share{
        .budget = m_poller->budget, .key = m_page.key, .cost = m_page.listing.request.cost};
    const Fetcher fetcher{m_ports.client, m_ports.budgets};
    auto fetched =
        co_await fetchPage(fetcher, std::move(share), std::move(*request), m_page.listing, std::nullopt);
    if (!fetched)
        co_return fail(fetched.error());
    if (fetched->answer.outcome == http::Answer::Outcome::Throttled)
        co_return fail(*fetched->answer.throttle);

    const bool isSameAgain = m_guard.isSameAgain(fingerprintOfPage(fetched->body));
    const auto turn = turnPage(*fetched, m_page, isSameAgain, m_strategy, m_ports.clock.now());
    if (!turn)
        co_return fail(turn.error());
    addWarnings(turn->moved.warnings);
    addWarnings(turn->next.warnings);
    if (!isSameAgain) {
        leaveOutWhatIsHeldBack(fetched->body, turn->moved.kept);
        if (auto compared = co_await compare(std::move(fetched->body), turn->moved.next); !compared)
            co_return compared;
    }
    m_result.nextCursor = m_strategy.further(m_result.nextCursor, turn->moved.next);
    m_result.finished = turn->next.finished;
    m_page.position = turn->next.position;
    if (m_poller->pagination.kind == PagingKind::Keyset)
        m_page.cursor = turn->moved.next;
    co_return Result<void>{};
}

void Trial::leaveOutWhatIsHeldBack(json::PageBody &body, const std::vector<bool> &kept)
{
    if (m_strategy.isFullScan() || std::ranges::all_of(kept, std::identity{}))
        return;
    const size_t before = body.items.size();
    body.items = keptItems(std::move(body.items), kept);
    warn(u"held-back"_s,
         u"%1 items of a page are younger than lag; a cycle takes them when they are old enough"_s.arg(
             before - body.items.size()),
         u"cursor.lag"_s);
}

QCoro::Task<Result<void>> Trial::compare(json::PageBody body, LaneCursor at)
{
    const change::IdentifiedPage page = change::identify(body.items, m_poller->identity);
    std::vector<QString> identities;
    for (const change::IdentifiedItem &item : page.items) {
        identities.push_back(item.identity);
        m_result.identities.append(item.identity);
    }
    warnOfInvalid(page.invalid, u"identity"_s);
    for (const json::BrokenItem &broken : body.broken)
        warnOfInvalid({{broken.raw, {}, {{QString(), broken.reason}}}}, u"response.format"_s);
    QHash<QString, ItemRow> rows;
    const auto stored = co_await m_ports.store.loadVersions(m_page.key, std::move(identities), std::nullopt);
    const bool hasNeverRun = !stored && stored.error().name == u"UnknownKey"_s;
    if (!stored && !hasNeverRun)
        co_return fail(stored.error());
    if (stored) {
        for (const StoredItem &item : *stored)
            rows.insert(item.row.identity, item.row);
    }
    change::PageDiff diff = change::diffPage(
        page.items, rows, *m_poller,
        {.key = m_page.key, .lane = Lane::Live, .now = m_ports.clock.now(), .cursor = at.json});
    warnOfInvalid(diff.invalid, u"schema"_s);
    if (diff.duplicateNames > 0)
        warn(u"duplicate-names"_s, u"Items hold the same name twice; the last one counts"_s, u"response"_s);
    for (Event &event : diff.events)
        m_result.events.push_back(std::move(event));
    m_result.items.insert(m_result.items.end(), body.items.begin(), body.items.end());
    co_return Result<void>{};
}

} // namespace

QCoro::Task<TrialResult> tryPoller(Ports *ports, Key key, PartitionDefinition partition,
                                   std::shared_ptr<const PollerDefinition> poller, int pages,
                                   std::optional<QString> cursor)
{
    TrialResult none;
    const auto strategy = cursor::makeStrategy(poller->cursor);
    if (!strategy) {
        none.error = strategy.error();
        co_return none;
    }
    const auto start = co_await startOf(ports, key, strategy->get(), cursor);
    if (!start) {
        none.error = start.error();
        co_return none;
    }
    Trial trial(*ports, **strategy, poller, key, std::move(partition), *start);
    co_return co_await trial.run(pages);
}

} // namespace watukuy
