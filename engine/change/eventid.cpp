// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/change/change.h"
#include "engine/json/canonical.h"
#include "engine/json/rawvalue.h"

namespace watukuy::change {

namespace {

void addEscaped(QByteArray &material, const QString &part)
{
    material += '|';
    for (const char character : json::wellFormed(part).toUtf8()) {
        if (character == '\\' || character == '|')
            material += '\\';
        material += character;
    }
}

} // namespace

QByteArray eventMaterial(const QString &source, const QString &partition, const QString &identity,
                         const QString &versionOrHash, int schemaVersion, EventType type, qint64 revision)
{
    QByteArray material = "watukuy|v1";
    addEscaped(material, source);
    addEscaped(material, partition);
    addEscaped(material, identity);
    addEscaped(material, versionOrHash);
    addEscaped(material, QString::number(schemaVersion));
    addEscaped(material, toString(type));
    if (revision > 1)
        addEscaped(material, QString::number(revision));
    return material;
}

EventId eventId(const QString &source, const QString &partition, const QString &identity,
                const QString &versionOrHash, int schemaVersion, EventType type, qint64 revision)
{
    return json::sha256(
        eventMaterial(source, partition, identity, versionOrHash, schemaVersion, type, revision));
}

} // namespace watukuy::change
