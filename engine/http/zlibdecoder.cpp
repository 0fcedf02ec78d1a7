// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include <zlib.h>

#include "engine/http/decoder.h"

namespace watukuy::http {

using namespace Qt::StringLiterals;

namespace {

constexpr int gzipWindow = MAX_WBITS + 16;

/// RFC 1950: the first two bytes of a zlib stream.
bool isZlib(const QByteArray &bytes)
{
    const auto first = static_cast<unsigned char>(bytes[0]);
    const auto second = static_cast<unsigned char>(bytes[1]);
    return (first & 0x0f) == Z_DEFLATED && (first * 256 + second) % 31 == 0;
}

class ZlibDecoder final : public Decoder {
public:
    explicit ZlibDecoder(bool isGzip)
        : m_isGzip(isGzip)
    {
    }
    ~ZlibDecoder() override
    {
        if (m_isOpen)
            inflateEnd(&m_stream);
    }

    State feed(const QByteArray &piece, Decoded &into) override
    {
        if (m_isOpen)
            return inflate(piece, into);
        m_pending += piece; // the first bytes tell zlib from raw deflate
        if (m_pending.size() < 2)
            return State::Going;
        const int window = m_isGzip ? gzipWindow : isZlib(m_pending) ? MAX_WBITS : -MAX_WBITS;
        if (inflateInit2(&m_stream, window) != Z_OK) {
            into.reason = u"no memory to decompress"_s;
            return State::Broken;
        }
        m_isOpen = true;
        return inflate(std::exchange(m_pending, {}), into);
    }

    [[nodiscard]] bool isWhole() const override { return m_ended; }

private:
    State inflate(const QByteArray &piece, Decoded &into)
    {
        m_stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(piece.constData()));
        m_stream.avail_in = static_cast<uInt>(piece.size());
        std::array<char, 64 * 1024> buffer;
        m_stream.avail_out = 1;
        while (m_stream.avail_in > 0 || (m_stream.avail_out == 0 && !m_ended)) {
            if (m_ended) {
                // RFC 1952 2.2: members may follow each other. Padding after the last one is passed over.
                m_onlyPadding = m_onlyPadding || !m_isGzip || *m_stream.next_in != 0x1f;
                if (m_onlyPadding)
                    return State::Going;
                inflateReset(&m_stream);
                m_ended = false;
            }
            m_stream.next_out = reinterpret_cast<Bytef *>(buffer.data());
            m_stream.avail_out = buffer.size();
            const int result = ::inflate(&m_stream, Z_NO_FLUSH);
            if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
                into.reason =
                    m_stream.msg ? QString::fromLatin1(m_stream.msg) : u"zlib error %1"_s.arg(result);
                return State::Broken;
            }
            if (!into.add(buffer.data(), buffer.size() - m_stream.avail_out))
                return State::TooLarge;
            m_ended = result == Z_STREAM_END;
        }
        return State::Going;
    }

    const bool m_isGzip;
    z_stream m_stream{};
    QByteArray m_pending;
    bool m_isOpen = false;
    bool m_ended = false;
    bool m_onlyPadding = false; ///< what still comes is passed over
};

} // namespace

std::unique_ptr<Decoder> makeGzipDecoder()
{
    return std::make_unique<ZlibDecoder>(true);
}

std::unique_ptr<Decoder> makeDeflateDecoder()
{
    return std::make_unique<ZlibDecoder>(false);
}

} // namespace watukuy::http
