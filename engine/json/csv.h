// SPDX-License-Identifier: GPL-3.0-or-later
// CSV bodies (RFC 4180) as JSON items.
#pragma once

#include <vector>

#include <QByteArray>

#include "engine/json/pagebody.h"

namespace watukuy::json {

/// The first record names the columns; each further one becomes an object of texts, in column
/// order. A record with another number of fields is broken. Quotes may hold commas and line ends.
void takeCsvApart(QByteArrayView body, PageBody &page);

} // namespace watukuy::json
