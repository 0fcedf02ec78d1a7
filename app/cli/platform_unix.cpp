// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/platform.h"

#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstring>
#include <langinfo.h>
#include <poll.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace watukuy::cli {

void prepareProcess()
{
    ::umask(0077);
    std::signal(SIGPIPE, SIG_IGN);
    // Programs started by cron have no locale, and Qt would complain about it on every start.
    std::setlocale(LC_CTYPE, "");
    if (std::strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
        qputenv("LC_ALL", "C.UTF-8");
}

QString userName()
{
    const passwd *user = ::getpwuid(::getuid());
    return user ? QString::fromLocal8Bit(user->pw_name) : QString::number(::getuid());
}

bool isTerminal(Stream stream)
{
    return ::isatty(static_cast<int>(stream)) == 1;
}

int writeAll(Stream stream, QByteArrayView bytes)
{
    const int descriptor = static_cast<int>(stream);
    while (!bytes.isEmpty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), static_cast<size_t>(bytes.size()));
        if (written >= 0) {
            bytes = bytes.sliced(written);
        } else if (errno == EAGAIN) {
            pollfd ready{descriptor, POLLOUT, 0}; // somebody made the stream non-blocking
            ::poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

} // namespace watukuy::cli
