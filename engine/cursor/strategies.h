// SPDX-License-Identifier: GPL-3.0-or-later
// The makers of the single strategies; everybody else asks makeStrategy().
#pragma once

#include "engine/cursor/strategy.h"

namespace watukuy::cursor {

[[nodiscard]] std::unique_ptr<CursorStrategy> makeTimestamp(const CursorDefinition &definition);
[[nodiscard]] std::unique_ptr<CursorStrategy> makeToken(const CursorDefinition &definition);
[[nodiscard]] std::unique_ptr<CursorStrategy> makePage(const CursorDefinition &definition);
[[nodiscard]] std::unique_ptr<CursorStrategy> makeSnapshotDiff();
/// ErrorKind::Workspace when the script is missing or cannot be compiled.
[[nodiscard]] Result<std::unique_ptr<CursorStrategy>> makeCustom(const CursorDefinition &definition);

} // namespace watukuy::cursor
