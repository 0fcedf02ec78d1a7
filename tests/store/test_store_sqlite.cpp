// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCoreApplication>
#include <QTemporaryDir>

#include "tests/store/contract.h"

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    const QTemporaryDir folder;
    int files = 0;
    return watukuy::contract::runContract(
        [&] {
            const QString path = folder.filePath(QString::number(++files) + QStringLiteral(".db"));
            return watukuy::makeStore(watukuy::SqliteStoreDefinition{path}).value();
        },
        QCoreApplication::arguments());
}
