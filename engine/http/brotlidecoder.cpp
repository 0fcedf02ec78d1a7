// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include <brotli/decode.h>

#include "engine/http/decoder.h"

namespace watukuy::http {

namespace {

class BrotliDecoder final : public Decoder {
public:
    State feed(const QByteArray &piece, Decoded &into) override
    {
        if (m_result == BROTLI_DECODER_RESULT_SUCCESS)
            return State::Going; // what follows the stream is passed over
        size_t left = static_cast<size_t>(piece.size());
        const auto *in = reinterpret_cast<const uint8_t *>(piece.constData());
        std::array<uint8_t, 64 * 1024> buffer;
        do {
            size_t room = buffer.size();
            uint8_t *out = buffer.data();
            m_result = BrotliDecoderDecompressStream(m_decoder.get(), &left, &in, &room, &out, nullptr);
            if (m_result == BROTLI_DECODER_RESULT_ERROR) {
                into.reason =
                    QString::fromLatin1(BrotliDecoderErrorString(BrotliDecoderGetErrorCode(m_decoder.get())));
                return State::Broken;
            }
            if (!into.add(reinterpret_cast<const char *>(buffer.data()), buffer.size() - room))
                return State::TooLarge;
        } while (m_result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT);
        return State::Going;
    }

    [[nodiscard]] bool isWhole() const override { return m_result == BROTLI_DECODER_RESULT_SUCCESS; }

private:
    struct Destroy {
        void operator()(BrotliDecoderState *state) const { BrotliDecoderDestroyInstance(state); }
    };
    std::unique_ptr<BrotliDecoderState, Destroy> m_decoder{
        BrotliDecoderCreateInstance(nullptr, nullptr, nullptr)};
    BrotliDecoderResult m_result = BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT;
};

} // namespace

std::unique_ptr<Decoder> makeBrotliDecoder()
{
    return std::make_unique<BrotliDecoder>();
}

} // namespace watukuy::http
