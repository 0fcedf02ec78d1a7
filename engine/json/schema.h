// SPDX-License-Identifier: GPL-3.0-or-later
// JSON Schema (draft 7) for the items of a listing (spec-engine 4.8).
#pragma once

#include <memory>

#include <QByteArray>
#include <QList>

#include "engine/model/error.h"
#include "engine/model/event.h"

namespace watukuy::json {

/// A schema ready to be checked against. Copies share it. One thread at a time.
///
/// `pattern` takes expressions without back references, so that no text of an API can make a check
/// slow; `format` asserts `date`, `time` and `date-time` and says nothing about others, as the
/// standard allows. References lead inside the schema only.
class Schema {
public:
    /// ErrorKind::Workspace says what is wrong with the schema: not JSON, an unknown type, an
    /// expression that cannot be read, a reference that leads nowhere or in circles.
    [[nodiscard]] static Result<Schema> compile(const QByteArray &text);

    /// Every reason why `item` does not fit, at most twenty; paths are JSON Pointers into the item.
    [[nodiscard]] QList<ItemIssue> check(QByteArrayView item) const;

private:
    struct Compiled;
    explicit Schema(std::shared_ptr<Compiled> compiled)
        : m_compiled(std::move(compiled))
    {
    }

    std::shared_ptr<Compiled> m_compiled;
};

} // namespace watukuy::json
