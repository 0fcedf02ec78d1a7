// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/http/networktransport.h"

#include <deque>
#include <limits>
#include <list>
#include <map>
#include <set>

#include <QElapsedTimer>
#include <QNetworkAccessManager>
#include <QNetworkRequest>
#include <QTimer>

#include "engine/http/exchange.h"
#include "engine/http/inflater.h"
#include "engine/http/networkerror.h"
#include "engine/http/origin.h"
#include "engine/http/proxy.h"
#include "engine/http/tls.h"

namespace watukuy::http {

using namespace Qt::StringLiterals;

namespace {

constexpr int requestsPerHost = 6;
constexpr int mostRedirects = 10;

bool isRedirect(int status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/// RFC 9110 15.4: what becomes of a method on its way.
void changeMethod(Request &request, int status)
{
    const bool becomesGet = (status == 303 && request.method != "HEAD") ||
                            ((status == 301 || status == 302) && request.method == "POST");
    if (!becomesGet)
        return;
    request.method = "GET";
    request.body.clear();
    std::erase_if(request.headers, [](const auto &header) {
        return header.first.compare("content-type", Qt::CaseInsensitive) == 0;
    });
}

void dropCredentials(Request &request)
{
    std::erase_if(request.headers, [&](const auto &header) {
        const QByteArray name = header.first.toLower();
        return name == "authorization" || name == "cookie" || name == "proxy-authorization" ||
               request.secretHeaders.contains(name);
    });
    request.tlsCertificate.clear();
    request.tlsKey.clear();
    request.grant.reset();
    request.signature.reset();
}

/// Moves `request` to where `response` leads, or says why it does not go there.
std::optional<Error> follow(Request &request, const Response &response, bool *leftOrigin)
{
    const QUrl from = request.url;
    const QByteArray location = response.header("Location");
    QUrl to = from.resolved(QUrl::fromEncoded(location, QUrl::TolerantMode));
    if (!to.isValid() || to.host().isEmpty() || (to.scheme() != u"http" && to.scheme() != u"https"))
        return networkerror::redirectTarget(from);
    if (isDowngrade(from, to))
        return networkerror::redirectDowngrade(from, to);
    if (!isSameOrigin(from, to)) {
        if (request.redirects != Redirects::Any)
            return networkerror::redirectOrigin(from, to);
        dropCredentials(request);
        *leftOrigin = true;
    }
    to.setFragment({});
    request.url = to;
    changeMethod(request, response.status);
    return std::nullopt;
}

QNetworkRequest wireRequest(const Request &request)
{
    QNetworkRequest wire(request.url);
    for (const auto &[name, value] : request.headers)
        wire.setRawHeader(name, value);
    // Set by hand, so that Qt leaves the body as it came: see Inflater.
    wire.setRawHeader("Accept-Encoding", Inflater::accepted());
    // The proxy reads it off a plain request; for the others it belongs to the tunnel (see useProxy).
    if (const QByteArray proxy = proxyAuthorization(request);
        !proxy.isEmpty() && request.url.scheme() == u"http")
        wire.setRawHeader("Proxy-Authorization", proxy);
    if (!wire.hasRawHeader("User-Agent"))
        wire.setRawHeader("User-Agent", "Watukuy/" WATUKUY_VERSION);
    if (!wire.hasRawHeader("Accept-Language"))
        wire.setRawHeader("Accept-Language", "*");
    wire.setAttribute(QNetworkRequest::RedirectPolicyAttribute, QNetworkRequest::ManualRedirectPolicy);
    wire.setAttribute(QNetworkRequest::Http2AllowedAttribute, request.http2);
    wire.setAttribute(QNetworkRequest::CookieLoadControlAttribute, QNetworkRequest::Manual);
    wire.setAttribute(QNetworkRequest::CookieSaveControlAttribute, QNetworkRequest::Manual);
    wire.setAttribute(QNetworkRequest::AuthenticationReuseAttribute, QNetworkRequest::Manual);
    wire.setAttribute(QNetworkRequest::CacheSaveControlAttribute, false);
    wire.setAttribute(QNetworkRequest::DoNotBufferUploadDataAttribute, true);
    return wire;
}

/// A place among the requests under way at a host; given back when it goes.
class Place {
public:
    Place(std::function<void()> giveBack)
        : m_giveBack(std::move(giveBack))
    {
    }
    ~Place() { m_giveBack(); }
    Q_DISABLE_COPY_MOVE(Place)

private:
    std::function<void()> m_giveBack;
};

} // namespace

/// Outlives the transport as long as a request is under way: coroutines hold a share of it.
class NetworkTransport::Private {
public:
    static QCoro::Task<Result<Response>> run(std::shared_ptr<Private> self, Request request);
    void endAll();

private:
    /// A request that waits for its turn at a host.
    struct Waiting {
        Gate *gate = nullptr;
        bool cancelled = false;
    };
    struct Host {
        int underWay = 0;
        std::deque<Waiting *> waiting;
    };

    QNetworkAccessManager &managerFor(const Request &request);
    Result<std::unique_ptr<Exchange>> begin(const Request &request);
    void leave(const QString &host);

    QObject m_context;
    std::map<QString, std::unique_ptr<QNetworkAccessManager>> m_managers;
    std::map<QString, Host> m_hosts;
    std::set<Exchange *> m_exchanges;
    qint64 m_stops = 0; ///< how often everything was ended: tells a request that it has been, too
};

QNetworkAccessManager &NetworkTransport::Private::managerFor(const Request &request)
{
    auto &manager = m_managers[tlsIdentity(request) + u'|' + proxyIdentity(request)];
    if (!manager) {
        manager = std::make_unique<QNetworkAccessManager>();
        useProxy(*manager, request);
    }
    return *manager;
}

Result<std::unique_ptr<Exchange>> NetworkTransport::Private::begin(const Request &request)
{
    QNetworkRequest wire = wireRequest(request);
    if (request.url.scheme() == u"https") {
        auto tls = tlsConfiguration(request);
        if (!tls)
            return fail(tls.error());
        wire.setSslConfiguration(*tls);
    }
    return std::make_unique<Exchange>(managerFor(request), wire, request);
}

void NetworkTransport::Private::leave(const QString &host)
{
    Host &entry = m_hosts[host];
    if (entry.waiting.empty()) {
        if (--entry.underWay == 0)
            m_hosts.erase(host);
        return;
    }
    // The place goes to the next one as it is: nobody who comes later can take it.
    Waiting *next = entry.waiting.front();
    entry.waiting.pop_front();
    next->gate->open();
}

void NetworkTransport::Private::endAll()
{
    ++m_stops;
    for (auto &[name, host] : m_hosts) {
        for (Waiting *waiting : std::exchange(host.waiting, {})) {
            waiting->cancelled = true;
            waiting->gate->open();
        }
    }
    for (Exchange *exchange : m_exchanges)
        exchange->end(networkerror::cancelled(exchange->url()));
}

QCoro::Task<Result<Response>> NetworkTransport::Private::run(std::shared_ptr<Private> self, Request request)
{
    const QUrl first = request.url;
    const QString host = hostAndPort(first);
    const qint64 stops = self->m_stops;
    if (self->m_hosts[host].underWay < requestsPerHost) {
        ++self->m_hosts[host].underWay;
    } else {
        Gate turn(&self->m_context);
        Waiting waiting{.gate = &turn};
        self->m_hosts[host].waiting.push_back(&waiting);
        co_await turn.opening();
        if (waiting.cancelled)
            co_return fail(networkerror::cancelled(first));
    }
    const Place place([self, host] { self->leave(host); });

    Exchange *current = nullptr;
    QTimer deadline;
    deadline.setSingleShot(true);
    deadline.setTimerType(Qt::PreciseTimer);
    QObject::connect(&deadline, &QTimer::timeout, &deadline, [&] {
        if (current)
            current->end(networkerror::deadline(request.url, request.timeout, current->received()));
    });
    QElapsedTimer took;
    bool leftOrigin = false;
    for (int redirects = 0;; ++redirects) {
        if (request.mayLeave) {
            if (auto allowed = co_await request.mayLeave(&request); !allowed)
                co_return fail(allowed.error());
        }
        if (self->m_stops != stops)
            co_return fail(networkerror::cancelled(first));
        if (!took.isValid()) {
            took.start();
            deadline.start(static_cast<int>(
                std::clamp<qint64>(request.timeout.count(), 1, std::numeric_limits<int>::max())));
        }
        auto exchange = self->begin(request);
        if (!exchange)
            co_return fail(exchange.error());
        current = exchange->get();
        self->m_exchanges.insert(current);
        co_await current->done().opening();
        self->m_exchanges.erase(current);
        auto response = current->take();
        current = nullptr;
        exchange->reset();
        if (!response)
            co_return fail(response.error());
        response->took = Duration{took.elapsed()};
        if (request.answered)
            request.answered(*response);
        if (!isRedirect(response->status) || request.redirects == Redirects::None ||
            !response->hasHeader("Location")) {
            response->credentialsDropped = leftOrigin;
            co_return std::move(*response);
        }
        if (redirects == mostRedirects)
            co_return fail(networkerror::tooManyRedirects(first, mostRedirects));
        if (const auto refused = follow(request, *response, &leftOrigin))
            co_return fail(*refused);
    }
}

NetworkTransport::NetworkTransport()
    : d(std::make_shared<Private>())
{
}

NetworkTransport::~NetworkTransport()
{
    d->endAll();
}

QCoro::Task<Result<Response>> NetworkTransport::send(Request request)
{
    const QString scheme = request.url.scheme();
    if (!request.url.isValid() || request.url.host().isEmpty() || (scheme != u"http" && scheme != u"https"))
        co_return fail(networkerror::unknownScheme(request.url));
    co_return co_await Private::run(d, std::move(request));
}

void NetworkTransport::abortAll()
{
    d->endAll();
}

} // namespace watukuy::http
