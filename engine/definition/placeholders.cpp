// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/definition/placeholders.h"

#include <algorithm>

#include "engine/definition/reader.h"
#include "engine/definition/secrets.h"
#include "engine/model/nearestword.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

QStringList variableNames(const Surroundings &around)
{
    QStringList names;
    for (const QString &name : around.variables)
        names.append(u"var."_s + name);
    return names;
}

PlaceholderRules requestWithoutCursor(const Surroundings &around, bool takesNext)
{
    PlaceholderRules rules{.place = u"a request"_s,
                           .names = {u"page"_s, u"offset"_s, u"lane"_s, u"poller"_s, u"partition.key"_s},
                           .prefixes = {u"partition.data."_s}};
    rules.names += variableNames(around);
    if (takesNext)
        rules.names.append(u"next"_s);
    else
        rules.misplaced.push_back(
            {u"next"_s, u"${next} is filled only by token, nextUrl and link paging"_s,
             u"Declare \"pagination\", for example {\"kind\": \"token\", \"path\": \"next\"}."_s});
    return rules;
}

/// The known spellings that `name` may have been meant to be.
QStringList candidates(const QString &name, const PlaceholderRules &rules)
{
    QStringList known = rules.names;
    QStringList beginnings = rules.prefixes;
    if (rules.secrets)
        beginnings << u"keychain:"_s << u"env:"_s << u"file:"_s;
    for (const QString &beginning : std::as_const(beginnings)) {
        const qsizetype end = name.lastIndexOf(beginning.back());
        known.append(beginning + (end >= 0 ? name.mid(end + 1) : u"…"_s));
    }
    return known;
}

void report(const QString &name, const QString &pointer, int line, const PlaceholderRules &rules,
            Problems &problems)
{
    for (const Misplaced &known : rules.misplaced) {
        if (name.startsWith(known.prefix)) {
            problems.add(pointer, line, known.why.contains(u"%1") ? known.why.arg(name) : known.why,
                         known.hint);
            return;
        }
    }
    const QStringList known = candidates(name, rules);
    const QString nearest = nearestWord(name, known);
    QString hint = u"Known here: ${%1}."_s.arg(known.join(u"}, ${"_s));
    if (name.startsWith(u"var."_s))
        hint = u"Add \"%1\" to \"variables\"."_s.arg(name.mid(4));
    if (!nearest.isEmpty())
        hint = u"Did you mean ${%1}?"_s.arg(nearest);
    problems.add(pointer, line, u"${%1} means nothing in %2"_s.arg(name, rules.place), hint);
}

} // namespace

PlaceholderRules PlaceholderRules::at(const QString &otherPlace) const
{
    PlaceholderRules rules = *this;
    rules.place = otherPlace;
    return rules;
}

PlaceholderRules PlaceholderRules::withSecrets(const QString &otherPlace) const
{
    PlaceholderRules rules = at(otherPlace);
    rules.secrets = true;
    return rules;
}

void checkPlaceholders(const Template &text, const QString &pointer, int line, const PlaceholderRules &rules,
                       Problems &problems)
{
    QStringList names = text.placeholders();
    names.removeDuplicates();
    for (const QString &name : std::as_const(names)) {
        if (Secrets::isReference(name)) {
            if (name.endsWith(u':'))
                problems.add(pointer, line, u"${%1} names no secret"_s.arg(name),
                             u"Write a name behind the colon."_s);
            else if (!rules.secrets)
                problems.add(
                    pointer, line, u"A secret cannot stand in %1"_s.arg(rules.place),
                    u"There it would end in logs and links. Use a credential, a header or a sink."_s);
            continue;
        }
        const auto begins = [&name](const QString &prefix) {
            return name.size() > prefix.size() && name.startsWith(prefix);
        };
        if (!rules.names.contains(name) && std::ranges::none_of(rules.prefixes, begins))
            report(name, pointer, line, rules, problems);
    }
}

PlaceholderRules requestRules(const Surroundings &around, const CursorDefinition *cursor, bool takesNext)
{
    PlaceholderRules rules = requestWithoutCursor(around, takesNext);
    if (!cursor) {
        rules.prefixes.append(u"cursor."_s);
        return rules;
    }
    switch (cursor->strategy) {
    case Strategy::Timestamp:
        rules.names.append(u"cursor.value"_s);
        if (cursor->tieBreak)
            rules.names.append(u"cursor.tieBreak"_s);
        else
            rules.misplaced.push_back(
                {u"cursor.tieBreak"_s, u"The cursor has no \"tieBreak\", so ${%1} is never filled"_s,
                 u"Name the member that tells items of the same time apart, for example "
                 "\"tieBreak\": \"id\"."_s});
        break;
    case Strategy::Token:
        rules.names.append(u"cursor.value"_s);
        break;
    case Strategy::Page:
        rules.names.append(u"cursor.page"_s);
        break;
    case Strategy::Custom:
        rules.prefixes.append(u"cursor."_s);
        break;
    case Strategy::SnapshotDiff:
        rules.misplaced.push_back({u"cursor."_s,
                                   u"${%1} means nothing to a snapshotDiff poller: it lists everything"_s,
                                   u"Use ${page}, or another cursor strategy."_s});
        break;
    }
    return rules;
}

PlaceholderRules reconcileRules(const Surroundings &around, bool takesNext)
{
    PlaceholderRules rules = requestWithoutCursor(around, takesNext);
    rules.misplaced.push_back({u"cursor."_s, u"${%1} means nothing in reconcile: it lists everything"_s,
                               u"Take it out; page with ${page}, ${offset} or ${next}."_s});
    return rules;
}

PlaceholderRules partitionListingRules(const Surroundings &around)
{
    PlaceholderRules rules{.place = u"the listing of partitions"_s, .names = {u"poller"_s}};
    rules.names += variableNames(around);
    return rules;
}

PlaceholderRules credentialRules(const Surroundings &around)
{
    PlaceholderRules rules{.place = u"a credential"_s,
                           .names = {u"lane"_s, u"poller"_s, u"partition.key"_s},
                           .prefixes = {u"partition.data."_s},
                           .secrets = true};
    rules.names += variableNames(around);
    for (const QString &prefix : {u"cursor."_s, u"page"_s, u"offset"_s, u"next"_s})
        rules.misplaced.push_back({prefix,
                                   u"${%1} means nothing in a credential: it is the same for every page"_s,
                                   u"Use a secret reference such as ${keychain:NAME}."_s});
    return rules;
}

PlaceholderRules sinkRules(const Surroundings &around, const QString &place)
{
    PlaceholderRules rules = connectionRules(around, place);
    rules.names << u"poller"_s << u"partition"_s << u"lane"_s;
    return rules;
}

PlaceholderRules connectionRules(const Surroundings &around, const QString &place)
{
    return {.place = place, .names = variableNames(around), .secrets = true};
}

} // namespace watukuy
