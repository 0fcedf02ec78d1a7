// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/run/trial.h"

#include "engine/change/change.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype longestAnswer = 8000;
constexpr qsizetype longestExample = 100;

void warn(TrialResult &result, const QString &code, const QString &message, const QString &key)
{
    result.warnings.append({code, message, key});
}

void addWarnings(TrialResult &result, const QList<cursor::CursorWarning> &warnings)
{
    for (const cursor::CursorWarning &warning : warnings)
        warn(result, warning.code, warning.message, warning.key);
}

/// What a cycle would set aside, leave out or stumble over.
void warnOfInvalid(TrialResult &result, const std::vector<change::InvalidItem> &items, const QString &key,
                   OnInvalid onInvalid)
{
    if (items.empty())
        return;
    const QString fate = onInvalid == OnInvalid::Quarantine ? u"parked"_s
                         : onInvalid == OnInvalid::Skip     ? u"left out"_s
                                                            : u"the end of the cycle"_s;
    const change::InvalidItem &first = items.front();
    const ItemIssue issue = first.issues.value(0);
    const QString why = issue.path.isEmpty() ? issue.message : u"%1: %2"_s.arg(issue.path, issue.message);
    const QString which = QString::fromUtf8(first.raw.left(longestExample)).simplified();
    warn(result, u"invalid-item"_s,
         u"%1 items of a page would be %2; the first, %3: %4"_s.arg(items.size()).arg(fate, which, why), key);
}

/// Where the trial starts: the caller's cursor, the key's own, or `initial`.
QCoro::Task<Result<LaneCursor>> startOf(Ports *ports, Key key, cursor::CursorStrategy *strategy,
                                        std::optional<QString> text)
{
    if (text)
        co_return strategy->fromArgument(*text);
    const auto state = co_await ports->store.loadKey(key);
    co_return state ? state->liveCursor : LaneCursor{};
}

QCoro::Task<void> compare(Ports *ports, Key key, std::shared_ptr<const PollerDefinition> poller,
                          json::PageBody body, LaneCursor at, TrialResult *result)
{
    const change::IdentifiedPage page = change::identify(body.items, poller->identity);
    std::vector<QString> identities;
    for (const change::IdentifiedItem &item : page.items) {
        identities.push_back(item.identity);
        result->identities.append(item.identity);
    }
    warnOfInvalid(*result, page.invalid, u"identity"_s, poller->onInvalid);
    for (const json::BrokenItem &broken : body.broken)
        warnOfInvalid(*result, {{broken.raw, {}, {{QString(), broken.reason}}}}, u"response.format"_s,
                      poller->onInvalid);
    QHash<QString, ItemRow> rows;
    const auto stored = co_await ports->store.loadVersions(key, std::move(identities), std::nullopt);
    if (stored) {
        for (const StoredItem &item : *stored)
            rows.insert(item.row.identity, item.row);
    }
    change::PageContext context{.key = key, .lane = Lane::Live, .now = ports->clock.now(), .cursor = at.json};
    change::PageDiff diff = change::diffPage(page.items, rows, *poller, context);
    warnOfInvalid(*result, diff.invalid, u"schema"_s, poller->onInvalid);
    if (diff.duplicateNames > 0)
        warn(*result, u"duplicate-names"_s, u"Items hold the same name twice; the last one counts"_s,
             u"response"_s);
    for (Event &event : diff.events)
        result->events.push_back(std::move(event));
}

} // namespace

QCoro::Task<TrialResult> tryPoller(Ports *ports, Key key, PartitionDefinition partition,
                                   std::shared_ptr<const PollerDefinition> poller, int pages,
                                   std::optional<QString> cursor)
{
    TrialResult result;
    auto strategy = cursor::makeStrategy(poller->cursor);
    if (!strategy) {
        result.error = strategy.error();
        co_return result;
    }
    const auto start = co_await startOf(ports, key, strategy->get(), cursor);
    if (!start) {
        result.error = start.error();
        co_return result;
    }
    const bool keyset = poller->pagination.kind == PagingKind::Keyset;
    PageRequest page{{poller->request, poller->response, poller->pagination},
                     key,
                     Lane::Live,
                     partition,
                     (*strategy)->scanStart(*start),
                     cursor::firstPosition(poller->pagination)};
    result.nextCursor = *start;
    std::vector<QByteArray> previous;
    for (int number = 0; number < pages && !result.finished; ++number) {
        auto request = requestOf(page, ports->workspace, **strategy, ports->client);
        if (!request) {
            result.error = request.error();
            break;
        }
        const auto exchange = std::make_shared<TrialExchange>(TrialExchange{.request = *request});
        result.exchanges.push_back(exchange);
        request->answered = [exchange](const http::Response &response) {
            exchange->status = response.status;
            exchange->took = response.took;
            exchange->bytes = response.body.size();
            exchange->answer = response.body.left(longestAnswer);
        };
        BudgetKeeper::Wish share{.budget = poller->budget, .key = key, .cost = page.listing.request.cost};
        const Fetcher fetcher{ports->client, ports->budgets};
        auto fetched =
            co_await fetchPage(fetcher, std::move(share), std::move(*request), page.listing, std::nullopt);
        if (!fetched) {
            result.error = fetched.error();
            break;
        }
        if (fetched->answer.outcome == http::Answer::Outcome::Throttled) {
            result.error = fetched->answer.throttle;
            break;
        }
        cursor::PageSignals said = signalsOf(*fetched, page.listing);
        auto moved =
            (*strategy)->advance(page.cursor, {fetched->body, ports->clock.now(), said.hasMoreDeclared});
        if (!moved) {
            result.error = moved.error();
            break;
        }
        said.cursorMoved = moved->next != page.cursor;
        said.strategyExhausted = moved->exhausted;
        said.samePageAgain = !fetched->body.items.empty() && fetched->body.items == previous;
        const cursor::PagingStep step = cursor::nextStep(poller->pagination, page.position, said);
        addWarnings(result, moved->warnings);
        addWarnings(result, step.warnings);
        if (!said.samePageAgain) {
            co_await compare(ports, key, poller, fetched->body, moved->next, &result);
            result.items.insert(result.items.end(), fetched->body.items.begin(), fetched->body.items.end());
        }
        previous = std::move(fetched->body.items);
        result.nextCursor = (*strategy)->further(result.nextCursor, moved->next);
        result.finished = step.finished;
        page.position = step.position;
        if (keyset)
            page.cursor = moved->next;
    }
    co_return result;
}

} // namespace watukuy
