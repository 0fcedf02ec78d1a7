// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/demo/demoshop.h"

#include <array>

#include <QDateTime>

namespace watukuy::demo {

using namespace Qt::StringLiterals;

namespace {

constexpr std::array statuses{"new", "paid", "packed", "shipped", "delivered", "cancelled"};
constexpr int delivered = 4;
constexpr int cancelled = 5;
constexpr std::array cities{"Bergen", "Porto", "Ghent", "Tartu", "Graz", "Utrecht", "Malmo", "Lyon"};
constexpr std::array tiers{"basic", "silver", "gold"};
constexpr std::array goods{"Green tea 100 g", "Black tea 100 g", "Filter paper", "Stoneware cup",
                           "Glass teapot",    "Bamboo whisk",    "Honey 250 g",  "Oat biscuits",
                           "Tin, small",      "Tin, large"};
constexpr qint64 minute = 60'000;

qint64 now()
{
    return QDateTime::currentMSecsSinceEpoch();
}

QByteArray money(qint64 cents)
{
    return QByteArray::number(cents / 100) + '.' + QByteArray::number(cents % 100).rightJustified(2, '0');
}

QByteArray padded(qint64 number)
{
    return QByteArray::number(number).rightJustified(4, '0');
}

QByteArray member(const char *name, const QByteArray &text)
{
    return QByteArray("\"") + name + "\":\"" + text + '"';
}

QByteArray sku(qint64 product)
{
    return "SKU-" + padded(product);
}

} // namespace

DemoShop::DemoShop(quint32 seed, QObject *parent)
    : QObject(parent)
    , m_random(seed)
    , m_server([this](const ServerRequest &request) { return answer(request); }, this)
{
    m_orders.defaultLimit = 100;
    m_products.defaultLimit = 25;
    m_customers.defaultLimit = 20;
    m_changes.setParent(this);
    connect(&m_changes, &QTimer::timeout, this, &DemoShop::step);
    fill();
}

bool DemoShop::start(quint16 port)
{
    return m_server.start(port);
}

void DemoShop::changeEvery(std::chrono::milliseconds interval)
{
    m_changes.start(interval);
}

/// std::uniform_int_distribution differs between standard libraries; this does not.
int DemoShop::draw(int below)
{
    return static_cast<int>(m_random() % static_cast<quint32>(below));
}

void DemoShop::fill()
{
    for (int count = 0; count < 60; ++count)
        addProduct();
    for (int count = 0; count < 40; ++count)
        addCustomer();
    const qint64 start = now() - 4 * 60 * minute;
    for (int count = 0; count < 120; ++count)
        addOrder(start + count * 2 * minute);
}

void DemoShop::step()
{
    const int kind = draw(100);
    if (kind < 30)
        addOrder();
    else if (kind < 70)
        moveOrder();
    else if (kind < 85)
        changeProduct();
    else if (kind < 89)
        addProduct();
    else if (kind < 96)
        changeCustomer();
    else
        addCustomer();
}

void DemoShop::addOrder(std::optional<qint64> createdAt)
{
    Order order;
    order.customer = 1 + draw(static_cast<int>(m_lastCustomer));
    order.createdAt = createdAt.value_or(now());
    order.lines = "[";
    for (int line = 0, count = 1 + draw(3); line < count; ++line) {
        const auto product = std::next(m_productState.begin(), draw(static_cast<int>(m_productState.size())));
        const int quantity = 1 + draw(4);
        order.totalCents += quantity * product->second.priceCents;
        order.lines += (line > 0 ? ",{" : "{") + member("sku", sku(product->first)) + R"(,"quantity":)" +
                       QByteArray::number(quantity) + R"(,"price":)" + money(product->second.priceCents) +
                       '}';
    }
    order.lines += ']';
    const qint64 id = ++m_lastOrder;
    m_orderState.emplace(id, order);
    save(id, order, createdAt);
}

void DemoShop::moveOrder()
{
    auto state = std::next(m_orderState.begin(), draw(static_cast<int>(m_orderState.size())));
    Order &order = state->second;
    if (order.status >= delivered) {
        // What is finished is archived: it leaves the listing, which only a full scan can notice.
        m_orders.remove(state->first);
        m_orderState.erase(state);
        if (m_orderState.size() < 20)
            addOrder();
        return;
    }
    order.status = draw(12) == 0 ? cancelled : order.status + 1;
    save(state->first, order);
}

void DemoShop::addProduct()
{
    Product product;
    product.kind = draw(static_cast<int>(goods.size()));
    product.priceCents = 250 + 25 * draw(120);
    product.stock = 5 + draw(200);
    const qint64 id = ++m_lastProduct;
    m_productState.emplace(id, product);
    save(id, product);
}

void DemoShop::changeProduct()
{
    auto state = std::next(m_productState.begin(), draw(static_cast<int>(m_productState.size())));
    Product &product = state->second;
    const int what = draw(10);
    if (what == 0 && m_productState.size() > 30) {
        m_products.remove(state->first);
        m_productState.erase(state);
        return;
    }
    if (what < 4)
        product.priceCents = std::max<qint64>(100, product.priceCents + 25 * (draw(9) - 4));
    else
        product.stock = std::max(0, product.stock + draw(21) - 10);
    save(state->first, product);
}

void DemoShop::addCustomer()
{
    Customer customer;
    customer.city = draw(static_cast<int>(cities.size()));
    customer.createdAt = now();
    const qint64 id = ++m_lastCustomer;
    m_customerState.emplace(id, customer);
    save(id, customer);
}

void DemoShop::changeCustomer()
{
    auto state = std::next(m_customerState.begin(), draw(static_cast<int>(m_customerState.size())));
    Customer &customer = state->second;
    if (draw(2) == 0)
        customer.tier = (customer.tier + 1) % static_cast<int>(tiers.size());
    else
        customer.city = draw(static_cast<int>(cities.size()));
    save(state->first, customer);
}

void DemoShop::save(qint64 id, const Order &order, std::optional<qint64> updatedAt)
{
    m_orders.put(id,
                 member("number", "W-" + QByteArray::number(id)) + ',' +
                     member("status", statuses.at(static_cast<size_t>(order.status))) + R"(,"customerId":)" +
                     QByteArray::number(order.customer) + ',' + member("currency", "EUR") + R"(,"total":)" +
                     money(order.totalCents) + R"(,"lines":)" + order.lines + ',' +
                     member("createdAt", stamp(order.createdAt)),
                 updatedAt);
}

void DemoShop::save(qint64 id, const Product &product, std::optional<qint64> updatedAt)
{
    m_products.put(id,
                   member("sku", sku(id)) + ',' +
                       member("name", goods.at(static_cast<size_t>(product.kind))) + R"(,"price":)" +
                       money(product.priceCents) + R"(,"stock":)" + QByteArray::number(product.stock),
                   updatedAt);
}

void DemoShop::save(qint64 id, const Customer &customer, std::optional<qint64> updatedAt)
{
    const QByteArray number = QByteArray::number(id);
    m_customers.put(id,
                    member("name", "Customer " + number) + ',' +
                        member("email", "customer" + number + "@example.com") + ',' +
                        member("city", cities.at(static_cast<size_t>(customer.city))) + ',' +
                        member("tier", tiers.at(static_cast<size_t>(customer.tier))) + ',' +
                        member("createdAt", stamp(customer.createdAt)),
                    updatedAt);
}

} // namespace watukuy::demo
