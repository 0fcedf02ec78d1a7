// SPDX-License-Identifier: GPL-3.0-or-later
// A delivered event as one line of JSON, for what follows a running engine.
#pragma once

#include <QByteArray>

#include "engine/model/event.h"

namespace watukuy {

/// The native envelope (spec-engine 8) without a line end. Any thread.
[[nodiscard]] QByteArray eventJson(const Event &event);

} // namespace watukuy
