// SPDX-License-Identifier: GPL-3.0-or-later
// A small shop whose orders, products and customers change by themselves: the demo's API.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <random>

#include <QObject>
#include <QTimer>
#include <QUrl>

#include "app/cli/demo/listingapi.h"
#include "app/cli/demo/server.h"

namespace watukuy::demo {

/// `/orders`, `/products`, `/customers` and `/fault`, explained at `/`. The same seed makes the same
/// changes in the same order; only their times follow the clock.
class DemoShop : public QObject {
    Q_OBJECT

public:
    explicit DemoShop(quint32 seed = 20'260'101, QObject *parent = nullptr);

    /// False with errorString() when the port is taken. Port 0 takes a free one.
    [[nodiscard]] bool start(quint16 port);
    [[nodiscard]] QString errorString() const { return m_server.errorString(); }
    [[nodiscard]] QUrl url() const { return m_server.url(); }

    /// Something changes every `interval` from now on.
    void changeEvery(std::chrono::milliseconds interval = std::chrono::milliseconds{700});
    /// One change now.
    void step();

    [[nodiscard]] ServerReply answer(const ServerRequest &request);
    [[nodiscard]] const ListingApi &orders() const { return m_orders; }
    [[nodiscard]] const ListingApi &products() const { return m_products; }
    [[nodiscard]] const ListingApi &customers() const { return m_customers; }
    [[nodiscard]] HttpServer &server() { return m_server; }

    /// Requests that the shop answers in a minute before it says 429.
    int requestsPerMinute = 1200;

private:
    struct Order {
        qint64 customer = 0;
        int status = 0;
        qint64 createdAt = 0;
        QByteArray lines; ///< ready JSON array
        qint64 totalCents = 0;
    };
    struct Product {
        int kind = 0;
        qint64 priceCents = 0;
        int stock = 0;
    };
    struct Customer {
        int tier = 0;
        int city = 0;
        qint64 createdAt = 0;
    };
    /// What `/fault` asked for.
    struct Fault {
        int status = 0;
        int count = 0;
        std::optional<int> retryAfter;
        std::chrono::milliseconds delay{0};
        bool drop = false;
        QString path;
    };

    int draw(int below);
    void fill();
    void addOrder(std::optional<qint64> createdAt = {});
    void moveOrder();
    void changeProduct();
    void addProduct();
    void changeCustomer();
    void addCustomer();
    void save(qint64 id, const Order &order, std::optional<qint64> updatedAt = {});
    void save(qint64 id, const Product &product, std::optional<qint64> updatedAt = {});
    void save(qint64 id, const Customer &customer, std::optional<qint64> updatedAt = {});
    [[nodiscard]] ServerReply setFault(const ServerRequest &request);
    [[nodiscard]] std::optional<ServerReply> faultFor(const ServerRequest &request,
                                                      std::chrono::milliseconds *delay);
    [[nodiscard]] ServerReply listing(const ServerRequest &request) const;
    [[nodiscard]] ServerReply index() const;
    [[nodiscard]] ServerReply limited(ServerReply reply, qint64 now) const;

    std::mt19937 m_random;
    ListingApi m_orders, m_products, m_customers;
    std::map<qint64, Order> m_orderState;
    std::map<qint64, Product> m_productState;
    std::map<qint64, Customer> m_customerState;
    qint64 m_lastOrder = 10'000, m_lastProduct = 0, m_lastCustomer = 0;
    Fault m_fault;
    qint64 m_windowStart = 0;
    int m_inWindow = 0;
    QTimer m_changes;
    HttpServer m_server;
};

} // namespace watukuy::demo
