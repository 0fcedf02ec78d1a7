// SPDX-License-Identifier: GPL-3.0-or-later
// A collection in memory, listed in each of the ways that APIs list things.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include <QByteArray>

#include "app/cli/demo/server.h"

namespace watukuy::demo {

/// How a listing is asked for and how its body looks.
enum class ListingKind {
    Keyset,  ///< `updated_since`, `after_id`, `limit`; rows with (updatedAt, id) greater;
             ///< `{"data":[…],"has_more":…}`
    Page,    ///< `page` from 1, `limit`; `{"items":[…],"page":n,"more":…,"total":n}`
    Offset,  ///< `offset`, `limit`; `{"items":[…],"offset":n,"total":n}`
    Token,   ///< `token`, `limit`; `{"items":[…],"next_token":"…" or null}`
    NextUrl, ///< `after`, `limit`; `{"items":[…],"next":"http://…" or null}`
    Link     ///< `page`, `limit`; a bare array and a Link header
};

/// Items by id, each kept as ready JSON bytes, so that a page is a concatenation. Every answer has
/// an ETag and honours If-None-Match.
class ListingApi {
public:
    /// `now` stamps changes; without one the clock of the machine does.
    explicit ListingApi(std::function<qint64()> now = {});

    /// Creates or replaces an item. `members` is JSON without braces, e.g. `"status":"paid","total":12.50`;
    /// `id` and `updatedAt` are added around it. `updatedAt` in epoch ms; now when absent.
    void put(qint64 id, const QByteArray &members, std::optional<qint64> updatedAt = {});
    /// False when there was none.
    bool remove(qint64 id);
    void clear();

    [[nodiscard]] qsizetype size() const { return static_cast<qsizetype>(m_ids.size()); }
    [[nodiscard]] bool contains(qint64 id) const { return m_rows.contains(id); }
    [[nodiscard]] const std::vector<qint64> &ids() const { return m_ids; }
    /// The item as it is listed, empty when absent.
    [[nodiscard]] QByteArray item(qint64 id) const;

    [[nodiscard]] ServerReply list(const ServerRequest &request, ListingKind kind) const;

    /// Items of a page when the request names no `limit`, and the most that it can ask for.
    qint64 defaultLimit = 100;
    qint64 maxLimit = 5000;
    bool etags = true;

private:
    struct Row {
        qint64 updatedAt = 0;
        QByteArray json;
    };
    struct Slice {
        QByteArray items; ///< comma separated
        qint64 count = 0;
        qint64 last = 0; ///< id of the last item
        bool more = false;
    };
    [[nodiscard]] Slice sliceAt(qint64 begin, qint64 limit) const;
    [[nodiscard]] Slice sliceAfter(qint64 id, qint64 limit) const;
    [[nodiscard]] std::optional<Slice> keyset(const ServerRequest &request, qint64 limit) const;
    [[nodiscard]] ServerReply byToken(const ServerRequest &request, qint64 limit) const;
    [[nodiscard]] ServerReply byNextUrl(const ServerRequest &request, qint64 limit) const;
    [[nodiscard]] std::optional<ServerReply> body(const ServerRequest &request, ListingKind kind) const;

    std::function<qint64()> m_now;
    std::map<qint64, Row> m_rows;
    std::vector<qint64> m_ids; ///< ascending
    std::set<std::pair<qint64, qint64>> m_byTime;
};

/// `2026-01-31T09:30:00.125Z`
[[nodiscard]] QByteArray stamp(qint64 epochMs);

/// An RFC 9457 answer.
[[nodiscard]] ServerReply problem(int status, const QByteArray &title, const QByteArray &detail);

} // namespace watukuy::demo
