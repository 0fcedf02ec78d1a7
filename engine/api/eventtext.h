// SPDX-License-Identifier: GPL-3.0-or-later
// Events as text for people and programs that get an export: JSON Lines, CSV, CloudEvents batch.
#pragma once

#include <QByteArray>

#include "engine/api/operations.h"
#include "engine/model/event.h"

namespace watukuy {

/// Writes an export piece by piece: head, one row per event, tail. Line ends included; CSV follows
/// RFC 4180, with nested values as JSON.
class EventText {
public:
    explicit EventText(ExportFormat format)
        : m_format(format)
    {
    }

    [[nodiscard]] QByteArray head() const;
    [[nodiscard]] QByteArray row(const Event &event);
    [[nodiscard]] QByteArray tail() const;

private:
    ExportFormat m_format;
    bool m_first = true;
};

} // namespace watukuy
