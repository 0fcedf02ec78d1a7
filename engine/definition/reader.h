// SPDX-License-Identifier: GPL-3.0-or-later
// Reads one object of a workspace member by member; whatever is wrong becomes an error with its place.
#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <optional>
#include <utility>

#include <QStringList>

#include "engine/definition/locatedjson.h"
#include "engine/definition/placeholders.h"
#include "engine/definition/template.h"
#include "engine/definition/workspace.h"
#include "engine/json/path.h"

namespace watukuy {

/// Collects errors; take() gives them in the order of the text.
class Problems {
public:
    void add(const QString &pointer, int line, const QString &message, const QString &hint = {});
    [[nodiscard]] bool isEmpty() const { return m_errors.isEmpty(); }
    [[nodiscard]] qsizetype count() const { return m_errors.size(); }
    [[nodiscard]] WorkspaceErrors take();

private:
    WorkspaceErrors m_errors;
};

/// "Did you mean …?", or the known words.
[[nodiscard]] QString nearestHint(const QString &word, const QStringList &known);

/// `name` as a JSON Pointer step.
[[nodiscard]] QString pointerStep(const QString &name);

/// What a value is, for messages: "a number", "a list".
[[nodiscard]] QString kindName(json::Kind kind);

enum class Least { Zero, MoreThanZero };

/// One object. Each member is asked for by name; when the reader goes, members that nobody asked
/// for are reported as unknown, with the nearest known name.
class ObjectReader {
public:
    ObjectReader(const LocatedValue *object, QString place, Problems &problems);
    ~ObjectReader();
    Q_DISABLE_COPY_MOVE(ObjectReader)

    /// The member, nothing when absent. null is reported: it means nothing there.
    const LocatedValue *take(const QString &name);
    /// The same where null means something; the caller looks at the kind.
    const LocatedValue *takeNullable(const QString &name);
    const LocatedValue *require(const QString &name, const QString &what);
    /// Members that nobody asks for are not reported: it is not known what belongs here.
    void leaveRest() { m_leavesRest = true; }

    void text(const QString &name, QString &into);
    void requiredText(const QString &name, QString &into, const QString &what);
    void texts(const QString &name, QStringList &into);
    void flag(const QString &name, bool &into);
    void duration(const QString &name, Duration &into, Least least = Least::MoreThanZero);
    void duration(const QString &name, std::optional<Duration> &into);
    void size(const QString &name, qint64 &into);
    void size(const QString &name, std::optional<qint64> &into);
    void path(const QString &name, json::Path &into);
    void path(const QString &name, std::optional<json::Path> &into);
    void paths(const QString &name, std::vector<json::Path> &into);
    void pattern(const QString &name, Template &into, const PlaceholderRules &rules);
    /// An http or https address without user name and password.
    void url(const QString &name, Template &into, const PlaceholderRules &rules);
    /// Lays the members over `into`; null takes one out.
    void patterns(const QString &name, std::vector<std::pair<QString, Template>> &into,
                  const PlaceholderRules &rules, Qt::CaseSensitivity names = Qt::CaseSensitive);
    void number(const QString &name, double &into, double least, double most);
    /// The name of something else in the workspace.
    void reference(const QString &name, QString &into, const QStringList &known, const QString &what);

    template <std::integral Integer>
    void integer(const QString &name, Integer &into, qint64 least, qint64 most)
    {
        if (const auto value = readInteger(name, least, most))
            into = static_cast<Integer>(*value);
    }

    /// One of a few words.
    template <typename Enum>
    bool word(const QString &name, Enum &into,
              std::initializer_list<std::pair<QLatin1StringView, Enum>> words)
    {
        QStringList known;
        for (const auto &[spelling, meaning] : words)
            known.append(spelling);
        const auto index = readWord(name, known);
        if (index)
            into = (words.begin() + *index)->second;
        return index.has_value();
    }
    /// The same where the word itself is kept.
    void wordText(const QString &name, QString &into, const QStringList &known);

    /// Reads a member that is an object of its own.
    bool object(const QString &name, const std::function<void(ObjectReader &)> &read);
    /// Each member of a member that is an object.
    void each(const QString &name,
              const std::function<void(const QString &, const LocatedValue &, const QString &)> &read);
    /// Each element of a member that is a list.
    void eachElement(const QString &name,
                     const std::function<void(const LocatedValue &, const QString &)> &read);

    /// Reports at the member, or at the object when it is absent.
    void problem(const QString &name, const QString &message, const QString &hint = {});
    [[nodiscard]] QString pointer(const QString &name) const { return m_pointer + pointerStep(name); }
    [[nodiscard]] bool has(const QString &name) const { return find(name) != nullptr; }
    /// The member without asking for it.
    [[nodiscard]] const LocatedValue *find(const QString &name) const;
    [[nodiscard]] Problems &problems() const { return m_problems; }

    static Template readPattern(const LocatedValue &value, const QString &pointer,
                                const PlaceholderRules &rules, Problems &problems);
    static json::Path readPath(const LocatedValue &value, const QString &pointer, Problems &problems);

private:
    const LocatedValue *takeOf(const QString &name, json::Kind kind, const QString &expected);
    std::optional<qint64> readInteger(const QString &name, qint64 least, qint64 most);
    std::optional<qsizetype> readWord(const QString &name, const QStringList &known);

    const LocatedValue *m_object; ///< nothing when it was no object
    QString m_pointer;
    Problems &m_problems;
    QStringList m_known;
    QStringList m_reportedNulls;
    bool m_leavesRest = false;
};

} // namespace watukuy
