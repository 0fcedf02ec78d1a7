// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/json.h"
#include "app/cli/translation.h"

namespace watukuy::cli {

using namespace Qt::StringLiterals;

namespace {

QString nameOf(const StoreDefinition &store)
{
    if (const auto *sqlite = std::get_if<SqliteStoreDefinition>(&store))
        return u"sqlite "_s + sqlite->path;
    if (const auto *postgres = std::get_if<PostgresStoreDefinition>(&store))
        return u"postgres "_s + postgres->host + u'/' + postgres->database;
    if (const auto *redis = std::get_if<RedisStoreDefinition>(&store))
        return u"redis "_s + redis->host;
    return u"memory"_s;
}

} // namespace

/// Opening a store migrates it: every command does, this one does nothing else.
QCoro::Task<int> migrateCommand(Context context)
{
    std::optional<WorkspaceDefinition> workspace = readWorkspace(context);
    if (!workspace)
        co_return UsageOrWorkspace;
    const QString store = nameOf(workspace->store);
    Headless headless(std::move(*workspace));
    if (const Result<void> opened = co_await headless.open(); !opened)
        co_return context.output.fail(opened.error());
    co_await headless.close();

    const QString detail = Text::tr("%1 fits this version").arg(store);
    if (context.output.json()) {
        context.output.write(json::object({{"done"_L1, json::number(1)},
                                           {"skipped"_L1, json::number(0)},
                                           {"failed"_L1, json::number(0)},
                                           {"details"_L1, json::strings({detail})}}) +
                             '\n');
    } else {
        context.output.line(detail + u'.');
    }
    co_return Done;
}

} // namespace watukuy::cli
