// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/http/inflater.h"

namespace watukuy::http {

namespace {

QByteArray normalised(const QByteArray &encoding)
{
    const QByteArray name = encoding.trimmed().toLower();
    if (name == "x-gzip")
        return "gzip";
    return name == "identity" ? QByteArray() : name;
}

std::unique_ptr<Decoder> decoderFor(const QByteArray &name)
{
    if (name == "gzip")
        return makeGzipDecoder();
    if (name == "deflate")
        return makeDeflateDecoder();
    if (name == "br")
        return makeBrotliDecoder();
    return name == "zstd" ? makeZstdDecoder() : nullptr;
}

} // namespace

Inflater::Inflater(const QByteArray &encoding, qint64 limit)
    : m_decoder(decoderFor(normalised(encoding)))
    , m_decoded{.limit = limit, .output = {}, .reason = {}}
{
}

bool Inflater::knows(const QByteArray &encoding)
{
    const QByteArray name = normalised(encoding);
    return name.isEmpty() || decoderFor(name);
}

Inflater::State Inflater::feed(const QByteArray &piece)
{
    if (piece.isEmpty())
        return State::Going;
    m_sawInput = true;
    if (m_decoder)
        return m_decoder->feed(piece, m_decoded);
    return m_decoded.add(piece.constData(), static_cast<size_t>(piece.size())) ? State::Going
                                                                               : State::TooLarge;
}

bool Inflater::isWhole() const
{
    return !m_decoder || !m_sawInput || m_decoder->isWhole();
}

} // namespace watukuy::http
