// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/delivery/sink.h"

#include "engine/delivery/filesink.h"

namespace watukuy {

using namespace Qt::StringLiterals;

Result<std::unique_ptr<Sink>> makeSink(const SinkDefinition &definition, const Clock &clock, Secrets &)
{
    if (const auto *file = std::get_if<FileSinkDefinition>(&definition))
        return std::make_unique<FileSink>(*file, clock);
    static constexpr std::array<QLatin1StringView, 6> kinds{
        QLatin1StringView("file"),  QLatin1StringView("webhook"), QLatin1StringView("kafka"),
        QLatin1StringView("redis"), QLatin1StringView("command"), QLatin1StringView("notification")};
    return fail(
        {.kind = ErrorKind::Workspace,
         .name = u"SinkKindError"_s,
         .title = u"This version cannot deliver to a sink of kind \"%1\""_s.arg(kinds.at(definition.index())),
         .detail = u"Sinks of kind \"file\" can be used."_s,
         .nextStep = u"Change \"kind\" to \"file\", or take the sink out of deliver.to."_s});
}

} // namespace watukuy
