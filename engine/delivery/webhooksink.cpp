// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/delivery/webhooksink.h"

#include <QRegularExpression>

#include "engine/delivery/standardwebhook.h"
#include "engine/http/credentials.h"
#include "engine/http/headers.h"
#include "engine/http/origin.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 largestAnswer = 64LL * 1024;

bool isAboutTheReceiver(int status)
{
    return status == 408 || status == 429 || status >= 500 || (status >= 300 && status < 400);
}

/// What a sink's placeholders stand for; values are data and stay inside their part of a URL.
Template::Lookup lookupFor(const Event &event, const SinkPorts &ports)
{
    return http::withSecrets(
        [&event, &ports](const QString &name) -> Result<std::optional<QString>> {
            if (name == u"poller")
                return event.key.poller;
            if (name == u"partition")
                return event.key.partition;
            if (name == u"lane")
                return QString(toString(event.lane));
            const auto variable = ports.variables.find(name.mid(4));
            if (name.startsWith(u"var.") && variable != ports.variables.end())
                return variable->second;
            return fail({.kind = ErrorKind::Workspace,
                         .name = u"PlaceholderError"_s,
                         .title = u"${%1} means nothing in a webhook"_s.arg(name)});
        },
        ports.secrets);
}

void replaceHeader(http::Request &request, const QByteArray &name, const QByteArray &value)
{
    std::erase_if(request.headers,
                  [&](const auto &header) { return header.first.compare(name, Qt::CaseInsensitive) == 0; });
    request.headers.emplace_back(name, value);
}

SinkAnswer down(Error error, std::optional<Duration> retryAfter = {})
{
    SinkAnswer answer;
    answer.outcome = SinkAnswer::Outcome::Down;
    answer.error = std::move(error);
    answer.retryAfter = retryAfter;
    return answer;
}

QString nextStepFor(int status)
{
    if (status == 401 || status == 403 || status == 407)
        return u"Check the sink's headers and secret: the receiver does not let the events in."_s;
    if (status == 404 || status == 405 || status == 410)
        return u"Check the sink's url: the receiver takes no events there."_s;
    if (status >= 300 && status < 400)
        return u"Set the sink's url to the address that it leads to; redirects are not followed."_s;
    if (status >= 400 && status < 500 && !isAboutTheReceiver(status))
        return u"Look at the event and at the receiver's log; then retry or discard it."_s;
    return u"Nothing to do: it is tried again. If it goes on, look at the receiver."_s;
}

} // namespace

WebhookSink::WebhookSink(WebhookSinkDefinition definition, const SinkPorts &ports)
    : m_definition(std::move(definition))
    , m_ports(ports)
{
}

Result<QUrl> WebhookSink::addressFor(const Event &event) const
{
    const Template::Lookup lookup = lookupFor(event, m_ports);
    const bool beginsWithValue = m_definition.url.text().startsWith(u"${");
    bool isFirst = true;
    const auto text = m_definition.url.expand([&](const QString &name) -> Result<std::optional<QString>> {
        auto value = lookup(name);
        const bool asItIs = (std::exchange(isFirst, false) && beginsWithValue) || name.startsWith(u"var.") ||
                            Secrets::isReference(name);
        if (!value || !*value || asItIs)
            return value;
        return QString::fromLatin1(QUrl::toPercentEncoding(**value));
    });
    if (!text)
        return fail(text.error());
    const QUrl url(text->value_or(QString()), QUrl::StrictMode);
    if (url.isValid() && (url.scheme() == u"http" || url.scheme() == u"https") && !url.host().isEmpty())
        return url;
    return fail({.kind = ErrorKind::Workspace,
                 .name = u"WebhookUrlError"_s,
                 .title = u"The url of a webhook is no http address"_s,
                 .detail = m_definition.url.text(),
                 .nextStep = u"Check the sink's url and what its placeholders stand for."_s});
}

Result<http::Request> WebhookSink::requestFor(const Delivery &delivery) const
{
    const auto url = addressFor(delivery.event);
    if (!url)
        return fail(url.error());
    http::Request request;
    request.method = "POST";
    request.url = *url;
    request.timeout = m_definition.timeout;
    request.maxBytes = largestAnswer;
    request.redirects = Redirects::None;
    request.body = delivery.envelope;
    const Template::Lookup lookup = lookupFor(delivery.event, m_ports);
    for (const auto &[name, value] : m_definition.headers) {
        const auto text = value.expand(lookup);
        if (!text)
            return fail(text.error());
        if (!*text)
            continue;
        if (auto set = http::setHeader(request, name, **text, u"headers of a webhook"_s); !set)
            return fail(set.error());
    }
    replaceHeader(request, "Content-Type",
                  delivery.format == EventFormat::Native ? "application/json"
                                                         : "application/cloudevents+json");
    const QByteArray id = delivery.event.id.toHex();
    const qint64 now = toEpochMs(m_ports.clock.now()) / 1000;
    replaceHeader(request, "webhook-id", id);
    replaceHeader(request, "webhook-timestamp", QByteArray::number(now));
    if (m_definition.secret.isEmpty())
        return request;
    const auto secret = m_definition.secret.expand(lookup);
    if (!secret)
        return fail(secret.error());
    const auto key = standardwebhook::keyOf(secret->value_or(QString()));
    if (!key)
        return fail(key.error());
    replaceHeader(request, "webhook-signature", standardwebhook::signature(*key, id, now, request.body));
    return request;
}

std::optional<Duration> WebhookSink::takeTurn()
{
    if (m_definition.rateRequests <= 0)
        return {};
    const Duration now = m_ports.clock.steady();
    while (!m_sent.empty() && now - m_sent.front() >= m_definition.ratePer)
        m_sent.pop_front();
    if (m_sent.size() >= static_cast<size_t>(m_definition.rateRequests))
        return m_sent.front() + m_definition.ratePer - now;
    m_sent.push_back(now);
    return {};
}

SinkAnswer WebhookSink::judge(const http::Response &response) const
{
    const QList<int> &wanted = m_definition.successStatuses;
    const bool isSuccess =
        wanted.isEmpty() ? response.status >= 200 && response.status < 300 : wanted.contains(response.status);
    if (isSuccess)
        return {};
    const http::Problem problem = http::readProblem(response.header("Content-Type"), response.body);
    Error error{.kind = ErrorKind::Sink,
                .name = u"WebhookStatusError"_s,
                .title = u"The receiver answered %1"_s.arg(response.status),
                .detail = m_ports.secrets.redact(
                    QStringList{http::placeOf(response.finalUrl), problem.title, problem.detail}
                        .filter(QRegularExpression(u"."_s))
                        .join(u": "_s)),
                .nextStep = nextStepFor(response.status)};
    error.httpStatus = response.status;
    if (isAboutTheReceiver(response.status))
        return down(std::move(error),
                    http::readRetryAfter(response.header("Retry-After"), m_ports.clock.now()));
    SinkAnswer answer;
    answer.outcome = SinkAnswer::Outcome::Refused;
    answer.error = std::move(error);
    return answer;
}

QCoro::Task<SinkAnswer> WebhookSink::deliver(Delivery delivery)
{
    auto request = requestFor(delivery);
    if (!request)
        co_return down(request.error());
    if (const auto wait = takeTurn()) {
        SinkAnswer later;
        later.outcome = SinkAnswer::Outcome::Later;
        later.retryAfter = wait;
        co_return later;
    }
    auto response = co_await m_ports.transport.send(std::move(*request));
    if (response)
        co_return judge(*response);
    Error error = response.error();
    error.title = m_ports.secrets.redact(error.title);
    error.detail = m_ports.secrets.redact(error.detail);
    co_return down(std::move(error));
}

QCoro::Task<Result<void>> WebhookSink::flush()
{
    co_return Result<void>{};
}

} // namespace watukuy
