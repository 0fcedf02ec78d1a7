// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON Schema of workspace files, for editors.
#pragma once

#include <QByteArray>

namespace watukuy {

/// JSON Schema, draft-7 features in the words of 2020-12. It knows less than loadWorkspace(), which
/// also knows names, placeholders and what depends on another part. Any thread.
[[nodiscard]] QByteArray workspaceSchema();

} // namespace watukuy
