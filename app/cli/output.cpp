// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.h"

#include "app/cli/exitcode.h"

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <unistd.h>

namespace watukuy::cli {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype largestBuffer = 64 * 1024;

bool colourFits(int descriptor)
{
    return ::isatty(descriptor) == 1 && !qEnvironmentVariableIsSet("NO_COLOR") &&
           qgetenv("TERM") != QByteArrayView("dumb");
}

QLatin1StringView sequenceOf(Colour colour)
{
    switch (colour) {
    case Colour::Plain:
        return {};
    case Colour::Bold:
        return "\x1b[1m"_L1;
    case Colour::Dim:
        return "\x1b[2m"_L1;
    case Colour::Good:
        return "\x1b[32m"_L1;
    case Colour::Attention:
        return "\x1b[33m"_L1;
    case Colour::Bad:
        return "\x1b[31m"_L1;
    }
    return {};
}

QString dressed(Colour colour, const QString &text)
{
    return colour == Colour::Plain ? text : sequenceOf(colour) + text + "\x1b[0m"_L1;
}

/// Writes everything; the answer is errno, 0 when all is out.
int writeAll(int descriptor, QByteArrayView bytes)
{
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

} // namespace

Output::Output(bool json)
    : m_json(json)
    , m_colourAnswers(colourFits(STDOUT_FILENO))
    , m_colourMessages(colourFits(STDERR_FILENO))
{
}

Output::~Output()
{
    flush();
}

void Output::write(const QByteArray &bytes)
{
    m_buffer += bytes;
    if (m_buffer.size() >= largestBuffer)
        flush();
}

void Output::line(const QString &text)
{
    write(text.toUtf8() + '\n');
}

bool Output::flush()
{
    const bool broken = m_readerGone || !m_writeError.isEmpty();
    if (broken || m_buffer.isEmpty()) {
        m_buffer.clear();
        return !broken;
    }
    const int error = writeAll(STDOUT_FILENO, m_buffer);
    m_buffer.clear();
    if (error == 0)
        return true;
    if (error == EPIPE)
        m_readerGone = true;
    else
        m_writeError = QString::fromLocal8Bit(std::strerror(error));
    if (m_onBroken)
        m_onBroken();
    return false;
}

void Output::message(const QString &text)
{
    writeAll(STDERR_FILENO, text.toUtf8() + '\n');
}

int Output::fail(const Error &error)
{
    const QString name = u"watukuy: "_s;
    message((m_colourMessages ? dressed(Colour::Bad, name) : name) + error.oneLine());
    if (!error.nextStep.isEmpty())
        message(u"  "_s + error.nextStep);
    return exitCodeOf(error.kind);
}

QString Output::coloured(Colour colour, const QString &text) const
{
    return m_colourAnswers ? dressed(colour, text) : text;
}

} // namespace watukuy::cli
