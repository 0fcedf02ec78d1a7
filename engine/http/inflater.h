// SPDX-License-Identifier: GPL-3.0-or-later
// Undoes gzip and deflate piece by piece, and knows when a stream ended early.
#pragma once

#include <memory>

#include <QByteArray>
#include <QString>

namespace watukuy::http {

/// Qt's own decompression tells neither a stream that ends early nor how far it has grown, so the
/// transport undoes content encodings itself.
class Inflater {
public:
    enum class State {
        Going,    ///< more may come
        Broken,   ///< not what Content-Encoding said
        TooLarge, ///< the output would pass the limit
    };

    /// `encoding` is the value of Content-Encoding; see knows().
    Inflater(const QByteArray &encoding, qint64 limit);
    ~Inflater();
    Q_DISABLE_COPY_MOVE(Inflater)

    /// True for gzip, deflate, identity and nothing.
    [[nodiscard]] static bool knows(const QByteArray &encoding);

    /// Adds what `piece` decodes to to output().
    State feed(const QByteArray &piece);

    /// True when the input so far is a whole stream. No input at all is a whole empty body.
    [[nodiscard]] bool isWhole() const;
    [[nodiscard]] const QString &reason() const { return m_reason; }
    [[nodiscard]] QByteArray takeOutput() { return std::move(m_output); }

private:
    struct Stream;
    State inflate(const QByteArray &piece);
    bool open(const QByteArray &firstBytes);

    QByteArray m_encoding;
    qint64 m_limit;
    QByteArray m_pending; ///< first bytes, until they tell zlib from raw deflate
    QByteArray m_output;
    QString m_reason;
    std::unique_ptr<Stream> m_stream;
    bool m_ended = false;
    bool m_sawInput = false;
};

} // namespace watukuy::http
