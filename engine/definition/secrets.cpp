// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/definition/secrets.h"

#include <algorithm>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QUrl>

#include "engine/json/rawvalue.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype shortestRedacted = 4;
const QString bullets = u"••••"_s;

Error secretError(const QString &reference, const QString &detail, const QString &nextStep)
{
    return {.kind = ErrorKind::Secret,
            .name = u"SecretError"_s,
            .title = u"The secret ${%1} cannot be read"_s.arg(reference),
            .detail = detail,
            .nextStep = nextStep};
}

Result<QString> fromEnvironment(const QString &reference, const QString &name)
{
    const QByteArray variable = name.toLocal8Bit();
    if (!qEnvironmentVariableIsSet(variable.constData()))
        return fail(secretError(reference, u"The environment variable %1 is not set."_s.arg(name),
                                u"Set it for the program that runs the engine."_s));
    return qEnvironmentVariable(variable.constData());
}

Result<QString> fromFile(const QString &reference, const QString &path)
{
    constexpr qint64 longest = 1024 * 1024;
    const auto refused = [&](const QString &why) {
        return fail(secretError(reference, u"%1: %2."_s.arg(path, why),
                                u"Create the file with mode 0600 and the secret as its only content."_s));
    };
    if (QFileInfo(path).isDir())
        return refused(u"it is a folder"_s);
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return refused(file.errorString());
    QByteArray content = file.read(longest + 1);
    if (file.error() != QFileDevice::NoError)
        return refused(file.errorString());
    if (content.size() > longest)
        return refused(u"it is larger than 1 MB"_s);
    if (content.endsWith('\n'))
        content.chop(content.endsWith("\r\n") ? 2 : 1);
    return QString::fromUtf8(content);
}

/// The forms in which a value can stand in a message, the value itself first.
QStringList spellings(const QString &value)
{
    const QByteArray utf8 = value.toUtf8();
    QString json = QString::fromUtf8(json::quoted(value));
    json = json.mid(1, json.size() - 2);
    QStringList all{
        value, QString::fromLatin1(QUrl::toPercentEncoding(value)), QString::fromLatin1(utf8.toBase64()),
        QString::fromLatin1(utf8.toBase64(QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals)),
        json};
    all.removeDuplicates();
    return all;
}

} // namespace

Secrets::Secrets(QString folder)
    : m_folder(std::move(folder))
{
}

bool Secrets::isReference(QStringView placeholder)
{
    return placeholder.startsWith(u"keychain:") || placeholder.startsWith(u"env:") ||
           placeholder.startsWith(u"file:");
}

Result<QString> Secrets::resolve(const QString &reference)
{
    if (const auto known = m_values.constFind(reference); known != m_values.constEnd())
        return *known;
    const qsizetype colon = reference.indexOf(u':');
    const QString kind = reference.left(colon);
    const QString name = reference.mid(colon + 1);
    if (kind == u"keychain")
        return fail(secretError(reference,
                                u"The keychain gave no entry \"%1\" of the service Watukuy."_s.arg(name),
                                keychainNextStep(name)));
    const auto value =
        kind == u"env" ? fromEnvironment(reference, name) : fromFile(reference, *pathOf(reference));
    if (value)
        m_values.insert(reference, *value);
    return value;
}

void Secrets::provide(const QString &reference, const QString &value)
{
    m_values.insert(reference, value);
}

void Secrets::replace(const QString &reference, const QString &value)
{
    if (m_values.value(reference) != value)
        forget(reference);
    m_values.insert(reference, value);
}

void Secrets::forget(const QString &reference)
{
    if (const QString before = m_values.take(reference); !before.isEmpty())
        m_values.insert(u"before:"_s + reference, before);
}

std::optional<QString> Secrets::pathOf(const QString &reference) const
{
    if (!reference.startsWith(u"file:"))
        return {};
    return QDir(m_folder).absoluteFilePath(reference.mid(5));
}

QString Secrets::redact(QString text) const
{
    QStringList hidden;
    for (const QString &value : m_values) {
        if (value.size() >= shortestRedacted)
            hidden += spellings(value);
    }
    // A value that is part of a longer one must not leave the rest of it readable.
    std::ranges::stable_sort(hidden, std::greater{}, &QString::size);
    for (const QString &spelling : std::as_const(hidden))
        text.replace(spelling, bullets);
    return text;
}

QString Secrets::keychainNextStep(const QString &name)
{
#if defined(Q_OS_WIN)
    const QString add = u"cmdkey /generic:Watukuy/%1 /user:%1 /pass"_s.arg(name);
#elif defined(Q_OS_MACOS)
    const QString add = u"security add-generic-password -s Watukuy -a \"%1\" -w"_s.arg(name);
#else
    const QString add =
        u"secret-tool store --label=\"Watukuy %1\" server Watukuy user \"%1\" type plaintext"_s.arg(name);
#endif
    return u"Unlock the keychain, add the entry (%1), or use ${env:NAME} or ${file:PATH}."_s.arg(add);
}

} // namespace watukuy
