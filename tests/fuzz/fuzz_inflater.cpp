// SPDX-License-Identifier: GPL-3.0-or-later
// Compressed bodies in pieces: the limit holds, pieces do not matter, and what was compressed comes back
// whole.
#include <array>
#include <vector>

#include <zlib.h>

#include "engine/http/inflater.h"
#include "tests/fuzz/property.h"

using namespace Qt::StringLiterals;
using namespace watukuy;
using fuzz::require;
using http::Inflater;

namespace {

constexpr std::array<qint64, 6> limits{0, 1, 100, 5000, 65'536, 300'000};

/// How a body may be sent, with the Content-Encoding that says so.
struct Sent {
    const char *encoding;
    int windowBits;
};
constexpr std::array sent{
    Sent{"gzip", MAX_WBITS + 16}, Sent{"X-GZip", MAX_WBITS + 16},
    Sent{"deflate", MAX_WBITS},   Sent{" deflate", -MAX_WBITS},
    Sent{"identity", 0},          Sent{"", 0},
};

/// Encodings whose bytes are the fuzzer's own only.
constexpr std::array receivedOnly{"br", "zstd"};

struct Outcome {
    Inflater::State state = Inflater::State::Going;
    bool isWhole = false;
    QByteArray output;
};

/// Feeds `pieces` until one of them is refused.
Outcome feed(const QByteArray &encoding, qint64 limit, const std::vector<QByteArray> &pieces)
{
    Inflater inflater(encoding, limit);
    Outcome outcome;
    for (const QByteArray &piece : pieces) {
        outcome.state = inflater.feed(piece);
        if (outcome.state != Inflater::State::Going)
            break;
    }
    require(outcome.state != Inflater::State::Broken || !inflater.reason().isEmpty(),
            "what is broken is told why");
    outcome.isWhole = inflater.isWhole();
    outcome.output = inflater.takeOutput();
    require(outcome.output.size() <= limit, "the output is never beyond the limit",
            {{"limit", limit}, {"size", outcome.output.size()}});
    return outcome;
}

std::vector<QByteArray> cut(const QByteArray &bytes, qsizetype first, qsizetype most)
{
    std::vector<QByteArray> pieces;
    qsizetype size = first;
    for (qsizetype at = 0; at < bytes.size(); at += size, size = 1 + (size * 7 + 3) % most)
        pieces.push_back(bytes.mid(at, size));
    return pieces;
}

QByteArray compressed(const QByteArray &plain, int windowBits, int level)
{
    z_stream z{};
    require(deflateInit2(&z, level, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY) == Z_OK, "zlib begins");
    QByteArray out(static_cast<qsizetype>(deflateBound(&z, static_cast<uLong>(plain.size()))) + 64,
                   Qt::Uninitialized);
    z.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(plain.constData()));
    z.avail_in = static_cast<uInt>(plain.size());
    z.next_out = reinterpret_cast<Bytef *>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    require(::deflate(&z, Z_FINISH) == Z_STREAM_END, "zlib ends");
    out.truncate(static_cast<qsizetype>(z.total_out));
    deflateEnd(&z);
    return out;
}

/// Bytes as somebody may send them: one outcome, however the network cuts them.
void checkPieces(const QByteArray &encoding, qint64 limit, const QByteArray &bytes, qsizetype first)
{
    const auto isRead = [](const Outcome &outcome) {
        return outcome.state == Inflater::State::Going && outcome.isWhole;
    };
    const Outcome atOnce = feed(encoding, limit, {bytes});
    for (const auto &pieces : {cut(bytes, first, 64), cut(bytes, 1, 1)}) {
        const Outcome inPieces = feed(encoding, limit, pieces);
        require(isRead(atOnce) == isRead(inPieces), "pieces do not decide whether a body can be read",
                {{"encoding", encoding},
                 {"at once", qint64(atOnce.state)},
                 {"in pieces", qint64(inPieces.state)},
                 {"whole at once", atOnce.isWhole},
                 {"whole in pieces", inPieces.isWhole}});
        if (isRead(atOnce))
            require(inPieces.output == atOnce.output, "pieces do not change a body",
                    {{"encoding", encoding},
                     {"at once", atOnce.output.left(200)},
                     {"in pieces", inPieces.output.left(200)}});
    }
}

/// What was compressed comes back; a part of it is known as a part.
void checkRoundTrip(const Sent &how, qint64 limit, fuzz::Input input)
{
    const int level = static_cast<int>(input.choice(10));
    const size_t repeats = 1 + input.choice(64);
    const bool twoMembers = how.windowBits > MAX_WBITS && input.choice(2) == 1;
    const size_t part = input.byte();
    const QByteArray plain = input.rest().repeated(static_cast<qsizetype>(repeats));
    QByteArray bytes = plain;
    if (how.windowBits != 0 && twoMembers)
        bytes = compressed(plain.left(plain.size() / 2), how.windowBits, level) +
                compressed(plain.mid(plain.size() / 2), how.windowBits, 9 - level);
    else if (how.windowBits != 0)
        bytes = compressed(plain, how.windowBits, level);

    const Outcome all = feed(how.encoding, limit, cut(bytes, 1 + qsizetype(part), 1000));
    if (plain.size() > limit) {
        require(all.state == Inflater::State::TooLarge, "a body beyond the limit is too large",
                {{"encoding", how.encoding}, {"limit", limit}, {"size", plain.size()}});
        return;
    }
    require(
        all.state == Inflater::State::Going && all.isWhole && all.output == plain,
        "what was compressed comes back",
        {{"encoding", how.encoding}, {"state", qint64(all.state)}, {"whole", all.isWhole}, {"plain", plain}});
    if (how.windowBits == 0 || twoMembers || bytes.isEmpty())
        return;
    const Outcome some = feed(how.encoding, limit, {bytes.left(1 + qsizetype(part) % (bytes.size() - 1))});
    require(some.state == Inflater::State::Going && !some.isWhole && plain.startsWith(some.output),
            "a part of a body is known as a part",
            {{"encoding", how.encoding}, {"state", qint64(some.state)}, {"whole", some.isWhole}});
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz::Input input(data, size);
    const size_t which = input.choice(sent.size() + receivedOnly.size());
    const qint64 limit = limits.at(input.choice(limits.size()));
    if (which >= sent.size()) {
        const char *encoding = receivedOnly.at(which - sent.size());
        require(Inflater::knows(encoding), "an encoding that is sent is known", {{"encoding", encoding}});
        const qsizetype first = 1 + input.byte();
        checkPieces(encoding, limit, input.rest(), first);
        return 0;
    }
    const Sent &how = sent.at(which);
    require(Inflater::knows(how.encoding), "an encoding that is sent is known", {{"encoding", how.encoding}});
    if (input.choice(2) == 0) {
        const qsizetype first = 1 + input.byte();
        checkPieces(how.encoding, limit, input.rest(), first);
    } else {
        checkRoundTrip(how, limit, input);
    }
    return 0;
}
