// SPDX-License-Identifier: GPL-3.0-or-later
// JSON text for `--json`, members in the order they are given.
#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include <QByteArray>
#include <QLatin1StringView>
#include <QString>
#include <QStringList>

namespace watukuy::cli::json {

/// A quoted and escaped string.
[[nodiscard]] QByteArray string(const QString &text);
[[nodiscard]] QByteArray strings(const QStringList &texts);
[[nodiscard]] QByteArray boolean(bool value);
[[nodiscard]] QByteArray number(qint64 value);

/// The values are JSON text already.
[[nodiscard]] QByteArray object(std::initializer_list<std::pair<QLatin1StringView, QByteArray>> members);

/// One element a line, so that long answers can be read and compared line by line.
[[nodiscard]] QByteArray array(const std::vector<QByteArray> &elements);

} // namespace watukuy::cli::json
