// SPDX-License-Identifier: GPL-3.0-or-later
// The translation context of everything the command line says to people.
#pragma once

#include <QCoreApplication>

namespace watukuy::cli {

/// `Text::tr("...")` from free functions.
struct Text {
    Q_DECLARE_TR_FUNCTIONS(Cli)
};

/// Texts in the user's language, when there is one.
void installTranslation(QCoreApplication &application);

} // namespace watukuy::cli
