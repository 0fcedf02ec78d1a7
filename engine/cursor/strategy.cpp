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
        break;
    }
    return fail({ErrorKind::Workspace, u"StrategyMissing"_s,
                 u"This build cannot run the cursor strategy `custom`"_s,
                 u"`cursor.strategy` is `custom`, which needs a build with the script engine."_s,
                 u"Use `timestamp`, `token`, `page` or `snapshotDiff`."_s});
}

} // namespace watukuy::cursor
