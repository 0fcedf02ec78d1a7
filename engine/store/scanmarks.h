// SPDX-License-Identifier: GPL-3.0-or-later
// Which rows a full scan has listed: a bitmap over the numbers of a key's items, kept in chunks.
#pragma once

#include <QByteArray>
#include <QHash>

#include "engine/store/sqlconnection.h"

namespace watukuy::sql {

/// An item's id holds its key's id above its number in the key.
inline constexpr int itemNumberBits = 36;
[[nodiscard]] constexpr qint64 firstItemId(qint64 keyId)
{
    return keyId << itemNumberBits;
}
[[nodiscard]] constexpr qint64 lastItemId(qint64 keyId)
{
    return firstItemId(keyId) | ((qint64{1} << itemNumberBits) - 1);
}

/// The marks of one scan, read and written a chunk of 4096 items (512 bytes) at a time.
class ScanMarks {
public:
    ScanMarks(SqlConnection &db, qint64 keyId, qint64 scanId);

    [[nodiscard]] bool contains(qint64 itemId);
    void insert(qint64 itemId);
    /// Stores what insert() changed.
    void flush();

private:
    struct Chunk {
        QByteArray bits;
        bool changed = false;
    };
    Chunk &chunkOf(qint64 itemId);

    SqlConnection &m_db;
    qint64 m_keyId;
    qint64 m_scanId;
    QHash<qint64, Chunk> m_chunks;
};

} // namespace watukuy::sql
