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

/// Opening a store migrates it: every command that writes does, this one does nothing else.
QCoro::Task<int> migrateCommand(Context context)
{
    std::optional<WorkspaceDefinition> workspace = readWorkspace(context);
    if (!workspace)
        co_return UsageOrWorkspace;
    const QString store = nameOf(workspace->store);
    const bool isDry = context.arguments.has(u"dry-run"_s);
    if (const Result<void> allowed = mayWrite(*workspace, u"migrate"_s); !allowed && !isDry)
        co_return context.output.fail(allowed.error());
    Headless headless(std::move(*workspace));

    QString detail = Text::tr("%1 fits this version").arg(store);
    const Result<void> opened = co_await headless.open(isDry ? StoreAccess::Read : StoreAccess::Write);
    if (!opened) {
        const bool isWork = isDry && (opened.error().name == "StoreNeedsMigration"_L1 ||
                                      opened.error().name == "StoreMissing"_L1);
        if (!isWork)
            co_return context.output.fail(opened.error());
        detail = opened.error().name == "StoreMissing"_L1
                     ? Text::tr("%1 would be created").arg(store)
                     : Text::tr("%1 would be migrated: %2").arg(store, opened.error().detail);
    } else {
        co_await headless.close();
    }

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
