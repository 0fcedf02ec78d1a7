// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include <zstd.h>

#include "engine/http/decoder.h"

namespace watukuy::http {

namespace {

constexpr int largestWindowLog = 23; // 8 MB

class ZstdDecoder final : public Decoder {
public:
    ZstdDecoder() { ZSTD_DCtx_setParameter(m_stream.get(), ZSTD_d_windowLogMax, largestWindowLog); }

    State feed(const QByteArray &piece, Decoded &into) override
    {
        ZSTD_inBuffer in{piece.constData(), static_cast<size_t>(piece.size()), 0};
        std::array<char, 64 * 1024> buffer;
        bool isFull = false;
        while (in.pos < in.size || isFull) {
            ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
            m_expects = ZSTD_decompressStream(m_stream.get(), &out, &in);
            if (ZSTD_isError(m_expects)) {
                into.reason = QString::fromLatin1(ZSTD_getErrorName(m_expects));
                return State::Broken;
            }
            if (!into.add(buffer.data(), out.pos))
                return State::TooLarge;
            isFull = out.pos == out.size && m_expects != 0;
        }
        return State::Going;
    }

    /// Frames may follow each other; at the end of one nothing more is expected.
    [[nodiscard]] bool isWhole() const override { return m_expects == 0; }

private:
    struct Free {
        void operator()(ZSTD_DCtx *stream) const { ZSTD_freeDCtx(stream); }
    };
    std::unique_ptr<ZSTD_DCtx, Free> m_stream{ZSTD_createDCtx()};
    size_t m_expects = 1; ///< 0 = a frame has just ended
};

} // namespace

std::unique_ptr<Decoder> makeZstdDecoder()
{
    return std::make_unique<ZstdDecoder>();
}

} // namespace watukuy::http
