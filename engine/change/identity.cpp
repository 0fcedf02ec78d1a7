// SPDX-License-Identifier: GPL-3.0-or-later
#include <QSet>

#include "engine/change/change.h"
#include "engine/json/rawvalue.h"

namespace watukuy::change {

using namespace Qt::StringLiterals;

namespace {

Error noIdentity(const QString &path, const QString &why)
{
    return {.kind = ErrorKind::Validation,
            .name = u"IdentityError"_s,
            .title = u"The item has no identity"_s,
            .detail = u"%1 %2"_s.arg(path.isEmpty() ? u"the item"_s : path, why),
            .nextStep = u"Point \"identity\" at a member that every item has."_s};
}

/// A scalar as it would stand in a URL: number 1 and text "1" are the same.
Result<QString> identityPart(QByteArrayView raw, const json::Path &path)
{
    auto value = json::find(raw, path);
    if (!value)
        return fail(noIdentity(path.text(), u"cannot be read: "_s + value.error().detail));
    if (!*value)
        return fail(noIdentity(path.text(), u"is missing"_s));
    switch ((*value)->kind) {
    case json::Kind::Null:
        return fail(noIdentity(path.text(), u"is null"_s));
    case json::Kind::Object:
        return fail(noIdentity(path.text(), u"is an object"_s));
    case json::Kind::Array:
        return fail(noIdentity(path.text(), u"is an array"_s));
    case json::Kind::Bool:
    case json::Kind::Number:
    case json::Kind::String:
        break;
    }
    QString text = (*value)->scalarText();
    if (text.isEmpty())
        return fail(noIdentity(path.text(), u"is empty"_s));
    return text;
}

} // namespace

Result<QString> identityOf(QByteArrayView raw, const IdentityDefinition &definition)
{
    if (definition.pattern) {
        auto text = definition.pattern->expand([&](const QString &name) -> Result<std::optional<QString>> {
            const auto path = json::Path::parse(name);
            if (!path)
                return fail(path.error());
            auto part = identityPart(raw, *path);
            if (!part)
                return fail(part.error());
            return std::optional(std::move(*part));
        });
        if (!text)
            return fail(text.error());
        return text->value_or(QString());
    }
    QStringList parts;
    for (const json::Path &path : definition.paths) {
        auto part = identityPart(raw, path);
        if (!part)
            return fail(part.error());
        parts.append(std::move(*part));
    }
    return parts.join(u'/');
}

IdentifiedPage identify(const std::vector<QByteArray> &items, const IdentityDefinition &definition)
{
    IdentifiedPage page;
    page.items.reserve(items.size());
    QHash<QString, size_t> places;
    places.reserve(static_cast<qsizetype>(items.size()));
    for (const QByteArray &raw : items) {
        auto identity = identityOf(raw, definition);
        if (!identity) {
            page.invalid.push_back({raw, {}, {{u"identity"_s, identity.error().detail}}});
            continue;
        }
        const auto known = places.constFind(*identity);
        if (known == places.constEnd()) {
            places.insert(*identity, page.items.size());
            page.items.push_back({raw, std::move(*identity)});
            continue;
        }
        IdentifiedItem &before = page.items[*known];
        if (before.raw != raw && !page.unstable.contains(*identity))
            page.unstable.append(*identity);
        before.raw = raw;
    }
    return page;
}

} // namespace watukuy::change
