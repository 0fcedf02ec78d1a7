// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a workspace file: JSON text in, validated values or every error with pointer and line out.
#pragma once

#include <expected>

#include <QByteArray>
#include <QList>
#include <QString>

#include "engine/definition/definition.h"

namespace watukuy {

/// One thing that is wrong in a workspace file.
struct WorkspaceError {
    QString pointer; ///< RFC 6901, "" for the whole
    int line = 0;    ///< 1-based; 0 when there is no file text
    QString message; ///< what and why
    QString hint;    ///< the next step, e.g. the nearest known key

    bool operator==(const WorkspaceError &) const = default;
};

using WorkspaceErrors = QList<WorkspaceError>;

/// Reads and validates `file`. Every error found is returned, in the order of the text. An
/// unreadable file is one error with line 0. Any thread; touches the disk.
[[nodiscard]] std::expected<WorkspaceDefinition, WorkspaceErrors> loadWorkspace(const QString &file);

/// The same for a text that is already in memory; `file` names it and anchors relative paths.
[[nodiscard]] std::expected<WorkspaceDefinition, WorkspaceErrors> parseWorkspace(const QByteArray &text,
                                                                                 const QString &file);

/// `250ms`, `5s`, `2m`, `6h`, `1d`; a plain number is refused.
[[nodiscard]] std::optional<Duration> parseDuration(const QString &text);

/// The shortest such text that parseDuration() reads back.
[[nodiscard]] QString durationText(Duration duration);

/// `512`, `64KB`, `64MB`, `2GB` (powers of 1024) in bytes.
[[nodiscard]] std::optional<qint64> parseSize(const QString &text);

} // namespace watukuy
