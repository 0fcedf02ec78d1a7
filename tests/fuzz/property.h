// SPDX-License-Identifier: GPL-3.0-or-later
// What the fuzzers share: properties that end the run with a message, and choices made by input bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include <QByteArray>
#include <QByteArrayView>
#include <QString>

namespace fuzz {

/// One value that a broken property shows.
struct Shown {
    Shown(const char *what_, const QByteArray &value_)
        : what(what_)
        , value(value_)
    {
    }
    Shown(const char *what_, const QString &value_)
        : what(what_)
        , value(value_.toUtf8())
    {
    }
    Shown(const char *what_, const char *value_)
        : what(what_)
        , value(value_)
    {
    }
    Shown(const char *what_, qint64 value_)
        : what(what_)
        , value(QByteArray::number(value_))
    {
    }

    const char *what;
    QByteArray value;
};

/// Printable ASCII as it is, every other byte as \xHH.
inline QByteArray escaped(QByteArrayView bytes)
{
    QByteArray text;
    for (const char byte : bytes) {
        if (byte >= 0x20 && byte < 0x7f && byte != '\\')
            text += byte;
        else
            text += "\\x" + QByteArray::number(static_cast<unsigned char>(byte), 16).rightJustified(2, '0');
    }
    return text;
}

/// Ends the process with `property` and the values on stderr when `holds` is false: libFuzzer then
/// keeps the input, and a replay fails.
inline void require(bool holds, const char *property, std::initializer_list<Shown> values = {})
{
    if (holds)
        return;
    std::fprintf(stderr, "broken property: %s\n", property);
    for (const Shown &shown : values)
        std::fprintf(stderr, "  %s: %s\n", shown.what, escaped(shown.value).constData());
    std::abort();
}

/// The input: a few bytes that choose, and what they choose for.
class Input {
public:
    Input(const uint8_t *data, size_t size)
        : m_bytes(reinterpret_cast<const char *>(data), static_cast<qsizetype>(size))
    {
    }

    /// The next byte, 0 at the end.
    uint8_t byte()
    {
        if (m_bytes.isEmpty())
            return 0;
        const auto first = static_cast<uint8_t>(m_bytes.front());
        m_bytes = m_bytes.sliced(1);
        return first;
    }

    /// One of `count`, by the next byte.
    size_t choice(size_t count) { return byte() % count; }

    /// All that is left.
    [[nodiscard]] QByteArray rest() const { return m_bytes.toByteArray(); }

private:
    QByteArrayView m_bytes;
};

} // namespace fuzz

/// The function that libFuzzer and the replay call; 0 = go on.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
