// SPDX-License-Identifier: GPL-3.0-or-later
// What the engine tells people who watch: log lines, and warnings about a workspace.
#pragma once

#include <QMetaType>
#include <QString>

#include "engine/model/instant.h"
#include "engine/model/key.h"

namespace watukuy {

enum class LogLevel { Debug, Info, Warning, Error };

/// One line of the live log. Free of secrets.
struct LogLine {
    Instant at;
    LogLevel level = LogLevel::Info;
    Key key; ///< poller "" = about the engine itself
    QString text;

    bool operator==(const LogLine &) const = default;
};

/// Something an operator should change in the workspace, with the key to change.
struct Warning {
    QString code;
    QString message;
    QString key;

    bool operator==(const Warning &) const = default;
};

} // namespace watukuy

Q_DECLARE_METATYPE(watukuy::LogLine)
