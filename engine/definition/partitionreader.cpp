// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/definition/partitionreader.h"

#include <algorithm>

#include <QDir>

#include "engine/definition/requestreader.h"

namespace watukuy {

using namespace Qt::StringLiterals;
using json::Kind;

namespace {

void readList(ObjectReader &reader, PartitionsDefinition &partitions)
{
    partitions.source = PartitionSource::List;
    QSet<QString> keys;
    reader.eachElement(u"list"_s, [&](const LocatedValue &element, const QString &place) {
        PartitionDefinition partition;
        ObjectReader entry(&element, place, reader.problems());
        entry.requiredText(u"key"_s, partition.key, u"Each partition has a key of its own."_s);
        if (const LocatedValue *data = entry.take(u"data"_s)) {
            partition.data = data->raw;
            if (data->kind != Kind::Object)
                entry.problem(u"data"_s, u"\"data\" should be an object, not %1"_s.arg(kindName(data->kind)),
                              u"For example {\"slug\": \"north\"}, for ${partition.data.slug}."_s);
        }
        if (!partition.key.isEmpty() && keys.contains(partition.key))
            entry.problem(u"key"_s, u"Two partitions have the key \"%1\""_s.arg(partition.key),
                          u"Rename or remove one of them."_s);
        keys.insert(partition.key);
        partitions.list.push_back(std::move(partition));
    });
}

void readHttp(ObjectReader &reader, PartitionsDefinition &partitions, const Surroundings &around)
{
    partitions.source = PartitionSource::Http;
    reader.object(u"request"_s, [&](ObjectReader &inside) {
        RequestDefinition request;
        readRequest(inside, request, around, partitionListingRules(around), Overlay::No);
        partitions.request = std::move(request);
    });
    reader.path(u"items"_s, partitions.items);
    reader.require(u"key"_s,
                   u"The member of a listed item that is the partition's key, for example \"id\"."_s);
    reader.path(u"key"_s, partitions.key);
}

} // namespace

void readPartitions(ObjectReader &poller, PartitionsDefinition &partitions, const QString &pollerName,
                    const Surroundings &around)
{
    poller.object(u"partitions"_s, [&](ObjectReader &reader) {
        QStringList sources;
        for (const QString &source : {u"list"_s, u"file"_s, u"request"_s, u"poller"_s}) {
            if (reader.takeNullable(source))
                sources.append(source);
        }
        if (sources.size() != 1)
            reader.problem(sources.value(1),
                           u"\"partitions\" has one of \"list\", \"file\", \"request\" and \"poller\""_s,
                           sources.isEmpty() ? u"Give one of them."_s : u"Take the others out."_s);
        if (reader.has(u"list"_s)) {
            readList(reader, partitions);
        } else if (reader.has(u"file"_s)) {
            partitions.source = PartitionSource::File;
            reader.requiredText(u"file"_s, partitions.file, u"For example \"tenants.json\"."_s);
            partitions.file = QDir(around.folder).absoluteFilePath(partitions.file);
        } else if (reader.has(u"request"_s)) {
            readHttp(reader, partitions, around);
        } else if (reader.has(u"poller"_s)) {
            partitions.source = PartitionSource::Poller;
            reader.reference(u"poller"_s, partitions.poller, around.pollers, u"poller"_s);
            if (partitions.poller == pollerName)
                reader.problem(u"poller"_s, u"A poller cannot be partitioned by itself"_s,
                               u"Name another poller."_s);
        }
        reader.duration(u"refresh"_s, partitions.refresh);
    });
}

} // namespace watukuy
