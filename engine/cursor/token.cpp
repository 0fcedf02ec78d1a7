// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cursor/cursorjson.h"
#include "engine/cursor/paging.h"
#include "engine/cursor/strategies.h"

using namespace Qt::StringLiterals;

namespace watukuy::cursor {

namespace {

/// Follows the token that each page hands out for the next one.
class TokenStrategy final : public CursorStrategy {
public:
    explicit TokenStrategy(const CursorDefinition &definition)
        : m_initial(textOf(wholeValue(definition.initial)))
    {
    }

    [[nodiscard]] std::optional<QString> placeholder(const LaneCursor &cursor,
                                                     const QString &name) const override
    {
        if (name != "value"_L1)
            return std::nullopt;
        return value(cursor);
    }

    [[nodiscard]] Result<Advance> advance(const LaneCursor &cursor, const PageInput &page) const override
    {
        Advance result;
        result.kept.assign(page.body.items.size(), true);
        const std::optional<QString> token = textOf(page.body.cursor);
        if (!token || token->isEmpty()) {
            result.exhausted = true; // and back to `initial`
            return result;
        }
        // An unmoved token keeps its exact bytes, so that "did it move" is a comparison of texts.
        result.next = token == value(cursor) && !cursor.isInitial() ? cursor : written(token);
        const bool ended =
            readFlag(page.body.hasMore) == false || (page.hasMoreDeclared && !readFlag(page.body.hasMore));
        const bool nothingNew = page.body.items.empty() && token == value(cursor);
        result.exhausted = ended || nothingNew;
        return result;
    }

    [[nodiscard]] Result<LaneCursor> fromArgument(const QString &text) const override
    {
        return written(argumentText(text));
    }

private:
    [[nodiscard]] std::optional<QString> value(const LaneCursor &cursor) const
    {
        return cursor.isInitial() ? m_initial : memberText(cursor.json, u"value"_s);
    }

    static LaneCursor written(const std::optional<QString> &token)
    {
        return {"{\"value\":" + stringOrNull(token) + '}'};
    }

    std::optional<QString> m_initial;
};

} // namespace

std::unique_ptr<CursorStrategy> makeToken(const CursorDefinition &definition)
{
    return std::make_unique<TokenStrategy>(definition);
}

} // namespace watukuy::cursor
