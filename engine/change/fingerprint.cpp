// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/change/change.h"
#include "engine/json/canonical.h"
#include "engine/json/rawvalue.h"

namespace watukuy::change {

namespace {

/// The object `{path: value}` of the chosen paths; absent ones are left out.
Result<QByteArray> chosenObject(QByteArrayView raw, const std::vector<json::Path> &paths)
{
    QByteArray object = "{";
    for (const json::Path &path : paths) {
        auto value = json::find(raw, path);
        if (!value)
            return fail(value.error());
        if (!*value)
            continue;
        if (object.size() > 1)
            object += ',';
        object += json::quoted(path.text()) + ':' + (*value)->text;
    }
    return object + '}';
}

} // namespace

std::optional<QString> versionOf(QByteArrayView raw, const PollerDefinition &poller)
{
    if (!poller.version)
        return {};
    const auto value = json::find(raw, *poller.version);
    if (!value || !*value || (*value)->kind == json::Kind::Null)
        return {};
    if ((*value)->kind == json::Kind::Object || (*value)->kind == json::Kind::Array)
        return QString::fromUtf8((*value)->text);
    return (*value)->scalarText();
}

Result<Fingerprint> fingerprintOf(QByteArrayView raw, const PollerDefinition &poller)
{
    Result<json::Canonical> canonical;
    switch (poller.fingerprint.mode) {
    case FingerprintDefinition::Mode::Whole:
        canonical = json::canonicalise(raw);
        break;
    case FingerprintDefinition::Mode::Exclude:
        canonical = json::canonicalise(raw, poller.fingerprint.paths);
        break;
    case FingerprintDefinition::Mode::Chosen: {
        const auto object = chosenObject(raw, poller.fingerprint.paths);
        if (!object)
            return fail(object.error());
        canonical = json::canonicalise(*object);
        break;
    }
    }
    if (!canonical)
        return fail(canonical.error());
    return Fingerprint{versionOf(raw, poller), json::sha256(canonical->text), canonical->duplicateNames};
}

} // namespace watukuy::change
