// SPDX-License-Identifier: GPL-3.0-or-later
// Texts with `${...}` placeholders (spec-workspace, "Placeholders").
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <QString>
#include <QStringList>

#include "engine/model/error.h"

namespace watukuy {

/// A text with placeholders, parsed once. `$${` writes a literal `${`.
class Template {
public:
    Template() = default;

    /// ErrorKind::Workspace on an unclosed or empty placeholder.
    [[nodiscard]] static Result<Template> parse(const QString &text);

    /// What a placeholder stands for; nothing = null. An Error aborts the expansion.
    using Lookup = std::function<Result<std::optional<QString>>(const QString &name)>;

    /// The text with every placeholder replaced. A text that is exactly one placeholder which is
    /// null gives nothing (the member is left out); null inside longer text is an error.
    [[nodiscard]] Result<std::optional<QString>> expand(const Lookup &lookup) const;

    [[nodiscard]] const QString &text() const { return m_text; }
    [[nodiscard]] QStringList placeholders() const;
    /// True when some placeholder starts with `prefix`, e.g. "cursor." or "page".
    [[nodiscard]] bool uses(QStringView prefix) const;
    /// True when a placeholder is a secret reference (`keychain:`, `env:`, `file:`).
    [[nodiscard]] bool usesSecret() const;
    [[nodiscard]] bool isEmpty() const { return m_text.isEmpty(); }

    bool operator==(const Template &other) const { return m_text == other.m_text; }

private:
    struct Part {
        QString text;
        bool placeholder = false;
    };
    QString m_text;
    std::vector<Part> m_parts;
};

} // namespace watukuy
