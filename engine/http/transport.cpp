// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/http/transport.h"

namespace watukuy::http {

QByteArray Response::header(QByteArrayView name) const
{
    for (const auto &[key, value] : headers) {
        if (key.compare(name, Qt::CaseInsensitive) == 0)
            return value;
    }
    return {};
}

bool Response::hasHeader(QByteArrayView name) const
{
    return std::ranges::any_of(
        headers, [&](const auto &pair) { return pair.first.compare(name, Qt::CaseInsensitive) == 0; });
}

} // namespace watukuy::http
