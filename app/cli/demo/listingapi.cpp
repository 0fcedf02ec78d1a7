// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/demo/listingapi.h"

#include <algorithm>
#include <limits>

#include <QCryptographicHash>
#include <QDateTime>
#include <QTimeZone>

namespace watukuy::demo {

using namespace Qt::StringLiterals;

namespace {

/// RFC 3339 or epoch milliseconds.
std::optional<qint64> readTime(const QString &text)
{
    bool digits = false;
    const qint64 ms = text.toLongLong(&digits);
    if (digits)
        return ms;
    QDateTime time = QDateTime::fromString(text, Qt::ISODateWithMs);
    if (!time.isValid())
        return std::nullopt;
    if (time.timeSpec() == Qt::LocalTime)
        time.setTimeZone(QTimeZone::utc());
    return time.toMSecsSinceEpoch();
}

QByteArray textOf(bool flag)
{
    return flag ? "true" : "false";
}

QByteArray linkTo(const ServerRequest &request, const QByteArray &query)
{
    const QByteArray path = request.target.split('?').first();
    return request.serverUrl.toEncoded() + path + '?' + query;
}

} // namespace

QByteArray stamp(qint64 epochMs)
{
    return QDateTime::fromMSecsSinceEpoch(epochMs, Qt::UTC).toString(Qt::ISODateWithMs).toLatin1();
}

ServerReply problem(int status, const QByteArray &title, const QByteArray &detail)
{
    ServerReply reply;
    reply.status = status;
    reply.headers = {{"Content-Type", "application/problem+json"}};
    reply.body = R"({"title":")" + title + R"(","status":)" + QByteArray::number(status) + R"(,"detail":")" +
                 detail + R"("})";
    return reply;
}

ListingApi::ListingApi(std::function<qint64()> now)
    : m_now(now ? std::move(now) : [] { return QDateTime::currentMSecsSinceEpoch(); })
{
}

void ListingApi::put(qint64 id, const QByteArray &members, std::optional<qint64> updatedAt)
{
    const qint64 time = updatedAt ? *updatedAt : m_now();
    const auto [row, created] = m_rows.try_emplace(id);
    if (created) {
        if (m_ids.empty() || m_ids.back() < id)
            m_ids.push_back(id);
        else
            m_ids.insert(std::ranges::lower_bound(m_ids, id), id);
    } else {
        m_byTime.erase({row->second.updatedAt, id});
    }
    m_byTime.emplace(time, id);
    row->second = {time, R"({"id":)" + QByteArray::number(id) + ',' + members +
                             (members.isEmpty() ? "" : ",") + R"("updatedAt":")" + stamp(time) + R"("})"};
}

bool ListingApi::remove(qint64 id)
{
    const auto row = m_rows.find(id);
    if (row == m_rows.end())
        return false;
    m_byTime.erase({row->second.updatedAt, id});
    m_rows.erase(row);
    m_ids.erase(std::ranges::lower_bound(m_ids, id));
    return true;
}

void ListingApi::clear()
{
    m_rows.clear();
    m_ids.clear();
    m_byTime.clear();
}

QByteArray ListingApi::item(qint64 id) const
{
    const auto row = m_rows.find(id);
    return row == m_rows.end() ? QByteArray() : row->second.json;
}

ListingApi::Slice ListingApi::sliceAt(qint64 begin, qint64 limit) const
{
    Slice slice;
    const qint64 first = std::clamp<qint64>(begin, 0, size());
    const qint64 end = std::min<qint64>(first + limit, size());
    for (qint64 at = first; at < end; ++at) {
        const qint64 id = m_ids[static_cast<size_t>(at)];
        if (slice.count++ > 0)
            slice.items += ',';
        slice.items += m_rows.at(id).json;
        slice.last = id;
    }
    slice.more = end < size();
    return slice;
}

ListingApi::Slice ListingApi::sliceAfter(qint64 id, qint64 limit) const
{
    const auto first = std::ranges::upper_bound(m_ids, id);
    return sliceAt(first - m_ids.begin(), limit);
}

std::optional<ListingApi::Slice> ListingApi::keyset(const ServerRequest &request, qint64 limit) const
{
    const auto since = request.query(u"updated_since"_s);
    auto row = m_byTime.begin();
    if (since && !since->isEmpty()) {
        const auto time = readTime(*since);
        if (!time)
            return std::nullopt;
        const auto after = request.query(u"after_id"_s);
        row = after && !after->isEmpty() ? m_byTime.upper_bound({*time, after->toLongLong()})
                                         : m_byTime.lower_bound({*time, std::numeric_limits<qint64>::min()});
    }
    Slice slice;
    for (; row != m_byTime.end() && slice.count < limit; ++row) {
        if (slice.count++ > 0)
            slice.items += ',';
        slice.items += m_rows.at(row->second).json;
    }
    slice.more = row != m_byTime.end();
    return slice;
}

std::optional<ServerReply> ListingApi::body(const ServerRequest &request, ListingKind kind) const
{
    const qint64 limit = std::clamp<qint64>(request.number(u"limit"_s, defaultLimit), 1, maxLimit);
    const QByteArray total = QByteArray::number(size());
    const qint64 page = std::max<qint64>(1, request.number(u"page"_s, 1));
    const qint64 offset = std::max<qint64>(0, request.number(u"offset"_s, 0));
    switch (kind) {
    case ListingKind::Keyset: {
        const auto slice = keyset(request, limit);
        if (!slice)
            return std::nullopt;
        return ServerReply::json(R"({"data":[)" + slice->items + R"(],"has_more":)" + textOf(slice->more) +
                                 '}');
    }
    case ListingKind::Page: {
        const Slice slice = sliceAt((page - 1) * limit, limit);
        return ServerReply::json(R"({"items":[)" + slice.items + R"(],"page":)" + QByteArray::number(page) +
                                 R"(,"more":)" + textOf(slice.more) + R"(,"total":)" + total + '}');
    }
    case ListingKind::Offset: {
        const Slice slice = sliceAt(offset, limit);
        return ServerReply::json(R"({"items":[)" + slice.items + R"(],"offset":)" +
                                 QByteArray::number(offset) + R"(,"total":)" + total + '}');
    }
    case ListingKind::Token:
        return byToken(request, limit);
    case ListingKind::NextUrl:
        return byNextUrl(request, limit);
    case ListingKind::Link: {
        const Slice slice = sliceAt((page - 1) * limit, limit);
        ServerReply reply = ServerReply::json('[' + slice.items + ']');
        if (slice.more) {
            const QByteArray next = linkTo(request, "limit=" + QByteArray::number(limit) +
                                                        "&page=" + QByteArray::number(page + 1));
            reply.with("Link", '<' + next + R"(>; rel="next")");
        }
        return reply;
    }
    }
    return std::nullopt;
}

ServerReply ListingApi::byToken(const ServerRequest &request, qint64 limit) const
{
    const QByteArray token = QByteArray::fromBase64(request.query(u"token"_s).value_or(QString()).toLatin1(),
                                                    QByteArray::Base64UrlEncoding);
    const Slice slice =
        sliceAfter(token.isEmpty() ? std::numeric_limits<qint64>::min() : token.toLongLong(), limit);
    const QByteArray next = QByteArray::number(slice.last)
                                .toBase64(QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals);
    return ServerReply::json(R"({"items":[)" + slice.items + R"(],"next_token":)" +
                             (slice.more ? '"' + next + '"' : QByteArray("null")) + '}');
}

ServerReply ListingApi::byNextUrl(const ServerRequest &request, qint64 limit) const
{
    const Slice slice = sliceAfter(request.number(u"after"_s, std::numeric_limits<qint64>::min()), limit);
    const QByteArray next =
        linkTo(request, "limit=" + QByteArray::number(limit) + "&after=" + QByteArray::number(slice.last));
    return ServerReply::json(R"({"items":[)" + slice.items + R"(],"next":)" +
                             (slice.more ? '"' + next + '"' : QByteArray("null")) + '}');
}

ServerReply ListingApi::list(const ServerRequest &request, ListingKind kind) const
{
    if (request.method != "GET")
        return problem(405, "Method not allowed", "Listings are read with GET.");
    auto reply = body(request, kind);
    if (!reply)
        return problem(400, "Bad request", "updated_since must be RFC 3339 or epoch milliseconds.");
    if (!etags)
        return *reply;
    const QByteArray digest =
        QCryptographicHash::hash(reply->body, QCryptographicHash::Sha1).toHex().left(20);
    const QByteArray etag = "W/\"" + digest + '"';
    reply->with("ETag", etag);
    if (request.header("If-None-Match") == etag) {
        reply->status = 304;
        reply->body.clear();
    }
    return *reply;
}

} // namespace watukuy::demo
