// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cursor/strategy.h"

#include "engine/cursor/strategies.h"

using namespace Qt::StringLiterals;

namespace watukuy::cursor {

Result<std::unique_ptr<CursorStrategy>> makeStrategy(const CursorDefinition &definition)
{
    switch (definition.strategy) {
    case Strategy::Timestamp:
        return makeTimestamp(definition);
    case Strategy::Token:
        return makeToken(definition);
    case Strategy::Page:
        return makePage(definition);
    case Strategy::SnapshotDiff:
        return makeSnapshotDiff();
    case Strategy::Custom:
        return makeCustom(definition);
    }
    return fail({ErrorKind::Workspace, u"StrategyMissing"_s,
                 u"This build does not have the cursor strategy"_s,
                 u"`cursor.strategy` names a strategy that only a newer version knows."_s,
                 u"Use `timestamp`, `token`, `page`, `snapshotDiff` or `custom`."_s});
}

} // namespace watukuy::cursor
