// SPDX-License-Identifier: GPL-3.0-or-later
// Undoes content encodings piece by piece, and knows when a stream ended early.
#pragma once

#include <memory>

#include <QByteArray>
#include <QString>

#include "engine/http/decoder.h"

namespace watukuy::http {

/// Qt's own decompression tells neither a stream that ends early nor how far it has grown, so the
/// transport undoes content encodings itself.
class Inflater {
public:
    using State = Decoder::State;

    /// `encoding` is the value of Content-Encoding; see knows().
    Inflater(const QByteArray &encoding, qint64 limit);

    /// True for gzip, deflate, br, zstd, identity and nothing.
    [[nodiscard]] static bool knows(const QByteArray &encoding);
    /// What can be undone, as Accept-Encoding names it.
    [[nodiscard]] static QByteArray accepted() { return "gzip, deflate, br, zstd"; }

    /// Adds what `piece` decodes to to output().
    State feed(const QByteArray &piece);

    /// True when the input so far is a whole stream. No input at all is a whole empty body.
    [[nodiscard]] bool isWhole() const;
    [[nodiscard]] const QString &reason() const { return m_decoded.reason; }
    [[nodiscard]] QByteArray takeOutput() { return std::move(m_decoded.output); }

private:
    std::unique_ptr<Decoder> m_decoder; ///< none for identity
    Decoded m_decoded;
    bool m_sawInput = false;
};

} // namespace watukuy::http
