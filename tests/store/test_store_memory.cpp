// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCoreApplication>

#include "tests/store/contract.h"

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    return watukuy::contract::runContract(
        [] { return watukuy::makeStore(watukuy::MemoryStoreDefinition{}).value(); },
        QCoreApplication::arguments());
}
