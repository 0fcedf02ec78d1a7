// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/definition/template.h"

#include "engine/definition/secrets.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

Error templateError(const QString &text, const QString &detail)
{
    return {.kind = ErrorKind::Workspace,
            .name = u"TemplateError"_s,
            .title = u"\"%1\" cannot be used"_s.arg(text),
            .detail = detail,
            .nextStep = u"Write placeholders as ${name}; $${ writes a literal ${."_s};
}

} // namespace

Result<Template> Template::parse(const QString &text)
{
    Template result;
    result.m_text = text;
    QString plain;
    for (qsizetype at = 0; at < text.size();) {
        if (QStringView(text).sliced(at).startsWith(u"$${")) {
            plain += u"${"_s;
            at += 3;
            continue;
        }
        if (!QStringView(text).sliced(at).startsWith(u"${")) {
            plain += text.at(at++);
            continue;
        }
        const qsizetype end = text.indexOf(u'}', at);
        if (end < 0)
            return fail(templateError(text, u"A ${ is never closed."_s));
        const QString name = text.mid(at + 2, end - at - 2).trimmed();
        if (name.isEmpty())
            return fail(templateError(text, u"A placeholder has no name."_s));
        if (name.contains(u'{') || name.contains(u'\n'))
            return fail(templateError(text, u"A ${ is never closed."_s));
        if (!plain.isEmpty())
            result.m_parts.push_back({std::exchange(plain, {}), false});
        result.m_parts.push_back({name, true});
        at = end + 1;
    }
    if (!plain.isEmpty())
        result.m_parts.push_back({plain, false});
    return result;
}

Result<std::optional<QString>> Template::expand(const Lookup &lookup) const
{
    QString text;
    for (const Part &part : m_parts) {
        if (!part.placeholder) {
            text += part.text;
            continue;
        }
        auto value = lookup(part.text);
        if (!value)
            return fail(value.error());
        if (!*value) {
            if (m_parts.size() == 1)
                return std::optional<QString>();
            return fail(
                templateError(m_text, u"${%1} is null here and stands inside longer text."_s.arg(part.text)));
        }
        text += **value;
    }
    return std::optional(text);
}

QStringList Template::placeholders() const
{
    QStringList names;
    for (const Part &part : m_parts) {
        if (part.placeholder)
            names.append(part.text);
    }
    return names;
}

bool Template::uses(QStringView prefix) const
{
    return std::ranges::any_of(
        m_parts, [&](const Part &part) { return part.placeholder && part.text.startsWith(prefix); });
}

bool Template::usesSecret() const
{
    return std::ranges::any_of(
        m_parts, [](const Part &part) { return part.placeholder && Secrets::isReference(part.text); });
}

} // namespace watukuy
