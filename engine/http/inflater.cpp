// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/http/inflater.h"

#include <array>

#include <zlib.h>

namespace watukuy::http {

using namespace Qt::StringLiterals;

namespace {

constexpr int gzipWindow = MAX_WBITS + 16;

QByteArray normalised(const QByteArray &encoding)
{
    const QByteArray name = encoding.trimmed().toLower();
    if (name == "x-gzip")
        return "gzip";
    return name == "identity" ? QByteArray() : name;
}

/// RFC 1950: the first two bytes of a zlib stream. Some servers send raw deflate instead.
bool isZlib(const QByteArray &bytes)
{
    const auto first = static_cast<unsigned char>(bytes[0]);
    const auto second = static_cast<unsigned char>(bytes[1]);
    return (first & 0x0f) == Z_DEFLATED && (first * 256 + second) % 31 == 0;
}

} // namespace

struct Inflater::Stream {
    explicit Stream(int windowBits) { ok = inflateInit2(&z, windowBits) == Z_OK; }
    ~Stream() { inflateEnd(&z); }
    Q_DISABLE_COPY_MOVE(Stream)

    z_stream z{};
    bool ok = false;
};

Inflater::Inflater(const QByteArray &encoding, qint64 limit)
    : m_encoding(normalised(encoding))
    , m_limit(limit)
{
}

Inflater::~Inflater() = default;

bool Inflater::knows(const QByteArray &encoding)
{
    const QByteArray name = normalised(encoding);
    return name.isEmpty() || name == "gzip" || name == "deflate";
}

Inflater::State Inflater::feed(const QByteArray &piece)
{
    if (piece.isEmpty())
        return State::Going;
    m_sawInput = true;
    if (m_encoding.isEmpty()) {
        if (m_output.size() + piece.size() > m_limit)
            return State::TooLarge;
        m_output += piece;
        return State::Going;
    }
    if (m_stream)
        return inflate(piece);
    m_pending += piece;
    if (m_pending.size() < 2)
        return State::Going;
    if (!open(m_pending)) {
        m_reason = u"no memory to decompress"_s;
        return State::Broken;
    }
    return inflate(std::exchange(m_pending, {}));
}

bool Inflater::open(const QByteArray &firstBytes)
{
    const int window = m_encoding == "gzip" ? gzipWindow : isZlib(firstBytes) ? MAX_WBITS : -MAX_WBITS;
    m_stream = std::make_unique<Stream>(window);
    return m_stream->ok;
}

Inflater::State Inflater::inflate(const QByteArray &piece)
{
    z_stream &z = m_stream->z;
    z.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(piece.constData()));
    z.avail_in = static_cast<uInt>(piece.size());
    std::array<char, 64 * 1024> buffer;
    z.avail_out = 1;
    while (z.avail_in > 0 || (z.avail_out == 0 && !m_ended)) {
        if (m_ended) {
            // RFC 1952 2.2: members may follow each other. Padding after the last one is passed over.
            if (m_encoding != "gzip" || *z.next_in != 0x1f)
                return State::Going;
            inflateReset(&z);
            m_ended = false;
        }
        z.next_out = reinterpret_cast<Bytef *>(buffer.data());
        z.avail_out = buffer.size();
        const int result = ::inflate(&z, Z_NO_FLUSH);
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
            m_reason = z.msg ? QString::fromLatin1(z.msg) : u"zlib error %1"_s.arg(result);
            return State::Broken;
        }
        const qsizetype produced = qsizetype(buffer.size()) - qsizetype(z.avail_out);
        if (m_output.size() + produced > m_limit)
            return State::TooLarge;
        m_output.append(buffer.data(), produced);
        m_ended = result == Z_STREAM_END;
    }
    return State::Going;
}

bool Inflater::isWhole() const
{
    return m_encoding.isEmpty() || !m_sawInput || m_ended;
}

} // namespace watukuy::http
