// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.h"

#include "app/cli/exitcode.h"
#include "app/cli/platform.h"

#include <algorithm>
#include <array>
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

constexpr std::array colours{Colour::Bold, Colour::Dim, Colour::Good, Colour::Attention, Colour::Bad};
constexpr auto resetSequence = "\x1b[0m"_L1;

/// The colour sequence of ours that `text` begins with, or nothing.
QLatin1StringView sequenceAt(QStringView text)
{
    if (text.startsWith(resetSequence))
        return resetSequence;
    const auto found =
        std::ranges::find_if(colours, [&](Colour colour) { return text.startsWith(sequenceOf(colour)); });
    return found == colours.end() ? QLatin1StringView() : sequenceOf(*found);
}

bool isSteering(QChar character)
{
    const char16_t code = character.unicode();
    const bool isDirection = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
                             code == 0x200E || code == 0x200F || code == 0x061C;
    const bool isUnseen = code == 0x200B || code == 0xFEFF;
    const bool isLineEnd = code == 0x2028 || code == 0x2029;
    return isDirection || isUnseen || isLineEnd ||
           (character.category() == QChar::Other_Control && code != u'\n' && code != u'\t');
}

/// Names and texts of an API reach the terminal: what would steer it is spelled out, but for our colours.
QString harmless(const QString &text)
{
    if (std::ranges::none_of(text, isSteering))
        return text;
    QString shown;
    for (qsizetype at = 0; at < text.size(); ++at) {
        const QChar character = text.at(at);
        if (const auto own = sequenceAt(QStringView(text).sliced(at)); !own.isEmpty()) {
            shown += own;
            at += own.size() - 1;
        } else if (isSteering(character)) {
            shown += u"\\u%1"_s.arg(character.unicode(), 4, 16, QChar(u'0'));
        } else {
            shown += character;
        }
    }
    return shown;
}

QString dressed(Colour colour, const QString &text)
{
    return colour == Colour::Plain ? text : sequenceOf(colour) + text + resetSequence;
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
    write(harmless(text).toUtf8() + '\n');
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
    (void)writeAll(Stream::Messages, harmless(text).toUtf8() + '\n');
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
