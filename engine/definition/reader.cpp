// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/definition/reader.h"

#include <algorithm>
#include <cmath>

#include <QUrl>

#include "engine/model/nearestword.h"

namespace watukuy {

using namespace Qt::StringLiterals;
using json::Kind;

namespace {

bool isScalar(Kind kind)
{
    return kind == Kind::Bool || kind == Kind::Number || kind == Kind::String;
}

/// A value as the file writes it, short enough for a message.
QString shown(const LocatedValue &value)
{
    constexpr qsizetype longest = 60;
    const QString raw = QString::fromUtf8(value.raw).simplified();
    return raw.size() > longest ? raw.left(longest) + u'…' : raw;
}

} // namespace

QString kindName(Kind kind)
{
    switch (kind) {
    case Kind::Null:
        return u"null"_s;
    case Kind::Bool:
        return u"true or false"_s;
    case Kind::Number:
        return u"a number"_s;
    case Kind::String:
        return u"a text"_s;
    case Kind::Array:
        return u"a list"_s;
    case Kind::Object:
        return u"an object"_s;
    }
    return {};
}

void Problems::add(const QString &pointer, int line, const QString &message, const QString &hint)
{
    m_errors.append({pointer, line, message, hint});
}

WorkspaceErrors Problems::take()
{
    std::ranges::stable_sort(m_errors, {}, &WorkspaceError::line);
    return std::move(m_errors);
}

QString nearestHint(const QString &word, const QStringList &known)
{
    const QString nearest = nearestWord(word, known);
    if (!nearest.isEmpty())
        return u"Did you mean \"%1\"?"_s.arg(nearest);
    return known.isEmpty() ? u"Nothing is known here."_s : u"It is one of: %1."_s.arg(known.join(u", "_s));
}

QString pointerStep(const QString &name)
{
    QString step = name;
    return u'/' + step.replace(u'~', u"~0"_s).replace(u'/', u"~1"_s);
}

ObjectReader::ObjectReader(const LocatedValue *object, QString place, Problems &problems)
    : m_object(object)
    , m_pointer(std::move(place))
    , m_problems(problems)
{
    if (!m_object || m_object->kind == Kind::Object)
        return;
    m_problems.add(m_pointer, m_object->line,
                   u"An object is expected here, not %1"_s.arg(kindName(m_object->kind)), u"Write {...}."_s);
    m_object = nullptr;
}

ObjectReader::~ObjectReader()
{
    if (!m_object || m_leavesRest)
        return;
    for (const LocatedMember &member : m_object->members) {
        if (m_known.contains(member.name))
            continue;
        const QString nearest = nearestWord(member.name, m_known);
        m_problems.add(pointer(member.name), member.line,
                       u"\"%1\" is not a key that is known here"_s.arg(member.name),
                       nearest.isEmpty() ? u"Known keys: %1."_s.arg(m_known.join(u", "_s))
                                         : u"Did you mean \"%1\"?"_s.arg(nearest));
    }
}

const LocatedValue *ObjectReader::find(const QString &name) const
{
    return m_object ? m_object->member(name) : nullptr;
}

const LocatedValue *ObjectReader::takeNullable(const QString &name)
{
    if (!m_known.contains(name))
        m_known.append(name);
    return find(name);
}

const LocatedValue *ObjectReader::take(const QString &name)
{
    const LocatedValue *value = takeNullable(name);
    if (!value || value->kind != Kind::Null)
        return value;
    if (!m_reportedNulls.contains(name))
        m_problems.add(pointer(name), value->line, u"\"%1\" cannot be null"_s.arg(name),
                       u"Give it a value, or take the key out."_s);
    m_reportedNulls.append(name);
    return nullptr;
}

const LocatedValue *ObjectReader::require(const QString &name, const QString &what)
{
    const LocatedValue *value = take(name);
    if (m_object && !has(name))
        m_problems.add(m_pointer, m_object->line, u"\"%1\" is missing"_s.arg(name), what);
    return value;
}

const LocatedValue *ObjectReader::takeOf(const QString &name, Kind kind, const QString &expected)
{
    const LocatedValue *value = take(name);
    if (!value || value->kind == kind)
        return value;
    m_problems.add(
        pointer(name), value->line,
        u"\"%1\" should be %2, not %3: %4"_s.arg(name, expected, kindName(value->kind), shown(*value)));
    return nullptr;
}

void ObjectReader::problem(const QString &name, const QString &message, const QString &hint)
{
    if (!m_object)
        return;
    const auto member = std::ranges::find(m_object->members, name, &LocatedMember::name);
    if (member == m_object->members.end())
        m_problems.add(m_pointer, m_object->line, message, hint);
    else
        m_problems.add(pointer(name), member->line, message, hint);
}

void ObjectReader::text(const QString &name, QString &into)
{
    if (const LocatedValue *value = takeOf(name, Kind::String, u"a text"_s))
        into = value->text();
}

void ObjectReader::requiredText(const QString &name, QString &into, const QString &what)
{
    if (!require(name, what))
        return;
    text(name, into);
    if (into.isEmpty() && find(name)->kind == Kind::String)
        problem(name, u"\"%1\" is empty"_s.arg(name), what);
}

void ObjectReader::texts(const QString &name, QStringList &into)
{
    const LocatedValue *value = take(name);
    if (!value)
        return;
    if (value->kind == Kind::String) {
        into = {value->text()};
        return;
    }
    into.clear();
    eachElement(name, [&](const LocatedValue &element, const QString &place) {
        if (element.kind == Kind::String)
            into.append(element.text());
        else
            m_problems.add(place, element.line,
                           u"\"%1\" should hold texts only, not %2"_s.arg(name, kindName(element.kind)));
    });
}

void ObjectReader::flag(const QString &name, bool &into)
{
    if (const LocatedValue *value = takeOf(name, Kind::Bool, u"true or false"_s))
        into = value->raw == "true";
}

void ObjectReader::duration(const QString &name, std::optional<Duration> &into)
{
    const LocatedValue *value = take(name);
    if (!value)
        return;
    const auto parsed = value->kind == Kind::String ? parseDuration(value->text()) : std::nullopt;
    if (!parsed)
        m_problems.add(
            pointer(name), value->line, u"\"%1\" is no duration: %2"_s.arg(name, shown(*value)),
            u"Write a whole number and a unit, up to 100 years: \"250ms\", \"5s\", \"2m\", \"6h\", \"1d\"."_s);
    else
        into = parsed;
}

void ObjectReader::duration(const QString &name, Duration &into, Least least)
{
    std::optional<Duration> read;
    duration(name, read);
    if (least == Least::MoreThanZero && read == Duration::zero())
        problem(name, u"\"%1\" must be longer than nothing"_s.arg(name), u"For example \"1s\"."_s);
    else
        into = read.value_or(into);
}

void ObjectReader::size(const QString &name, std::optional<qint64> &into)
{
    const LocatedValue *value = take(name);
    if (!value)
        return;
    const auto parsed =
        value->kind == Kind::String || value->kind == Kind::Number ? parseSize(value->text()) : std::nullopt;
    if (!parsed || *parsed == 0)
        m_problems.add(pointer(name), value->line, u"\"%1\" is no size: %2"_s.arg(name, shown(*value)),
                       u"Write a number of bytes, or \"512KB\", \"64MB\", \"2GB\"; at least 1."_s);
    else
        into = parsed;
}

void ObjectReader::size(const QString &name, qint64 &into)
{
    std::optional<qint64> read;
    size(name, read);
    into = read.value_or(into);
}

json::Path ObjectReader::readPath(const LocatedValue &value, const QString &pointer, Problems &problems)
{
    if (value.kind != Kind::String) {
        problems.add(pointer, value.line, u"A path is a text, not %1"_s.arg(kindName(value.kind)),
                     u"For example \"data.id\" or \"/data/id\"."_s);
        return {};
    }
    auto parsed = json::Path::parse(value.text());
    if (!parsed) {
        problems.add(pointer, value.line, parsed.error().oneLine(), parsed.error().nextStep);
        return {};
    }
    return *parsed;
}

void ObjectReader::path(const QString &name, std::optional<json::Path> &into)
{
    if (const LocatedValue *value = take(name))
        into = readPath(*value, pointer(name), m_problems);
}

void ObjectReader::path(const QString &name, json::Path &into)
{
    std::optional<json::Path> read;
    path(name, read);
    into = read.value_or(into);
}

void ObjectReader::paths(const QString &name, std::vector<json::Path> &into)
{
    eachElement(name, [&](const LocatedValue &element, const QString &place) {
        into.push_back(readPath(element, place, m_problems));
    });
}

Template ObjectReader::readPattern(const LocatedValue &value, const QString &pointer,
                                   const PlaceholderRules &rules, Problems &problems)
{
    if (!isScalar(value.kind)) {
        problems.add(pointer, value.line, u"A text is expected here, not %1"_s.arg(kindName(value.kind)));
        return {};
    }
    auto parsed = Template::parse(value.text());
    if (!parsed) {
        problems.add(pointer, value.line, parsed.error().oneLine(), parsed.error().nextStep);
        return {};
    }
    checkPlaceholders(*parsed, pointer, value.line, rules, problems);
    return *parsed;
}

void ObjectReader::pattern(const QString &name, Template &into, const PlaceholderRules &rules)
{
    if (const LocatedValue *value = takeOf(name, Kind::String, u"a text"_s))
        into = readPattern(*value, pointer(name), rules, m_problems);
}

void ObjectReader::patterns(const QString &name, std::vector<std::pair<QString, Template>> &into,
                            const PlaceholderRules &rules, Qt::CaseSensitivity names)
{
    each(name, [&](const QString &member, const LocatedValue &value, const QString &place) {
        std::erase_if(into, [&](const auto &known) { return known.first.compare(member, names) == 0; });
        if (value.kind != Kind::Null)
            into.emplace_back(member, readPattern(value, place, rules, m_problems));
    });
}

void ObjectReader::url(const QString &name, Template &into, const PlaceholderRules &rules)
{
    const qsizetype before = m_problems.count();
    pattern(name, into, rules);
    // What begins with a placeholder is known only when it is filled in.
    if (!has(name) || m_problems.count() != before || into.text().startsWith(u"${"))
        return;
    const auto filled =
        into.expand([](const QString &) -> Result<std::optional<QString>> { return std::optional(u"1"_s); });
    const QUrl address(filled ? filled->value_or(QString()) : QString(), QUrl::StrictMode);
    const bool isWeb = address.scheme() == u"http" || address.scheme() == u"https";
    if (!address.isValid() || !isWeb || address.host().isEmpty())
        problem(name, u"\"%1\" is no http or https address"_s.arg(into.text()),
                u"Write it in full, for example \"https://api.example.com/orders\"."_s);
    else if (!address.userInfo().isEmpty())
        problem(name, u"An address cannot hold a user name or a password"_s,
                u"Use a credential, for example {\"kind\": \"basic\", …}."_s);
}

void ObjectReader::number(const QString &name, double &into, double least, double most)
{
    const LocatedValue *value = takeOf(name, Kind::Number, u"a number"_s);
    if (!value)
        return;
    const double read = value->raw.toDouble();
    if (!std::isfinite(read) || read < least || read > most)
        m_problems.add(pointer(name), value->line,
                       u"\"%1\" should be between %2 and %3, not %4"_s.arg(name).arg(least).arg(most).arg(
                           shown(*value)));
    else
        into = read;
}

void ObjectReader::reference(const QString &name, QString &into, const QStringList &known,
                             const QString &what)
{
    const LocatedValue *value = takeOf(name, Kind::String, u"the name of a %1"_s.arg(what));
    if (!value)
        return;
    into = value->text();
    if (!known.contains(into))
        m_problems.add(pointer(name), value->line, u"There is no %1 \"%2\""_s.arg(what, into),
                       known.isEmpty() ? u"The workspace has none; add it first."_s
                                       : nearestHint(into, known));
}

std::optional<qint64> ObjectReader::readInteger(const QString &name, qint64 least, qint64 most)
{
    const LocatedValue *value = takeOf(name, Kind::Number, u"a whole number"_s);
    if (!value)
        return {};
    bool isWhole = false;
    const qint64 read = value->raw.toLongLong(&isWhole);
    if (!isWhole || read < least || read > most) {
        m_problems.add(
            pointer(name), value->line,
            u"\"%1\" should be a whole number between %2 and %3, not %4"_s.arg(name).arg(least).arg(most).arg(
                shown(*value)));
        return {};
    }
    return read;
}

std::optional<qsizetype> ObjectReader::readWord(const QString &name, const QStringList &known)
{
    const LocatedValue *value = takeOf(name, Kind::String, u"one of: %1"_s.arg(known.join(u", "_s)));
    if (!value)
        return {};
    const qsizetype index = known.indexOf(value->text());
    if (index >= 0)
        return index;
    m_problems.add(pointer(name), value->line, u"\"%1\" cannot be \"%2\""_s.arg(name, value->text()),
                   nearestHint(value->text(), known));
    return {};
}

void ObjectReader::wordText(const QString &name, QString &into, const QStringList &known)
{
    if (const auto index = readWord(name, known))
        into = known.at(*index);
}

bool ObjectReader::object(const QString &name, const std::function<void(ObjectReader &)> &read)
{
    const LocatedValue *value = take(name);
    if (!value)
        return false;
    ObjectReader inside(value, pointer(name), m_problems);
    if (!inside.m_object)
        return false;
    read(inside);
    return true;
}

void ObjectReader::each(
    const QString &name,
    const std::function<void(const QString &, const LocatedValue &, const QString &)> &read)
{
    const LocatedValue *value = takeOf(name, Kind::Object, u"an object"_s);
    if (!value)
        return;
    const QString place = pointer(name);
    for (const LocatedMember &member : value->members)
        read(member.name, member.value, place + pointerStep(member.name));
}

void ObjectReader::eachElement(const QString &name,
                               const std::function<void(const LocatedValue &, const QString &)> &read)
{
    const LocatedValue *value = takeOf(name, Kind::Array, u"a list"_s);
    if (!value)
        return;
    qsizetype index = 0;
    for (const LocatedValue &element : value->elements)
        read(element, pointer(name) + u'/' + QString::number(index++));
}

} // namespace watukuy
