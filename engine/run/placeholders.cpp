// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/run/placeholders.h"

#include "engine/json/rawvalue.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

Result<std::optional<QString>> partitionValue(const QString &path, const PartitionDefinition &partition)
{
    if (path == u"key")
        return partition.key;
    if (!path.startsWith(u"data."_s) || partition.data.isEmpty())
        return std::nullopt;
    const auto inside = json::Path::parse(path.mid(5));
    if (!inside)
        return fail(inside.error());
    const auto value = json::find(partition.data, *inside);
    if (!value)
        return fail(value.error());
    if (!*value || (*value)->kind == json::Kind::Null)
        return std::nullopt;
    return (*value)->scalarText();
}

} // namespace

Result<std::optional<QString>> placeholderValue(const QString &name, const PlaceholderValues &values)
{
    if (name.startsWith(u"cursor."_s))
        return values.strategy.placeholder(values.cursor, name.mid(7));
    if (name.startsWith(u"partition."_s))
        return partitionValue(name.mid(10), values.partition);
    if (name == u"page")
        return QString::number(values.position.page);
    if (name == u"offset")
        return QString::number(values.position.offset);
    if (name == u"next")
        return values.position.next.isEmpty() ? std::nullopt : std::optional(values.position.next);
    if (name == u"lane")
        return QString(toString(values.lane));
    if (name == u"poller")
        return values.key.poller;
    if (name.startsWith(u"var."_s)) {
        const auto found = values.workspace.variables.find(name.mid(4));
        if (found != values.workspace.variables.end())
            return found->second;
    }
    return fail({.kind = ErrorKind::Workspace,
                 .name = u"PlaceholderError"_s,
                 .title = u"Nothing is known as ${%1}"_s.arg(name),
                 .detail = u"in the request of poller %1"_s.arg(values.key.poller),
                 .nextStep = u"Correct the placeholder, or add it to \"variables\"."_s});
}

} // namespace watukuy
