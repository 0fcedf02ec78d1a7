// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.h"

#include "app/cli/exitcode.h"
#include "app/cli/platform.h"

#include <cerrno>
#include <cstring>

namespace watukuy::cli {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype largestBuffer = 64 * 1024;

bool colourFits(Stream stream)
{
    return isTerminal(stream) && !qEnvironmentVariableIsSet("NO_COLOR") &&
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

} // namespace

Output::Output(bool json)
    : m_json(json)
    , m_colourAnswers(colourFits(Stream::Answers))
    , m_colourMessages(colourFits(Stream::Messages))
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
    const int error = writeAll(Stream::Answers, m_buffer);
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
    (void)writeAll(Stream::Messages, text.toUtf8() + '\n');
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
