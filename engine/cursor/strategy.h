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
    bool hasMoreDeclared = false; ///< a declared flag that the body lacks means false
};

/// Where a page moves the cursor.
struct Advance {
    LaneCursor next;             ///< never behind the one before
    bool exhausted = false;      ///< the strategy itself says: nothing more now
    std::vector<bool> kept;      ///< per item of the page: false = held back by `lag`, do not diff
    std::optional<Duration> lag; ///< now minus the watermark, for the operator
    QList<CursorWarning> warnings;
};

/// One cursor strategy. Implementations are stateless: cursor in, cursor out.
class CursorStrategy {
public:
    CursorStrategy() = default;
    virtual ~CursorStrategy() = default;
    Q_DISABLE_COPY_MOVE(CursorStrategy)

    /// The cursor a scan whose durable cursor is `cursor` starts asking with: `overlap` is applied
    /// here, once. A keyset scan goes on with what advance() makes of it.
    [[nodiscard]] virtual LaneCursor scanStart(const LaneCursor &cursor) const { return cursor; }

    /// The one of two cursors that stands further on. The durable cursor becomes
    /// `further(durable, advance(asked, page).next)`: the pages of an overlap never move it back.
    [[nodiscard]] virtual LaneCursor further(const LaneCursor &durable, const LaneCursor &reached) const
    {
        Q_UNUSED(durable)
        return reached;
    }

    /// The value of `${cursor.NAME}` when asking with `cursor`; nothing = null.
    [[nodiscard]] virtual std::optional<QString> placeholder(const LaneCursor &cursor,
                                                             const QString &name) const = 0;

    /// Where `page`, asked with `cursor`, moves it.
    [[nodiscard]] virtual Result<Advance> advance(const LaneCursor &cursor, const PageInput &page) const = 0;

    /// True when every cycle lists everything, so that what is missing was deleted.
    [[nodiscard]] virtual bool isFullScan() const { return false; }

    /// True when `Advance::exhausted` ends a listing of every paging kind, not only one that the cursor
    /// pages.
    [[nodiscard]] virtual bool endsAnyListing() const { return false; }

    /// A CURSOR argument of the command line (the API's own text, or `null`) as a lane cursor.
    [[nodiscard]] virtual Result<LaneCursor> fromArgument(const QString &text) const = 0;
};

/// The strategy a poller declares. ErrorKind::Workspace names a strategy this build does not have.
[[nodiscard]] Result<std::unique_ptr<CursorStrategy>> makeStrategy(const CursorDefinition &definition);

} // namespace watukuy::cursor
