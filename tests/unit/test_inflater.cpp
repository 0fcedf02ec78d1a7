// SPDX-License-Identifier: GPL-3.0-or-later
// Compressed bodies in pieces: the same body, wherever the network cuts it.
#include <array>

#include <QTest>
#include <brotli/encode.h>
#include <zlib.h>
#include <zstd.h>

#include "engine/http/inflater.h"

using namespace Qt::StringLiterals;
using namespace watukuy;
using http::Inflater;

namespace {

/// `[1]` as one gzip member.
const QByteArray member = QByteArray::fromHex("1f8b08000000000002038b368c0500b8322f4c03000000");

QByteArray withZlib(const QByteArray &plain, int windowBits)
{
    z_stream z{};
    deflateInit2(&z, 6, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY);
    QByteArray out(static_cast<qsizetype>(deflateBound(&z, static_cast<uLong>(plain.size()))) + 64, '\0');
    z.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(plain.constData()));
    z.avail_in = static_cast<uInt>(plain.size());
    z.next_out = reinterpret_cast<Bytef *>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    (void)::deflate(&z, Z_FINISH);
    out.truncate(static_cast<qsizetype>(z.total_out));
    deflateEnd(&z);
    return out;
}

QByteArray withBrotli(const QByteArray &plain)
{
    size_t size = BrotliEncoderMaxCompressedSize(static_cast<size_t>(plain.size())) + 64;
    QByteArray out(static_cast<qsizetype>(size), '\0');
    BrotliEncoderCompress(5, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_TEXT, static_cast<size_t>(plain.size()),
                          reinterpret_cast<const uint8_t *>(plain.constData()), &size,
                          reinterpret_cast<uint8_t *>(out.data()));
    out.truncate(static_cast<qsizetype>(size));
    return out;
}

QByteArray withZstd(const QByteArray &plain, int windowLog = 20)
{
    QByteArray out(static_cast<qsizetype>(ZSTD_compressBound(static_cast<size_t>(plain.size()))), '\0');
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, windowLog);
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
    // Piece by piece: a stream whose size is known needs no window.
    ZSTD_inBuffer in{plain.constData(), static_cast<size_t>(plain.size()), 0};
    ZSTD_outBuffer to{out.data(), static_cast<size_t>(out.size()), 0};
    ZSTD_compressStream2(context, &to, &in, ZSTD_e_continue);
    ZSTD_compressStream2(context, &to, &in, ZSTD_e_end);
    ZSTD_freeCCtx(context);
    out.truncate(static_cast<qsizetype>(to.pos));
    return out;
}

QByteArray largeListing()
{
    QByteArray text("[");
    for (int id = 0; id < 40'000; ++id)
        text += "{\"id\":" + QByteArray::number(id * 7919 % 100'003) + ",\"name\":\"item\"},";
    return text + "{}]";
}

void addEncodings()
{
    QTest::addColumn<QByteArray>("encoding");
    QTest::addColumn<QByteArray>("sent");
    const QByteArray plain = largeListing();
    QTest::newRow("gzip") << QByteArray("gzip") << withZlib(plain, MAX_WBITS + 16);
    QTest::newRow("deflate") << QByteArray("deflate") << withZlib(plain, MAX_WBITS);
    QTest::newRow("raw deflate") << QByteArray("deflate") << withZlib(plain, -MAX_WBITS);
    QTest::newRow("br") << QByteArray("br") << withBrotli(plain);
    QTest::newRow("zstd") << QByteArray("ZSTD") << withZstd(plain);
}

} // namespace

class TestInflater : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatFollowsAMemberDoesNotDependOnThePieces_data();
    void whatFollowsAMemberDoesNotDependOnThePieces();
    void everyEncodingComesBackWhole_data() { addEncodings(); }
    void everyEncodingComesBackWhole();
    void aStreamThatEndsEarlyIsNotWhole_data() { addEncodings(); }
    void aStreamThatEndsEarlyIsNotWhole();
    void theLimitHolds_data() { addEncodings(); }
    void theLimitHolds();
    void whatIsNotEncodedIsBroken_data();
    void whatIsNotEncodedIsBroken();
    void aZstdWindowThatIsTooLargeIsRefused();
    void zstdFramesMayFollowEachOther();
};

void TestInflater::whatFollowsAMemberDoesNotDependOnThePieces_data()
{
    QTest::addColumn<QByteArray>("sent");
    QTest::addColumn<QByteArray>("read");
    QTest::newRow("nothing") << member << QByteArray("[1]");
    QTest::newRow("a member") << member + member << QByteArray("[1][1]");
    QTest::newRow("padding") << member + QByteArray(3, '\0') << QByteArray("[1]");
    QTest::newRow("padding that looks like a member")
        << member + QByteArray("\0\x1f\0", 3) << QByteArray("[1]");
}

void TestInflater::whatFollowsAMemberDoesNotDependOnThePieces()
{
    QFETCH(const QByteArray, sent);
    QFETCH(const QByteArray, read);
    for (const qsizetype size : {sent.size(), qsizetype(7), qsizetype(1)}) {
        Inflater inflater("gzip", 100);
        for (qsizetype at = 0; at < sent.size(); at += size)
            QCOMPARE(inflater.feed(sent.mid(at, size)), Inflater::State::Going);
        QVERIFY(inflater.isWhole());
        QCOMPARE(inflater.takeOutput(), read);
    }
}

void TestInflater::everyEncodingComesBackWhole()
{
    QFETCH(const QByteArray, encoding);
    QFETCH(const QByteArray, sent);
    const QByteArray plain = largeListing();
    QVERIFY(Inflater::knows(encoding));
    for (const qsizetype size : {sent.size(), qsizetype(4096), qsizetype(1)}) {
        Inflater inflater(encoding, plain.size());
        for (qsizetype at = 0; at < sent.size(); at += size)
            QCOMPARE(inflater.feed(sent.mid(at, size)), Inflater::State::Going);
        QVERIFY(inflater.isWhole());
        QVERIFY(inflater.takeOutput() == plain);
    }
}

void TestInflater::aStreamThatEndsEarlyIsNotWhole()
{
    QFETCH(const QByteArray, encoding);
    QFETCH(const QByteArray, sent);
    for (const qsizetype left : {sent.size() - 1, sent.size() / 2, qsizetype(1)}) {
        Inflater inflater(encoding, 100'000'000);
        QCOMPARE(inflater.feed(sent.left(left)), Inflater::State::Going);
        QVERIFY(!inflater.isWhole());
    }
}

void TestInflater::theLimitHolds()
{
    QFETCH(const QByteArray, encoding);
    QFETCH(const QByteArray, sent);
    const qint64 limit = largeListing().size() - 1;
    Inflater inflater(encoding, limit);
    QCOMPARE(inflater.feed(sent), Inflater::State::TooLarge);
    QVERIFY(inflater.takeOutput().size() <= limit);
}

void TestInflater::whatIsNotEncodedIsBroken_data()
{
    QTest::addColumn<QByteArray>("encoding");
    for (const char *encoding : {"gzip", "deflate", "br", "zstd"})
        QTest::newRow(encoding) << QByteArray(encoding);
}

void TestInflater::whatIsNotEncodedIsBroken()
{
    QFETCH(const QByteArray, encoding);
    Inflater inflater(encoding, 1000);
    const bool isBroken = inflater.feed("{\"items\":[{\"id\":1},{\"id\":2}]}") == Inflater::State::Broken;
    QVERIFY(isBroken || !inflater.isWhole());
    QVERIFY(!isBroken || !inflater.reason().isEmpty());
}

void TestInflater::aZstdWindowThatIsTooLargeIsRefused()
{
    Inflater inflater("zstd", 1'000'000'000);
    QCOMPARE(inflater.feed(withZstd(largeListing(), 27)), Inflater::State::Broken);
    QVERIFY(!inflater.reason().isEmpty());
}

void TestInflater::zstdFramesMayFollowEachOther()
{
    Inflater inflater("zstd", 100);
    QCOMPARE(inflater.feed(withZstd("[1,") + withZstd("2]")), Inflater::State::Going);
    QVERIFY(inflater.isWhole());
    QCOMPARE(inflater.takeOutput(), "[1,2]");
}

QTEST_APPLESS_MAIN(TestInflater)
#include "test_inflater.moc"
