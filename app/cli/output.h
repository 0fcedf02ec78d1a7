// SPDX-License-Identifier: GPL-3.0-or-later
// Where a command's words go: answers to stdout, messages to stderr, colour only on a terminal.
#pragma once

#include <functional>

#include <QByteArray>
#include <QString>

#include "engine/model/error.h"

namespace watukuy::cli {

enum class Colour { Plain, Bold, Dim, Good, Attention, Bad };

/// The two streams of a command. One thread.
class Output {
public:
    explicit Output(bool json);
    ~Output();
    Q_DISABLE_COPY_MOVE(Output)

    [[nodiscard]] bool json() const { return m_json; }

    /// Answers: text for stdout, buffered until flush() or 64 KB. A line, and a message, shows what would
    /// steer a terminal as `\u001b`.
    void write(const QByteArray &bytes);
    void line(const QString &text);
    /// Writes the buffer out. False when stdout takes no more.
    bool flush();

    /// Messages: one line for stderr, at once.
    void message(const QString &text);
    /// Says what failed, why and what to do; returns the exit code that goes with it.
    int fail(const Error &error);

    /// True when the reader of stdout has gone: nothing is wrong, and nothing more is wanted.
    [[nodiscard]] bool readerGone() const { return m_readerGone; }
    /// What stdout answered when it could not take more for another reason (disk full), or nothing.
    [[nodiscard]] const QString &writeError() const { return m_writeError; }
    /// Called once, when stdout takes no more.
    void onBroken(std::function<void()> broken) { m_onBroken = std::move(broken); }

    /// `text` in a colour, when answers go to a terminal.
    [[nodiscard]] QString coloured(Colour colour, const QString &text) const;

private:
    bool m_json;
    bool m_colourAnswers;
    bool m_colourMessages;
    bool m_readerGone = false;
    QString m_writeError;
    QByteArray m_buffer;
    std::function<void()> m_onBroken;
};

} // namespace watukuy::cli
