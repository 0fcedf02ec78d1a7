// SPDX-License-Identifier: GPL-3.0-or-later
// Secret references: `keychain:NAME`, `env:NAME`, `file:PATH`. Values live in memory only.
#pragma once

#include <optional>

#include <QHash>
#include <QString>
#include <QStringList>

#include "engine/model/error.h"

namespace watukuy {

/// Resolves secret references and remembers their values for redaction. Each engine has one; used
/// on the engine thread. Keychain entries are read ahead of time by readKeychain(), since the keychain
/// answers asynchronously.
class Secrets {
public:
    explicit Secrets(QString folder);

    /// True for `keychain:…`, `env:…` and `file:…`.
    [[nodiscard]] static bool isReference(QStringView placeholder);

    /// The value of a reference. ErrorKind::Secret names the reference, never a value.
    [[nodiscard]] Result<QString> resolve(const QString &reference);

    /// Hands in a value that a keychain reference has (`keychain:NAME`).
    void provide(const QString &reference, const QString &value);

    /// A value that has changed; the one before stays redacted.
    void replace(const QString &reference, const QString &value);

    /// The next resolve() reads it again; its value until now stays redacted.
    void forget(const QString &reference);

    /// The absolute path of a `file:` reference, nothing for others.
    [[nodiscard]] std::optional<QString> pathOf(const QString &reference) const;

    /// `text` with every resolved value of at least four characters (also percent-encoded, base64 and
    /// escaped as in JSON) replaced by `••••`.
    [[nodiscard]] QString redact(QString text) const;

    /// How to add the keychain entry `name` on this system.
    [[nodiscard]] static QString keychainNextStep(const QString &name);

private:
    QString m_folder;
    QHash<QString, QString> m_values;
};

} // namespace watukuy
