// SPDX-License-Identifier: GPL-3.0-or-later
// Cursor strategies: what to ask with, and where a page moves the cursor (spec-engine 3). Pure.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QByteArray>
#include <QList>
#include <QString>

#include "engine/definition/definition.h"
#include "engine/json/pagebody.h"
#include "engine/model/error.h"
#include "engine/model/state.h"

namespace watukuy::cursor {

/// Something an operator should know about a page, with the key of the poller to change.
struct CursorWarning {
    QString code; ///< e.g. `future-timestamp`, `unreadable-timestamp`
    QString message;
    QString key;
};

/// A page as a strategy sees it.
struct PageInput {
    const json::PageBody &body;
    Instant now;
};

/// Where a page moves the cursor.
struct Advance {
    LaneCursor next;        ///< never behind the one before
    bool exhausted = false; ///< the strategy itself says: nothing more now
    std::vector<bool> kept; ///< per item of the page: false = held back by `lag`, do not diff
    std::optional<Duration> lag; ///< now minus the watermark, for the operator
    QList<CursorWarning> warnings;
};

/// One cursor strategy. Implementations are stateless: cursor in, cursor out.
class CursorStrategy {
public:
    CursorStrategy() = default;
    virtual ~CursorStrategy() = default;
    Q_DISABLE_COPY_MOVE(CursorStrategy)

    /// The value of `${cursor.NAME}` when asking with `cursor` (overlap applied); nothing = null.
    [[nodiscard]] virtual std::optional<QString> placeholder(const LaneCursor &cursor, const QString &name) const = 0;

    /// Where `page`, asked with `cursor`, moves it.
    [[nodiscard]] virtual Result<Advance> advance(const LaneCursor &cursor, const PageInput &page) const = 0;

    /// True when every cycle lists everything, so that what is missing was deleted.
    [[nodiscard]] virtual bool isFullScan() const { return false; }

    /// A CURSOR argument of the command line (the API's own text, or `null`) as a lane cursor.
    [[nodiscard]] virtual Result<LaneCursor> fromArgument(const QString &text) const = 0;
};

/// The strategy a poller declares. ErrorKind::Workspace names a strategy this build does not have.
[[nodiscard]] Result<std::unique_ptr<CursorStrategy>> makeStrategy(const CursorDefinition &definition);

} // namespace watukuy::cursor
