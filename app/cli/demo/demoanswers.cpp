// SPDX-License-Identifier: GPL-3.0-or-later
// How the demo shop answers: its index, its listings, its limit, and the faults one can ask for.
#include <QDateTime>

#include "app/cli/demo/demoshop.h"

namespace watukuy::demo {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 windowMs = 60'000;

bool isListing(const QString &path)
{
    return path == u"/orders" || path == u"/products" || path == u"/customers";
}

} // namespace

ServerReply DemoShop::answer(const ServerRequest &request)
{
    if (request.path == u"/")
        return index();
    if (request.path == u"/fault")
        return setFault(request);
    if (!isListing(request.path))
        return problem(404, "Not found", "There is /orders, /products, /customers and /fault.");

    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    if (now - m_windowStart >= windowMs || now < m_windowStart) {
        m_windowStart = now;
        m_inWindow = 0;
    }
    if (m_inWindow >= requestsPerMinute) {
        const qint64 wait = (m_windowStart + windowMs - now + 999) / 1000;
        return limited(problem(429, "Too many requests", "The limit of this minute is used up.")
                           .with("Retry-After", QByteArray::number(wait)),
                       now);
    }
    ++m_inWindow;
    std::chrono::milliseconds delay{0};
    if (auto fault = faultFor(request, &delay))
        return limited(*fault, now);
    ServerReply reply = listing(request);
    reply.delay = delay;
    return limited(reply, now);
}

ServerReply DemoShop::listing(const ServerRequest &request) const
{
    if (request.path == u"/products")
        return m_products.list(request, ListingKind::Page);
    if (request.path == u"/customers")
        return m_customers.list(request, ListingKind::Link);
    // A full scan pages by number; what changed is asked for by time.
    return m_orders.list(request, request.query(u"page"_s) ? ListingKind::Page : ListingKind::Keyset);
}

ServerReply DemoShop::limited(ServerReply reply, qint64 now) const
{
    const qint64 resetIn = (m_windowStart + windowMs - now + 999) / 1000;
    reply.with("X-RateLimit-Limit", QByteArray::number(requestsPerMinute))
        .with("X-RateLimit-Remaining", QByteArray::number(requestsPerMinute - m_inWindow))
        .with("X-RateLimit-Reset", QByteArray::number(resetIn));
    return reply;
}

ServerReply DemoShop::setFault(const ServerRequest &request)
{
    Fault fault;
    fault.status = static_cast<int>(request.number(u"status"_s, 0));
    fault.count = static_cast<int>(request.number(u"count"_s, 1));
    fault.delay = std::chrono::milliseconds{request.number(u"delay"_s, 0)};
    fault.drop = request.query(u"drop"_s).has_value();
    fault.path = request.query(u"path"_s).value_or(QString());
    if (request.query(u"retry_after"_s))
        fault.retryAfter = static_cast<int>(request.number(u"retry_after"_s, 1));
    if ((fault.status != 0 && (fault.status < 200 || fault.status > 599)) || fault.count < 0 ||
        fault.delay.count() < 0)
        return problem(400, "Bad request", "status is 200 to 599, count and delay (ms) are not negative.");
    m_fault = fault;
    return ServerReply::json(R"({"status":)" + QByteArray::number(fault.status) + R"(,"count":)" +
                             QByteArray::number(fault.count) + R"(,"delay":)" +
                             QByteArray::number(qint64(fault.delay.count())) + '}');
}

std::optional<ServerReply> DemoShop::faultFor(const ServerRequest &request, std::chrono::milliseconds *delay)
{
    if (m_fault.count <= 0 || (!m_fault.path.isEmpty() && m_fault.path != request.path))
        return std::nullopt;
    --m_fault.count;
    *delay = m_fault.delay;
    if (m_fault.drop) {
        ServerReply reply;
        reply.resetAfter = -1;
        reply.delay = m_fault.delay;
        return reply;
    }
    if (m_fault.status == 0)
        return std::nullopt;
    ServerReply reply = problem(m_fault.status, "Fault on request", "Asked for with /fault.");
    if (m_fault.retryAfter)
        reply.with("Retry-After", QByteArray::number(*m_fault.retryAfter));
    reply.delay = m_fault.delay;
    return reply;
}

ServerReply DemoShop::index() const
{
    return ServerReply::json(R"({
  "name": "Demo shop",
  "description": "A small shop that changes its own data.",
  "endpoints": {
    "/orders?updated_since=TIME&after_id=ID&limit=N": "what changed, by (updatedAt, id): {data, has_more}",
    "/orders?page=N&limit=N": "all orders: {items, page, more, total}; archived ones are gone from it",
    "/products?page=N&limit=N": "all products: {items, page, more, total}",
    "/customers?page=N&limit=N": "all customers: an array, the next page in a Link header",
    "/fault?status=503&retry_after=5&count=3&delay=200&path=/orders": "the next count answers go wrong; drop resets the connection"
  },
  "headers": "ETag and If-None-Match, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset in seconds"
}
)");
}

} // namespace watukuy::demo
