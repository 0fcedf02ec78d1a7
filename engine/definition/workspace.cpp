// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/definition/workspace.h"

#include <algorithm>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSet>
#include <QStringDecoder>

#include "engine/definition/endpointreader.h"
#include "engine/definition/locatedjson.h"
#include "engine/definition/pollerreader.h"
#include "engine/definition/reader.h"

namespace watukuy {

using namespace Qt::StringLiterals;
using json::Kind;

namespace {

constexpr qint64 largestFile = 16LL * 1024 * 1024;

QStringList namesIn(const LocatedValue &root, const QString &section)
{
    QStringList names;
    if (const LocatedValue *value = root.member(section)) {
        for (const LocatedMember &member : value->members)
            names.append(member.name);
    }
    return names;
}

/// Whatever an object is for: of two members with one name it cannot be told which was meant.
void reportRepeatedNames(const LocatedValue &value, const QString &pointer, Problems &problems)
{
    QSet<QString> names;
    for (const LocatedMember &member : value.members) {
        const QString place = pointer + pointerStep(member.name);
        if (names.contains(member.name))
            problems.add(place, member.line, u"\"%1\" is named twice"_s.arg(member.name),
                         u"Rename or remove one of them; which one was meant cannot be told."_s);
        names.insert(member.name);
        reportRepeatedNames(member.value, place, problems);
    }
    for (qsizetype index = 0; const LocatedValue &element : value.elements)
        reportRepeatedNames(element, pointer + u'/' + QString::number(index++), problems);
}

/// Reads the top level and, with the names found there, everything below.
class WorkspaceReading {
public:
    WorkspaceReading(const LocatedValue &root, const QString &file, Problems &problems)
        : m_root(root)
        , m_problems(problems)
    {
        workspace.file = QFileInfo(file).absoluteFilePath();
        workspace.folder = QFileInfo(file).absolutePath();
        m_around = {.folder = workspace.folder,
                    .variables = namesIn(root, u"variables"_s),
                    .budgets = namesIn(root, u"budgets"_s),
                    .credentials = namesIn(root, u"credentials"_s),
                    .sinks = namesIn(root, u"sinks"_s),
                    .pollers = namesIn(root, u"pollers"_s)};
    }

    void read()
    {
        reportRepeatedNames(m_root, {}, m_problems);
        ObjectReader reader(&m_root, {}, m_problems);
        readVersion(reader);
        reader.text(u"$schema"_s, workspace.schemaReference);
        readVariables(reader);
        readStoreOrDefault(reader);
        readBudgets(reader);
        readEndpoints(reader);
        readLease(reader);
        reader.flag(u"readOnly"_s, workspace.readOnly);
        reader.text(u"environment"_s, workspace.environment);
        reader.integer(u"dispatchBatchSize"_s, workspace.dispatchBatchSize, 1, 100'000);
        reader.text(u"instance"_s, workspace.instance);
        eachNamed(reader, u"pollers"_s, u"poller"_s,
                  [&](const QString &name, const auto &value, const auto &pointer) {
                      workspace.pollers.insert_or_assign(
                          name, readPoller(name, value, pointer, m_around, m_problems));
                  });
        checkCosts();
        checkSources();
        checkSinkFiles();
    }

    WorkspaceDefinition workspace;

private:
    void readVersion(ObjectReader &reader)
    {
        const LocatedValue *version =
            reader.require(u"version"_s, u"Begin the workspace with \"version\": 1."_s);
        if (version && version->raw != "1")
            reader.problem(
                u"version"_s,
                u"This program reads workspaces of version 1, not %1"_s.arg(QString::fromUtf8(version->raw)),
                u"Write \"version\": 1, or use a newer Watukuy."_s);
    }

    /// Each member of a section whose names others refer to.
    void eachNamed(ObjectReader &reader, const QString &section, const QString &what,
                   const std::function<void(const QString &, const LocatedValue &, const QString &)> &readOne)
    {
        static const QRegularExpression form(u"\\A[A-Za-z0-9][A-Za-z0-9._-]{0,127}\\z"_s);
        reader.each(section, [&](const QString &name, const LocatedValue &value, const QString &pointer) {
            if (!form.match(name).hasMatch())
                m_problems.add(
                    pointer, value.line, u"\"%1\" cannot be the name of a %2"_s.arg(name, what),
                    u"Begin with a letter or digit; then up to 127 letters, digits, dots, dashes and "
                    "underscores."_s);
            readOne(name, value, pointer);
        });
    }

    void readVariables(ObjectReader &reader)
    {
        eachNamed(reader, u"variables"_s, u"variable"_s,
                  [&](const QString &name, const LocatedValue &value, const QString &pointer) {
                      if (value.kind == Kind::Null || value.kind == Kind::Array || value.kind == Kind::Object)
                          m_problems.add(pointer, value.line,
                                         u"A variable is a text, a number, true or false, not %1"_s.arg(
                                             kindName(value.kind)));
                      else if (value.text().contains(u"${"))
                          m_problems.add(pointer, value.line, u"A variable cannot hold a placeholder"_s,
                                         u"Write the placeholder where the variable is used."_s);
                      workspace.variables.insert_or_assign(name, value.text());
                  });
    }

    /// SQLite is the default, in a file beside the workspace: a forgotten store must not forget cursors.
    void readStoreOrDefault(ObjectReader &reader)
    {
        QString name = QFileInfo(workspace.file).fileName();
        for (const QString &suffix : {u".json"_s, u".watukuy"_s}) {
            if (name.endsWith(suffix))
                name.chop(suffix.size());
        }
        workspace.store = SqliteStoreDefinition{workspace.folder + u'/' + name + u".db"_s};
        if (const LocatedValue *value = reader.take(u"store"_s)) {
            if (auto store = readStore(*value, reader.pointer(u"store"_s), m_around, m_problems))
                workspace.store = std::move(*store);
        }
    }

    void readBudgets(ObjectReader &reader)
    {
        eachNamed(reader, u"budgets"_s, u"budget"_s,
                  [&](const QString &name, const LocatedValue &value, const QString &pointer) {
                      BudgetDefinition budget{.name = name};
                      ObjectReader inside(&value, pointer, m_problems);
                      inside.require(u"requests"_s, u"How many requests."_s);
                      inside.require(u"per"_s, u"In which time, for example \"1m\"."_s);
                      inside.integer(u"requests"_s, budget.requests, 1, 1'000'000'000);
                      inside.duration(u"per"_s, budget.per);
                      budget.burst = budget.requests;
                      inside.integer(u"burst"_s, budget.burst, 1, 1'000'000'000);
                      if (inside.has(u"burst"_s) && budget.requests > 0 && budget.burst > budget.requests)
                          inside.problem(u"burst"_s, u"\"burst\" is more than \"requests\""_s,
                                         u"At most \"requests\" may go in any \"per\"."_s);
                      inside.duration(u"maxWait"_s, budget.maxWait, Least::Zero);
                      inside.word(u"fairness"_s, budget.weighted,
                                  {{"round-robin"_L1, false}, {"weighted"_L1, true}});
                      workspace.budgets.insert_or_assign(name, budget);
                  });
    }

    void readEndpoints(ObjectReader &reader)
    {
        eachNamed(reader, u"credentials"_s, u"credential"_s,
                  [&](const QString &name, const LocatedValue &value, const QString &pointer) {
                      if (auto credential = readCredential(value, pointer, m_around, m_problems))
                          workspace.credentials.insert_or_assign(name, std::move(*credential));
                  });
        eachNamed(reader, u"sinks"_s, u"sink"_s,
                  [&](const QString &name, const LocatedValue &value, const QString &pointer) {
                      if (auto sink = readSink(value, pointer, m_around, m_problems))
                          workspace.sinks.insert_or_assign(name, std::move(*sink));
                  });
    }

    void readLease(ObjectReader &reader)
    {
        reader.object(u"lease"_s, [&](ObjectReader &lease) {
            lease.duration(u"ttl"_s, workspace.leaseTtl);
            workspace.leaseRenewEvery = workspace.leaseTtl / 3;
            lease.duration(u"renewEvery"_s, workspace.leaseRenewEvery);
            if (workspace.leaseRenewEvery >= workspace.leaseTtl)
                lease.problem(u"renewEvery"_s, u"\"renewEvery\" must be shorter than \"ttl\""_s,
                              u"A third of it is a good choice."_s);
        });
    }

    /// A request that costs more than its budget ever has would wait for ever.
    void checkCosts()
    {
        for (const auto &[name, poller] : workspace.pollers) {
            const auto budget = workspace.budgets.find(poller.budget);
            const bool isKnown = budget != workspace.budgets.end() && budget->second.requests > 0;
            const int most = isKnown ? std::min(budget->second.burst, budget->second.requests) : 0;
            if (isKnown && poller.request.cost > most)
                report({u"pollers"_s, name, u"request"_s, u"cost"_s},
                       u"A request costs %1, and the budget \"%2\" never has more than %3"_s
                           .arg(poller.request.cost)
                           .arg(poller.budget)
                           .arg(most),
                       u"Lower the cost, or give the budget more."_s);
        }
    }

    /// Event ids are made of source, partition and identity: a shared source would make them collide.
    void checkSources()
    {
        QHash<QString, QString> pollerOf;
        for (const QString &name : std::as_const(m_around.pollers)) {
            const QString source = workspace.pollers.at(name).source;
            const QString other = pollerOf.value(source, name);
            if (other != name)
                report(
                    {u"pollers"_s, name, u"source"_s},
                    u"The pollers \"%1\" and \"%2\" have the same source, and their events could have the same ids"_s
                        .arg(other, name),
                    u"Give each a source of its own."_s);
            pollerOf.insert(source, name);
        }
    }

    /// A sink appends lines, and mends what looks like a torn one: any other file would be spoilt.
    void checkSinkFiles()
    {
        QHash<QString, QString> others{{QDir::cleanPath(workspace.file), u"the workspace"_s}};
        if (const auto *store = std::get_if<SqliteStoreDefinition>(&workspace.store)) {
            for (const QString &suffix : {QString(), u"-wal"_s, u"-shm"_s})
                others.insert(QDir::cleanPath(store->path + suffix), u"the store"_s);
        }
        for (const auto &[name, poller] : workspace.pollers) {
            if (!poller.partitions.file.isEmpty())
                others.insert(QDir::cleanPath(poller.partitions.file), u"the partitions of %1"_s.arg(name));
        }
        for (const auto &[name, sink] : workspace.sinks) {
            const auto *file = std::get_if<FileSinkDefinition>(&sink);
            const QString path = file ? QDir::cleanPath(file->path.text()) : QString();
            if (others.contains(path))
                report({u"sinks"_s, name, u"path"_s},
                       u"The sink \"%1\" would write into %2"_s.arg(name, others.value(path)),
                       u"Give the events a file of their own."_s);
        }
    }

    void report(const QStringList &steps, const QString &message, const QString &hint)
    {
        QString pointer;
        const LocatedValue *value = &m_root;
        for (const QString &step : steps) {
            const LocatedValue *next = value->member(step);
            if (!next)
                break;
            pointer += pointerStep(step);
            value = next;
        }
        m_problems.add(pointer, value->line, message, hint);
    }

    const LocatedValue &m_root;
    Problems &m_problems;
    Surroundings m_around;
};

std::unexpected<WorkspaceErrors> oneError(int line, const QString &message, const QString &hint)
{
    return std::unexpected(WorkspaceErrors{{{}, line, message, hint}});
}

/// The line of the first byte that is no UTF-8; nothing when all are.
std::optional<int> lineThatIsNotUtf8(const QByteArray &text)
{
    const auto isUtf8 = [](QByteArrayView part) {
        QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
        (void)QString(decoder(part));
        return !decoder.hasError();
    };
    if (isUtf8(text))
        return {};
    int line = 1;
    for (const QByteArray &part : text.split('\n')) {
        if (!isUtf8(part))
            break;
        ++line;
    }
    return line;
}

} // namespace

bool RequestDefinition::uses(QStringView prefix) const
{
    const auto inMembers = [prefix](const std::vector<std::pair<QString, Template>> &members) {
        return std::ranges::any_of(members,
                                   [prefix](const auto &member) { return member.second.uses(prefix); });
    };
    return url.uses(prefix) || body.uses(prefix) || inMembers(query) || inMembers(headers) || inMembers(form);
}

std::expected<WorkspaceDefinition, WorkspaceErrors> parseWorkspace(const QByteArray &text,
                                                                   const QString &file)
{
    const QByteArray content = text.startsWith("\xEF\xBB\xBF") ? text.mid(3) : text;
    if (content.trimmed().isEmpty())
        return oneError(1, u"The workspace is empty"_s, u"Begin with {\"version\": 1, …}."_s);
    if (content.size() > largestFile)
        return oneError(0, u"%1 is larger than 16 MB"_s.arg(file),
                        u"This is hardly a workspace; check the name."_s);
    if (const auto line = lineThatIsNotUtf8(content))
        return oneError(*line, u"The workspace is not UTF-8"_s, u"Save it in the encoding UTF-8."_s);
    const auto root = readLocated(content);
    if (!root)
        return std::unexpected(WorkspaceErrors{root.error()});
    Problems problems;
    WorkspaceReading reading(*root, file, problems);
    reading.read();
    if (!problems.isEmpty())
        return std::unexpected(problems.take());
    return std::move(reading.workspace);
}

std::expected<WorkspaceDefinition, WorkspaceErrors> loadWorkspace(const QString &file)
{
    const QFileInfo info(file);
    if (!info.exists())
        return oneError(0, u"There is no file %1"_s.arg(file), u"Check the name after --workspace."_s);
    if (info.isDir())
        return oneError(0, u"%1 is a folder"_s.arg(file), u"Name the *.watukuy.json file in it."_s);
    if (!info.isFile())
        return oneError(0, u"%1 is no ordinary file"_s.arg(file), u"Name a *.watukuy.json file."_s);
    QFile opened(file);
    if (!opened.open(QIODevice::ReadOnly))
        return oneError(0, u"%1 cannot be read: %2"_s.arg(file, opened.errorString()),
                        u"Check its permissions."_s);
    const QByteArray text = opened.read(largestFile + 1);
    if (opened.error() != QFileDevice::NoError)
        return oneError(0, u"%1 cannot be read: %2"_s.arg(file, opened.errorString()), u"Check the disk."_s);
    return parseWorkspace(text, file);
}

} // namespace watukuy
