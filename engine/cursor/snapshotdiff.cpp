// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cursor/cursorjson.h"
#include "engine/cursor/strategies.h"

using namespace Qt::StringLiterals;

namespace watukuy::cursor {

namespace {

/// Lists everything in each cycle: there is no cursor to move.
class SnapshotDiffStrategy final : public CursorStrategy {
public:
    [[nodiscard]] std::optional<QString> placeholder(const LaneCursor &, const QString &) const override
    {
        return std::nullopt;
    }

    [[nodiscard]] Result<Advance> advance(const LaneCursor &cursor, const PageInput &page) const override
    {
        Advance result;
        result.next = cursor;
        result.kept.assign(page.body.items.size(), true);
        return result;
    }

    [[nodiscard]] bool isFullScan() const override { return true; }

    [[nodiscard]] Result<LaneCursor> fromArgument(const QString &text) const override
    {
        if (!argumentText(text))
            return LaneCursor{};
        return fail(
            {ErrorKind::Usage, u"CursorUnused"_s, u"This poller has no cursor"_s,
             u"Its strategy `snapshotDiff` lists everything in each cycle; `%1` means nothing to it."_s.arg(
                 text),
             u"Use `null`."_s});
    }
};

} // namespace

std::unique_ptr<CursorStrategy> makeSnapshotDiff()
{
    return std::make_unique<SnapshotDiffStrategy>();
}

} // namespace watukuy::cursor
