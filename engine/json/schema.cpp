// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/json/schema.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <regex>
#include <string>
#include <unordered_map>

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validation_visitor.hpp>

#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSet>

#include "engine/json/expression.h"

namespace watukuy::json {

using namespace Qt::StringLiterals;

namespace {

constexpr int mostIssues = 20;
constexpr int deepest = 200; // both schema and item: the library recurses
constexpr size_t longestName = 256;
constexpr size_t mostUniqueItems = 2000; // the library compares each with each

// The default matcher of libstdc++ recurses once per character of the text it looks at.
#ifdef __GLIBCXX__
constexpr auto expressionFlags = std::regex_constants::ECMAScript | std::regex_constants::__polynomial;
#else
constexpr auto expressionFlags = std::regex_constants::ECMAScript;
#endif

Error schemaError(const QString &detail)
{
    return {.kind = ErrorKind::Workspace,
            .name = u"SchemaError"_s,
            .title = u"The JSON Schema cannot be used"_s,
            .detail = detail,
            .nextStep = u"Correct the schema; draft 7 is understood."_s};
}

/// The formats that are checked, as expressions (RFC 3339, 5.6).
QString expressionFor(const QString &format)
{
    const QString date = u"[0-9]{4}-(0[1-9]|1[012])-(0[1-9]|[12][0-9]|3[01])"_s;
    const QString time =
        u"([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\\.[0-9]+)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"_s;
    if (format == u"date")
        return u'^' + date + u'$';
    if (format == u"time")
        return u'^' + time + u'$';
    if (format == u"date-time")
        return u'^' + date + u"[Tt]"_s + time + u'$';
    return {};
}

/// Looks at a schema once before the library does: gathers its expressions, turns formats into
/// expressions, and refuses what would never end.
class Preparing {
public:
    explicit Preparing(QJsonObject root)
        : m_root(std::move(root))
    {
    }

    QJsonValue prepared() { return subschema(m_root, 0); }

    /// What the schema says where `expression` stands now.
    [[nodiscard]] QString asWritten(const QString &expression) const { return m_written.value(expression); }

    QSet<QString> expressions; ///< over bytes
    bool namesAreMatched = false;
    bool itemsAreUnique = false;
    QString problem;

private:
    QJsonValue subschema(const QJsonValue &value, int depth)
    {
        if (depth > deepest)
            problem = u"it is nested more than %1 levels deep"_s.arg(deepest);
        if (!value.isObject() || !problem.isEmpty())
            return value;
        QJsonObject object = value.toObject();
        for (auto member = object.begin(); member != object.end(); ++member)
            member.value() = keyword(member.key(), member.value(), depth);
        if (object.contains(u"$ref"_s))
            checkReference(object);
        checkMultipleOf(object.value(u"multipleOf"_s));
        itemsAreUnique = itemsAreUnique || object.value(u"uniqueItems"_s).toBool();
        if (object.value(u"pattern"_s).isString())
            object.insert(u"pattern"_s, searched(object.value(u"pattern"_s).toString()));
        const QString format = expressionFor(object.value(u"format"_s).toString());
        object.remove(u"format"_s);
        if (!format.isEmpty()) {
            QJsonArray all = object.value(u"allOf"_s).toArray();
            all.append(QJsonObject{{u"pattern"_s, searched(format)}});
            object.insert(u"allOf"_s, all);
        }
        return object;
    }

    /// `expression` over bytes, as it is matched at the beginning of a text: the library would begin anew at
    /// every byte, and a long text take for ever.
    QString searched(const QString &expression)
    {
        const auto bytes = byteExpression(expression);
        if (!bytes) {
            problem = u"the expression \"%1\" cannot be read: %2"_s.arg(expression, bytes.error().detail);
            return expression;
        }
        const QString text = u"^[\\s\\S]*?(?:%1)"_s.arg(QString::fromStdString(bytes->text));
        m_written.insert(text, expression);
        expressions.insert(text);
        return text;
    }

    /// A name of `patternProperties` over bytes. The library matches these by going back.
    QString nameMatched(const QString &expression)
    {
        const auto bytes = byteExpression(expression);
        if (!bytes || bytes->nestsRepeats) {
            problem =
                bytes ? u"in \"patternProperties\", \"%1\" repeats a group that itself repeats or "
                        "branches; that could take for ever"_s.arg(expression)
                      : u"the expression \"%1\" cannot be read: %2"_s.arg(expression, bytes.error().detail);
            return expression;
        }
        const QString text = QString::fromStdString(bytes->text);
        m_written.insert(text, expression);
        expressions.insert(text);
        return text;
    }

    QJsonValue keyword(const QString &name, const QJsonValue &value, int depth)
    {
        static const QSet<QString> data{u"const"_s, u"enum"_s, u"default"_s, u"examples"_s};
        static const QSet<QString> byName{u"properties"_s, u"patternProperties"_s, u"definitions"_s,
                                          u"$defs"_s, u"dependencies"_s};
        if (data.contains(name))
            return value;
        if (value.isArray()) {
            QJsonArray array = value.toArray();
            for (qsizetype index = 0; index < array.size(); ++index)
                array[index] = subschema(array.at(index), depth + 1);
            return array;
        }
        if (!byName.contains(name))
            return subschema(value, depth + 1);
        namesAreMatched = namesAreMatched || name == u"patternProperties";
        QJsonObject members = value.toObject();
        for (auto member = members.begin(); member != members.end(); ++member)
            member.value() = subschema(member.value(), depth + 1);
        if (name != u"patternProperties")
            return members;
        QJsonObject matched;
        for (auto member = members.constBegin(); member != members.constEnd(); ++member)
            matched.insert(nameMatched(member.key()), member.value());
        return matched;
    }

    /// Fractions are not exact in binary: 19.99 would be no multiple of 0.01, and a good item be refused.
    void checkMultipleOf(const QJsonValue &step)
    {
        if (step.isUndefined() || (step.toDouble() >= 1 && step.toDouble() == std::floor(step.toDouble())))
            return;
        problem =
            u"\"multipleOf\" is checked for whole numbers from 1 only, not for %1"_s.arg(step.toDouble());
    }

    /// A reference that leads to nothing but references, back to itself, would be followed for ever.
    void checkReference(const QJsonObject &object)
    {
        QSet<QString> followed;
        QJsonValue at = object;
        while (at.isObject() && at.toObject().contains(u"$ref"_s)) {
            const QString reference = at.toObject().value(u"$ref"_s).toString();
            if (!reference.startsWith(u'#')) {
                problem =
                    u"\"$ref\": \"%1\" leads out of the schema; nothing is fetched for it"_s.arg(reference);
                return;
            }
            if (followed.contains(reference)) {
                problem = u"\"$ref\": \"%1\" leads in a circle"_s.arg(reference);
                return;
            }
            followed.insert(reference);
            at = target(reference.mid(1));
            if (at.isUndefined())
                problem = u"\"$ref\": \"%1\" leads nowhere"_s.arg(reference);
        }
        QSet<QString> path;
        int steps = 0;
        if (problem.isEmpty() && comesBack(object, path, steps))
            problem = u"\"$ref\": \"%1\" leads in a circle"_s.arg(object.value(u"$ref"_s).toString());
    }

    /// Whether what is asked of one and the same value leads back to a reference that is being followed.
    bool comesBack(const QJsonValue &schema, QSet<QString> &path, int &steps) const
    {
        constexpr int mostSteps = 10'000;
        if (!schema.isObject())
            return false;
        if (++steps > mostSteps)
            return true;
        const QJsonObject object = schema.toObject();
        if (object.contains(u"$ref"_s)) {
            const QString reference = object.value(u"$ref"_s).toString();
            if (path.contains(reference))
                return true;
            path.insert(reference);
            const bool back = comesBack(target(reference.mid(1)), path, steps);
            path.remove(reference);
            return back;
        }
        for (const QString &name : {u"allOf"_s, u"anyOf"_s, u"oneOf"_s}) {
            for (const auto each : object.value(name).toArray()) {
                if (comesBack(each, path, steps))
                    return true;
            }
        }
        return std::ranges::any_of(
            std::array{u"not"_s, u"if"_s, u"then"_s, u"else"_s},
            [&](const QString &name) { return comesBack(object.value(name), path, steps); });
    }

    [[nodiscard]] QJsonValue target(const QString &pointer) const
    {
        QJsonValue at = m_root;
        for (QString step : pointer.split(u'/').mid(1)) {
            step.replace(u"~1"_s, u"/"_s).replace(u"~0"_s, u"~"_s);
            at = at.isArray() ? at.toArray().at(step.toInt()) : at.toObject().value(step);
        }
        return at;
    }

    QJsonObject m_root;
    QHash<QString, QString> m_written; ///< by what became of it
};

QString pointerOf(const std::vector<std::string> &context)
{
    QString pointer;
    for (size_t step = 1; step < context.size(); ++step) {
        QString name = QString::fromStdString(context[step]);
        if (name.startsWith(u'[') && name.endsWith(u']')) // how the library writes names and places
            name = name.mid(1, name.size() - 2);
        pointer += u'/' + name.replace(u"~"_s, u"~0"_s).replace(u"/"_s, u"~1"_s);
    }
    return pointer;
}

/// The text as the library takes it. Whole numbers are integers however they are written; those that
/// 64 bits cannot hold become the largest or smallest that they can. Discarded when it is not JSON.
struct Parsed {
    nlohmann::json value;
    bool hasOverlongName = false; ///< a member's name is beyond what may be matched
    bool isTooDeep = false;
    bool hasLongList = false; ///< longer than what may be compared
};
Parsed parsed(QByteArrayView text)
{
    Parsed result;
    using Numbers = std::numeric_limits<qint64>;
    const auto look = [&result](int depth, nlohmann::json::parse_event_t event, nlohmann::json &value) {
        using Event = nlohmann::json::parse_event_t;
        if (event == Event::key && value.get_ref<const std::string &>().size() > longestName)
            result.hasOverlongName = true;
        result.isTooDeep = result.isTooDeep || depth > deepest;
        result.hasLongList =
            result.hasLongList || (event == Event::array_end && value.size() > mostUniqueItems);
        if (event != Event::value || !value.is_number())
            return true;
        if (value.is_number_unsigned() && value.get<quint64>() > static_cast<quint64>(Numbers::max()))
            value = Numbers::max();
        else if (value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>())
            value = value.get<double>() >= 0x1p63    ? Numbers::max()
                    : value.get<double>() <= -0x1p63 ? Numbers::min()
                                                     : static_cast<qint64>(value.get<double>());
        return true;
    };
    result.value = nlohmann::json::parse(text.begin(), text.end(), look, false);
    return result;
}

} // namespace

struct Schema::Compiled {
    valijson::Schema schema;
    std::unordered_map<std::string, std::regex> expressions;
    bool namesAreMatched = false;
    bool itemsAreUnique = false;
};

Result<Schema> Schema::compile(const QByteArray &text)
{
    QJsonParseError error{};
    const QJsonDocument document = QJsonDocument::fromJson(text, &error);
    if (!document.isObject())
        return fail(schemaError(error.error == QJsonParseError::NoError ? u"it is no object"_s
                                                                        : error.errorString()));
    Preparing preparing(document.object());
    const QJsonValue prepared = preparing.prepared();
    if (!preparing.problem.isEmpty())
        return fail(schemaError(preparing.problem));
    auto compiled = std::make_shared<Compiled>();
    compiled->namesAreMatched = preparing.namesAreMatched;
    compiled->itemsAreUnique = preparing.itemsAreUnique;
    for (const QString &expression : std::as_const(preparing.expressions)) {
        try {
            compiled->expressions.emplace(expression.toStdString(),
                                          std::regex(expression.toStdString(), expressionFlags));
        } catch (const std::regex_error &) {
            return fail(
                schemaError(u"the expression \"%1\" cannot be read"_s.arg(preparing.asWritten(expression))));
        }
    }
    try {
        const nlohmann::json schema =
            parsed(QJsonDocument(prepared.toObject()).toJson(QJsonDocument::Compact)).value;
        valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
        parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schema), compiled->schema);
    } catch (const std::exception &thrown) {
        return fail(schemaError(QString::fromUtf8(thrown.what())));
    }
    return Schema(std::move(compiled));
}

QList<ItemIssue> Schema::check(QByteArrayView item) const
{
    const Parsed read = parsed(item);
    if (read.value.is_discarded())
        return {{QString(), u"it is not JSON and cannot be checked against the schema"_s}};
    if (read.isTooDeep)
        return {{QString(), u"it is nested more than %1 levels deep"_s.arg(deepest)}};
    if (m_compiled->namesAreMatched && read.hasOverlongName)
        return {{QString(), u"it has a member whose name is longer than %1 bytes"_s.arg(longestName)}};
    if (m_compiled->itemsAreUnique && read.hasLongList)
        return {{QString(),
                 u"it has a list of more than %1, too long to check \"uniqueItems\""_s.arg(mostUniqueItems)}};
    valijson::ValidationResults results;
    try {
        const valijson::adapters::NlohmannJsonAdapter target(read.value);
        valijson::ValidationVisitor<valijson::adapters::NlohmannJsonAdapter> visitor(
            target, {"<root>"}, true, &results, m_compiled->expressions);
        if (visitor.validateSchema(m_compiled->schema))
            return {};
    } catch (const std::exception &thrown) {
        return {{QString(), QString::fromUtf8(thrown.what())}};
    }
    QList<ItemIssue> issues;
    for (const auto &result : results) {
        if (issues.size() < mostIssues)
            issues.append({pointerOf(result.context), QString::fromStdString(result.description)});
    }
    if (issues.isEmpty())
        issues.append({QString(), u"it does not fit the schema"_s});
    return issues;
}

} // namespace watukuy::json
