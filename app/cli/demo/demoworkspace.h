// SPDX-License-Identifier: GPL-3.0-or-later
// The demo workspace, written where a demo keeps its files.
#pragma once

#include <expected>

#include <QString>
#include <QUrl>

namespace watukuy::demo {

/// Writes `demo.watukuy.json` into `folder` (made when missing), polling the shop at `api`. The answer
/// is its path, or why it could not be written. Replaces an older one; the store beside it stays.
[[nodiscard]] std::expected<QString, QString> writeDemoWorkspace(const QString &folder, const QUrl &api);

} // namespace watukuy::demo
