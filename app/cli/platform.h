// SPDX-License-Identifier: GPL-3.0-or-later
// What differs between operating systems: one file of functions for each of them.
#pragma once

#include <QByteArrayView>
#include <QString>

namespace watukuy::cli {

/// First of all in main(): files of this process are its user's alone, a reader that goes away is an
/// error of the write, and texts are UTF-8.
void prepareProcess();

/// The name that the user logged in with, for the audit log.
[[nodiscard]] QString userName();

enum class Stream { Answers = 1, Messages = 2 };

/// True when colours can be seen there.
[[nodiscard]] bool isTerminal(Stream stream);

/// Writes everything; the answer is errno, 0 when all is out.
[[nodiscard]] int writeAll(Stream stream, QByteArrayView bytes);

} // namespace watukuy::cli
