// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/store/memorystore.h"
#include "engine/store/sqliteconnection.h"
#include "engine/store/sqlstore.h"
#include "engine/store/statestore.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

Error missingKind(const QString &kind)
{
    return {.kind = ErrorKind::Workspace,
            .name = u"StoreKindMissing"_s,
            .title = u"This program was built without the %1 store"_s.arg(kind),
            .detail = u"the workspace names a store of this kind"_s,
            .nextStep = u"use `sqlite` or `memory`, or a build with %1"_s.arg(kind),
            .retryable = false};
}

std::unique_ptr<SqlConnection> connectionTo(const SqliteStoreDefinition &definition, SqliteAccess::Mode mode)
{
    return std::make_unique<SqliteConnection>(SqliteAccess{.path = definition.path, .mode = mode});
}

} // namespace

Result<std::unique_ptr<StateStore>> makeStore(const StoreDefinition &definition, StoreAccess access)
{
    const auto mode = access == StoreAccess::Write ? SqliteAccess::Mode::Write : SqliteAccess::Mode::Read;
    if (const auto *sqlite = std::get_if<SqliteStoreDefinition>(&definition))
        return std::make_unique<SqlStore>(connectionTo(*sqlite, mode));
    if (std::holds_alternative<MemoryStoreDefinition>(definition))
        return std::make_unique<MemoryStore>();
    return fail(missingKind(std::holds_alternative<PostgresStoreDefinition>(definition) ? u"postgres"_s
                                                                                        : u"redis"_s));
}

Result<std::unique_ptr<StoreReader>> makeStoreReader(const StoreDefinition &definition)
{
    if (const auto *sqlite = std::get_if<SqliteStoreDefinition>(&definition))
        return std::make_unique<SqlReader>(connectionTo(*sqlite, SqliteAccess::Mode::Read));
    if (std::holds_alternative<MemoryStoreDefinition>(definition))
        return std::unique_ptr<StoreReader>();
    return fail(missingKind(std::holds_alternative<PostgresStoreDefinition>(definition) ? u"postgres"_s
                                                                                        : u"redis"_s));
}

} // namespace watukuy
