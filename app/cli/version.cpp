// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/json.h"
#include "app/cli/translation.h"

#include <QtGlobal>

namespace watukuy::cli {

using namespace Qt::StringLiterals;

QCoro::Task<int> versionCommand(Context context)
{
    const QString version = QCoreApplication::applicationVersion();
    const QString qt = QString::fromLatin1(qVersion());
    if (context.output.json())
        context.output.write(
            json::object({{"version"_L1, json::string(version)}, {"qt"_L1, json::string(qt)}}) + '\n');
    else
        context.output.line(Text::tr("watukuy %1 (Qt %2)").arg(version, qt));
    co_return Done;
}

} // namespace watukuy::cli
