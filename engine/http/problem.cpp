// SPDX-License-Identifier: GPL-3.0-or-later
// What an error body says: RFC 9457, and the shapes that APIs used before it.
#include <array>

#include "engine/http/headers.h"
#include "engine/json/rawvalue.h"

namespace watukuy::http {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype longestBody = 256 * 1024;
constexpr qsizetype longestText = 500;

QString oneLine(QString text)
{
    text = text.simplified();
    return text.size() > longestText ? text.left(longestText - 1) + u'…' : text;
}

QString textAt(QByteArrayView body, const QString &path)
{
    const auto parsed = json::Path::parse(path);
    if (!parsed)
        return {};
    const auto found = json::find(body, *parsed);
    if (!found || !*found || ((*found)->kind != json::Kind::String && (*found)->kind != json::Kind::Number))
        return {};
    return oneLine((*found)->scalarText());
}

QString firstOf(QByteArrayView body, std::initializer_list<QLatin1StringView> paths)
{
    for (const QLatin1StringView path : paths) {
        if (QString text = textAt(body, QString(path)); !text.isEmpty())
            return text;
    }
    return {};
}

} // namespace

Problem readProblem(QByteArrayView contentType, QByteArrayView body)
{
    const QByteArrayView text = body.trimmed();
    const bool declared = contentType.toByteArray().toLower().contains("json");
    if (text.isEmpty() || text.size() > longestBody ||
        (!declared && text.front() != '{' && text.front() != '['))
        return {};
    Problem problem;
    problem.title = firstOf(text, {"title"_L1, "error.message"_L1, "errors.0.title"_L1, "errors.0.message"_L1,
                                   "message"_L1, "error_description"_L1, "error.title"_L1, "error"_L1,
                                   "Message"_L1, "fault.faultstring"_L1, "errors.0"_L1, "0.message"_L1});
    problem.detail =
        firstOf(text, {"detail"_L1, "error.detail"_L1, "errors.0.detail"_L1, "error_description"_L1,
                       "error.description"_L1, "details"_L1, "description"_L1, "error.code"_L1, "code"_L1});
    if (problem.title.isEmpty())
        std::swap(problem.title, problem.detail);
    if (problem.detail == problem.title)
        problem.detail.clear();
    return problem;
}

} // namespace watukuy::http
