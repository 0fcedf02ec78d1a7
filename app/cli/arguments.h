// SPDX-License-Identifier: GPL-3.0-or-later
// The command line as values: which command, which options, which names (spec-workspace).
#pragma once

#include <optional>
#include <span>

#include <QHash>
#include <QString>
#include <QStringList>

#include "engine/model/error.h"
#include "engine/model/instant.h"

namespace watukuy::cli {

/// One command as `--help` shows it and the parser checks it.
struct CommandSpec {
    const char *name;
    const char *parameters; ///< e.g. `POLLER`, in brackets when it may be left out
    const char *summary;
    int leastNames;
    int mostNames;
    QStringList options; ///< names of the options it takes besides the global ones
};

/// A parsed command line.
struct Arguments {
    const CommandSpec *command = nullptr; ///< nothing: only `--help` or `--version` was asked
    QStringList names;                    ///< what stands after the command
    QHash<QString, QString> options;      ///< by long name; flags have an empty value
    bool help = false;
    bool version = false;

    [[nodiscard]] bool has(const QString &option) const { return options.contains(option); }
    [[nodiscard]] QString value(const QString &option) const { return options.value(option); }
    [[nodiscard]] std::optional<QString> optional(const QString &option) const;
    [[nodiscard]] bool json() const;
    /// The duration of an option; ErrorKind::Usage when it is none.
    [[nodiscard]] Result<Duration> duration(const QString &option, Duration otherwise) const;
    /// RFC 3339 or epoch milliseconds.
    [[nodiscard]] Result<std::optional<Instant>> time(const QString &option) const;
    [[nodiscard]] Result<int> number(const QString &option, int otherwise, int least, int most) const;
    /// The rows that `--ids` names; none when it was not given.
    [[nodiscard]] Result<QList<qint64>> ids() const;
    /// Commands that change rows are told which ones: nothing means all by accident.
    [[nodiscard]] Result<void> namesRows() const;
};

/// Parses what follows the program's name. Options stand anywhere. ErrorKind::Usage otherwise.
[[nodiscard]] Result<Arguments> parseArguments(const QStringList &words);

/// The text of `--help`, for one command or for all.
[[nodiscard]] QString helpText(const CommandSpec *command);

/// A usage error with the sentence that leads to the help.
[[nodiscard]] Error usageError(const QString &title, const CommandSpec *command = nullptr);

} // namespace watukuy::cli
