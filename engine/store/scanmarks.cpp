// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/store/scanmarks.h"

namespace watukuy::sql {

namespace {

constexpr int chunkBits = 12;
constexpr int chunkBytes = (1 << chunkBits) / 8;
constexpr int maxChunksInMemory = 1'024; // half a megabyte

qint64 numberOf(qint64 itemId)
{
    return itemId & ((qint64{1} << itemNumberBits) - 1);
}

} // namespace

ScanMarks::ScanMarks(SqlConnection &db, qint64 keyId, qint64 scanId)
    : m_db(db)
    , m_keyId(keyId)
    , m_scanId(scanId)
{
}

ScanMarks::Chunk &ScanMarks::chunkOf(qint64 itemId)
{
    const qint64 number = numberOf(itemId) >> chunkBits;
    if (const auto known = m_chunks.find(number); known != m_chunks.end())
        return *known;
    if (m_chunks.size() >= maxChunksInMemory) {
        flush();
        m_chunks.clear();
    }
    Statement select = m_db.use("SELECT bits FROM scan_seen WHERE key_id = ? AND scan_id = ? AND chunk = ?");
    select.run(m_keyId, m_scanId, number);
    Chunk chunk;
    if (select.next())
        chunk.bits = select.bytes(0);
    chunk.bits.resize(chunkBytes, '\0');
    return *m_chunks.insert(number, chunk);
}

bool ScanMarks::contains(qint64 itemId)
{
    const qint64 bit = numberOf(itemId) & ((1 << chunkBits) - 1);
    return (chunkOf(itemId).bits.at(bit / 8) >> (bit % 8)) & 1;
}

void ScanMarks::insert(qint64 itemId)
{
    const qint64 bit = numberOf(itemId) & ((1 << chunkBits) - 1);
    Chunk &chunk = chunkOf(itemId);
    chunk.bits.data()[bit / 8] |= static_cast<char>(1 << (bit % 8));
    chunk.changed = true;
}

void ScanMarks::flush()
{
    Statement write = m_db.use("INSERT INTO scan_seen(key_id, scan_id, chunk, bits) VALUES(?, ?, ?, ?)"
                               " ON CONFLICT(key_id, scan_id, chunk) DO UPDATE SET bits = excluded.bits");
    for (auto chunk = m_chunks.begin(); chunk != m_chunks.end(); ++chunk) {
        if (!chunk->changed)
            continue;
        write.run(m_keyId, m_scanId, chunk.key(), chunk->bits);
        chunk->changed = false;
    }
}

} // namespace watukuy::sql
