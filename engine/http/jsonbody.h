// SPDX-License-Identifier: GPL-3.0-or-later
// A JSON request body with placeholders in its strings.
#pragma once

#include <QByteArray>

#include "engine/definition/template.h"
#include "engine/model/error.h"

namespace watukuy::http {

/// `text` with the placeholders of its string values replaced; everything else keeps its bytes. A
/// member or element that is exactly one placeholder becomes a number when the placeholder's text
/// is a JSON number; when it is null, the member is left out and the element becomes null.
[[nodiscard]] Result<QByteArray> expandJson(QByteArrayView text, const Template::Lookup &lookup);

} // namespace watukuy::http
