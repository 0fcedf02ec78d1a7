// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/mutation.h"
#include "app/cli/translation.h"

namespace watukuy::cli {

QCoro::Task<int> triggerCommand(Context context)
{
    return administer(context, context.arguments.names.constFirst(), std::mem_fn(&Operations::trigger),
                      Text::tr("due now"));
}

QCoro::Task<int> pauseCommand(Context context)
{
    return administer(context, context.arguments.names.constFirst(), std::mem_fn(&Operations::pause),
                      Text::tr("paused"));
}

QCoro::Task<int> resumeCommand(Context context)
{
    return administer(context, context.arguments.names.constFirst(), std::mem_fn(&Operations::resume),
                      Text::tr("resumed"));
}

} // namespace watukuy::cli
