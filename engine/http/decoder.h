// SPDX-License-Identifier: GPL-3.0-or-later
// One content encoding each: bytes as they come in, the body out.
#pragma once

#include <memory>

#include <QByteArray>
#include <QString>

namespace watukuy::http {

/// Where decoded bytes go.
struct Decoded {
    qint64 limit = 0;
    QByteArray output;
    QString reason; ///< why the input is broken

    /// False, and nothing added, when it would pass the limit.
    bool add(const char *bytes, size_t size)
    {
        if (output.size() + static_cast<qint64>(size) > limit)
            return false;
        output.append(bytes, static_cast<qsizetype>(size));
        return true;
    }
};

/// Undoes one content encoding piece by piece.
class Decoder {
public:
    enum class State {
        Going,    ///< more may come
        Broken,   ///< not what Content-Encoding said
        TooLarge, ///< the output would pass the limit
    };

    Decoder() = default;
    virtual ~Decoder() = default;
    Q_DISABLE_COPY_MOVE(Decoder)

    virtual State feed(const QByteArray &piece, Decoded &into) = 0;
    /// The input so far is a whole stream.
    [[nodiscard]] virtual bool isWhole() const = 0;
};

/// RFC 1952.
[[nodiscard]] std::unique_ptr<Decoder> makeGzipDecoder();
/// RFC 1950, and raw RFC 1951, which some servers send under the same name.
[[nodiscard]] std::unique_ptr<Decoder> makeDeflateDecoder();
/// RFC 7932.
[[nodiscard]] std::unique_ptr<Decoder> makeBrotliDecoder();
/// RFC 8878. Windows beyond 8 MB are refused, as RFC 9659 asks of HTTP.
[[nodiscard]] std::unique_ptr<Decoder> makeZstdDecoder();

} // namespace watukuy::http
