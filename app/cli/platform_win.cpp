// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/platform.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <io.h>
#include <limits>
#include <windows.h>

namespace watukuy::cli {

void prepareProcess()
{
    ::SetConsoleOutputCP(CP_UTF8);
    for (const Stream stream : {Stream::Answers, Stream::Messages})
        ::_setmode(static_cast<int>(stream), _O_BINARY);
}

QString userName()
{
    return qEnvironmentVariable("USERNAME");
}

bool isTerminal(Stream stream)
{
    return ::_isatty(static_cast<int>(stream)) != 0;
}

int writeAll(Stream stream, QByteArrayView bytes)
{
    while (!bytes.isEmpty()) {
        const auto piece =
            static_cast<unsigned>(std::min<qsizetype>(bytes.size(), std::numeric_limits<int>::max()));
        const int written = ::_write(static_cast<int>(stream), bytes.data(), piece);
        if (written < 0)
            return errno;
        bytes = bytes.sliced(written);
    }
    return 0;
}

} // namespace watukuy::cli
