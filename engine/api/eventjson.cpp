// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/api/eventjson.h"

#include "engine/delivery/envelope.h"

namespace watukuy {

QByteArray eventJson(const Event &event)
{
    return nativeEnvelope(event, 1);
}

} // namespace watukuy
