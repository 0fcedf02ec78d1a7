// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/delivery/sink.h"

#include "engine/delivery/filesink.h"
#include "engine/delivery/webhooksink.h"

namespace watukuy {

using namespace Qt::StringLiterals;

Result<std::unique_ptr<Sink>> makeSink(const SinkDefinition &definition, const SinkPorts &ports)
{
    if (const auto *file = std::get_if<FileSinkDefinition>(&definition))
        return std::make_unique<FileSink>(*file, ports.clock);
    if (const auto *webhook = std::get_if<WebhookSinkDefinition>(&definition))
        return std::make_unique<WebhookSink>(*webhook, ports);
    static constexpr std::array<QLatin1StringView, 6> kinds{
        QLatin1StringView("file"),  QLatin1StringView("webhook"), QLatin1StringView("kafka"),
        QLatin1StringView("redis"), QLatin1StringView("command"), QLatin1StringView("notification")};
    return fail(
        {.kind = ErrorKind::Workspace,
         .name = u"SinkKindError"_s,
         .title = u"This version cannot deliver to a sink of kind \"%1\""_s.arg(kinds.at(definition.index())),
         .detail = u"Sinks of kind \"file\" and \"webhook\" can be used."_s,
         .nextStep = u"Change its \"kind\", or take the sink out of deliver.to."_s});
}

} // namespace watukuy
