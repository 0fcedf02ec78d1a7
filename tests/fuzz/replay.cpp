// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a fuzz target over files without libFuzzer, so that a found input stays a regression test.
#include <cstdio>

#include <QDirIterator>
#include <QFile>
#include <QFileInfo>

#include "tests/fuzz/property.h"

namespace {

QStringList filesOf(const QString &argument)
{
    if (!QFileInfo(argument).isDir())
        return {argument};
    QStringList files;
    for (QDirIterator entries(argument, QDir::Files, QDirIterator::Subdirectories); entries.hasNext();)
        files.append(entries.next());
    files.sort();
    return files;
}

} // namespace

int main(int count, char **arguments)
{
    qsizetype replayed = 0;
    for (int at = 1; at < count; ++at) {
        for (const QString &name : filesOf(QString::fromLocal8Bit(arguments[at]))) {
            QFile file(name);
            if (!file.open(QIODevice::ReadOnly)) {
                std::fprintf(stderr, "%s cannot be read\n", qPrintable(name));
                return 1;
            }
            std::fprintf(stderr, "%s\n", qPrintable(name)); // the last one named is the one that failed
            const QByteArray input = file.readAll();
            (void)LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(input.constData()),
                                         static_cast<size_t>(input.size()));
            ++replayed;
        }
    }
    std::printf("%lld inputs replayed\n", static_cast<long long>(replayed));
    return replayed > 0 ? 0 : 1;
}
