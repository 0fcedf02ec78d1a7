// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/definition/schema.h"

#include <QFile>

/// Q_INIT_RESOURCE declares a function of the global namespace, so it cannot stand in another.
static void registerResources()
{
    Q_INIT_RESOURCE(watukuy);
}

namespace watukuy {

using namespace Qt::StringLiterals;

QByteArray workspaceSchema()
{
    static const bool isRegistered = (registerResources(), true);
    Q_UNUSED(isRegistered)
    QFile file(u":/watukuy/workspace.schema.json"_s);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace watukuy
