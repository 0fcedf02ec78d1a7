// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/translation.h"

#include <QLocale>
#include <QTranslator>

namespace watukuy::cli {

void installTranslation(QCoreApplication &application)
{
    auto *translator = new QTranslator(&application);
    const QString folder = QStringLiteral(":/watukuy/i18n");
    if (translator->load(QLocale(), QStringLiteral("watukuy"), QStringLiteral("_"), folder) ||
        translator->load(QStringLiteral("watukuy_en"), folder))
        QCoreApplication::installTranslator(translator);
}

} // namespace watukuy::cli
