// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/definition/partitionreader.h"

#include <algorithm>

#include <QDir>

#include "engine/definition/requestreader.h"

namespace watukuy {

using namespace Qt::StringLiterals;
using json::Kind;

namespace {

/// Reads the entries of a list one by one; no key may come twice.
class PartitionList {
public:
    explicit PartitionList(Problems &problems)
        : m_problems(problems)
    {
    }

    void read(const LocatedValue &element, const QString &place)
    {
        PartitionDefinition partition;
        ObjectReader entry(&element, place, m_problems);
        entry.requiredText(u"key"_s, partition.key, u"Each partition has a key of its own."_s);
        if (const LocatedValue *data = entry.take(u"data"_s)) {
            partition.data = data->raw;
            if (data->kind != Kind::Object)
                entry.problem(u"data"_s, u"\"data\" should be an object, not %1"_s.arg(kindName(data->kind)),
                              u"For example {\"slug\": \"north\"}, for ${partition.data.slug}."_s);
        }
        add(std::move(partition), entry.pointer(u"key"_s), element.line);
    }

    void readKey(const LocatedValue &element, const QString &place)
    {
        if (element.text().isEmpty())
            m_problems.add(place, element.line, u"A partition has an empty key"_s,
                           u"Each partition has a key of its own."_s);
        add({.key = element.text(), .data = {}}, place, element.line);
    }

    [[nodiscard]] std::vector<PartitionDefinition> take() { return std::move(m_partitions); }

private:
    void add(PartitionDefinition partition, const QString &place, int line)
    {
        if (!partition.key.isEmpty() && m_keys.contains(partition.key))
            m_problems.add(place, line, u"Two partitions have the key \"%1\""_s.arg(partition.key),
                           u"Rename or remove one of them."_s);
        m_keys.insert(partition.key);
        m_partitions.push_back(std::move(partition));
    }

    Problems &m_problems;
    QSet<QString> m_keys;
    std::vector<PartitionDefinition> m_partitions;
};

void readList(ObjectReader &reader, PartitionsDefinition &partitions)
{
    partitions.source = PartitionSource::List;
    PartitionList list(reader.problems());
    reader.eachElement(u"list"_s,
                       [&](const LocatedValue &element, const QString &place) { list.read(element, place); });
    partitions.list = list.take();
}

Error fileError(const QString &file, const WorkspaceError &problem)
{
    return {.kind = ErrorKind::Body,
            .name = u"PartitionFileError"_s,
            .title = u"The partition file cannot be used"_s,
            .detail = u"%1, line %2 (%3): %4"_s.arg(file)
                          .arg(problem.line)
                          .arg(problem.pointer.isEmpty() ? u"the whole"_s : problem.pointer, problem.message),
            .nextStep = problem.hint};
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

Result<std::vector<PartitionDefinition>> parsePartitionFile(const QByteArray &text, const QString &file)
{
    const auto root = readLocated(text);
    if (!root)
        return fail(fileError(file, root.error()));
    if (root->kind != Kind::Array)
        return fail(fileError(file, {.pointer = {},
                                     .line = root->line,
                                     .message = u"It should be a list, not %1"_s.arg(kindName(root->kind)),
                                     .hint = u"For example [\"north\", {\"key\": \"south\"}]."_s}));
    Problems problems;
    PartitionList list(problems);
    for (qsizetype index = 0; const LocatedValue &element : root->elements) {
        const QString place = u'/' + QString::number(index++);
        if (element.kind == Kind::String)
            list.readKey(element, place);
        else
            list.read(element, place);
    }
    if (!problems.isEmpty())
        return fail(fileError(file, problems.take().first()));
    return list.take();
}

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
