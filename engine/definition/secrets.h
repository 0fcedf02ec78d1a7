// SPDX-License-Identifier: GPL-3.0-or-later
// Secret references: `keychain:NAME`, `env:NAME`, `file:PATH`. Values live in memory only.
#pragma once

#include <optional>

#include <QString>
#include <QStringList>

#include "engine/model/error.h"

namespace watukuy {

/// Resolves secret references and remembers their values for redaction. Each engine has one; used
/// on the engine thread. Keychain entries are read ahead of time by preload(), since the keychain
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

    /// `text` with every resolved value (also percent-encoded and base64) replaced by `••••`.
    [[nodiscard]] QString redact(QString text) const;

private:
    QString m_folder;
    QHash<QString, QString> m_values;
};

} // namespace watukuy
