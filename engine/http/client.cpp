// SPDX-License-Identifier: GPL-3.0-or-later
// What an answer means for the cycle.
#include "engine/http/client.h"

#include <utility>

#include <QRegularExpression>

#include "engine/http/credentials.h"
#include "engine/http/headers.h"
#include "engine/http/origin.h"
#include "engine/http/signature.h"

namespace watukuy::http {

using namespace Qt::StringLiterals;

namespace {

QString nameOf(int status)
{
    static const QHash<int, QString> names{{400, u"Bad Request"_s},
                                           {401, u"Unauthorized"_s},
                                           {402, u"Payment Required"_s},
                                           {403, u"Forbidden"_s},
                                           {404, u"Not Found"_s},
                                           {405, u"Method Not Allowed"_s},
                                           {406, u"Not Acceptable"_s},
                                           {408, u"Request Timeout"_s},
                                           {409, u"Conflict"_s},
                                           {410, u"Gone"_s},
                                           {415, u"Unsupported Media Type"_s},
                                           {422, u"Unprocessable Content"_s},
                                           {429, u"Too Many Requests"_s},
                                           {500, u"Internal Server Error"_s},
                                           {502, u"Bad Gateway"_s},
                                           {503, u"Service Unavailable"_s},
                                           {504, u"Gateway Timeout"_s}};
    const QString name = names.value(status);
    return name.isEmpty() ? QString::number(status) : QString::number(status) + u' ' + name;
}

QString nextStepFor(int status, const Request &request, const Response &response)
{
    if (response.credentialsDropped && (status == 401 || status == 403))
        return u"Set request.url to the address that the redirect leads to: credentials stay with their own origin"_s;
    switch (status) {
    case 401:
        return carriesCredentials(request) ? u"Check the credential: it may have expired or been revoked"_s
                                           : u"Set request.credential: the API wants one"_s;
    case 403:
        return u"Check what the credential is allowed to read"_s;
    case 404:
    case 410:
        return u"Check request.url and what its placeholders stand for"_s;
    case 405:
    case 415:
        return u"Check request.method and request.body"_s;
    case 400:
    case 422:
        return u"Check request.query, request.headers and request.body"_s;
    case 406:
        return u"Set an Accept header in request.headers"_s;
    default:
        break;
    }
    if (status >= 500 || status == 408)
        return u"Nothing to do: it is tried again. If it goes on, look at the API's status page"_s;
    if (status >= 300 && status < 400)
        return u"Set request.url to the address that it leads to"_s;
    return {};
}

QString whereOf(const Request &request, const Response &response)
{
    QString where = QString::fromLatin1(request.method) + u' ' + placeOf(response.finalUrl);
    if (response.credentialsDropped)
        where += u" (redirected from %1 to another origin, credentials were not sent there)"_s.arg(
            placeOf(request.url));
    return where;
}

Error statusError(const Request &request, const Response &response)
{
    const Problem problem = readProblem(response.header("Content-Type"), response.body);
    Error error{.kind = ErrorKind::Http, .name = u"HttpStatusError"_s};
    error.title = problem.title.isEmpty()
                      ? u"The API answered %1"_s.arg(nameOf(response.status))
                      : u"The API answered %1: %2"_s.arg(nameOf(response.status), problem.title);
    error.detail = whereOf(request, response);
    if (!problem.detail.isEmpty())
        error.detail += u": "_s + problem.detail;
    if (response.status >= 300 && response.status < 400 && response.hasHeader("Location"))
        error.detail += u": leads to %1"_s.arg(placeOf(
            response.finalUrl.resolved(QUrl::fromEncoded(response.header("Location"), QUrl::TolerantMode))));
    error.nextStep = nextStepFor(response.status, request, response);
    error.retryable = response.status >= 500 || response.status == 408 || response.status == 429;
    return error;
}

bool isHtml(const QByteArray &contentType, const QByteArray &body)
{
    const QByteArray type = contentType.split(';').first().trimmed().toLower();
    if (type == "text/html" || type == "application/xhtml+xml")
        return true;
    const QByteArray start = body.left(256).trimmed().toLower();
    return start.startsWith("<!doctype html") || start.startsWith("<html");
}

Error htmlError(const Request &request, const Response &response)
{
    static const QRegularExpression title(uR"(<title[^>]*>([^<]{1,200}))"_s,
                                          QRegularExpression::CaseInsensitiveOption);
    const QString heading =
        title.match(QString::fromUtf8(response.body.left(16 * 1024))).captured(1).simplified();
    const QString type = QString::fromLatin1(response.header("Content-Type"));
    Error error{.kind = ErrorKind::Body, .name = u"HtmlBody"_s};
    error.title = u"An HTML page came where data was declared"_s;
    error.detail = u"%1 answered %2 with Content-Type %3"_s.arg(whereOf(request, response))
                       .arg(response.status)
                       .arg(type.isEmpty() ? u"(none)"_s : type);
    if (!heading.isEmpty())
        error.detail += u", titled “%1”"_s.arg(heading);
    error.nextStep =
        u"Usually a login or a maintenance page: open the address in a browser, check request.credential"_s;
    return error;
}

/// `onStatus` first, then the defaults (spec-engine 6 and 11).
StatusRule ruleFor(const Response &response, const ResponseDefinition &definition, bool saysWhenToRetry,
                   bool *isDefault)
{
    const auto declared = definition.onStatus.find(response.status);
    *isDefault = declared == definition.onStatus.end();
    if (!*isDefault)
        return declared->second;
    if (response.status == 429 || ((response.status == 403 || response.status == 503) && saysWhenToRetry))
        return StatusRule::Throttle;
    return response.status == 204 || response.status == 205 ? StatusRule::Empty : StatusRule::Fail;
}

void makeConditional(Request &request, const Validator &validator)
{
    if (!validator.etag.isEmpty())
        request.headers.emplace_back("If-None-Match", validator.etag);
    if (!validator.lastModified.isEmpty())
        request.headers.emplace_back("If-Modified-Since", validator.lastModified);
}

/// A successful body made ready to be taken apart.
Result<void> takeBody(Answer &answer, const Request &request)
{
    const Response &response = answer.response;
    const Validator validator{response.header("ETag"), response.header("Last-Modified")};
    if (validator != Validator{})
        answer.validator = validator;
    if (!response.body.trimmed().isEmpty() && isHtml(response.header("Content-Type"), response.body))
        return fail(htmlError(request, response));
    auto utf8 = toUtf8(response.body, response.header("Content-Type"));
    if (!utf8)
        return fail(utf8.error());
    answer.body = std::move(*utf8);
    answer.response.body.clear();
    return {};
}

Result<Answer> judge(const Request &request, Response response, const ResponseDefinition &definition,
                     const QString &nextHeaderName, Instant now)
{
    Answer answer;
    answer.rateLimit = readRateLimit(response.headers, now);
    answer.retryAfter = readRetryAfter(response.header("Retry-After"), now);
    answer.linkNext = nextTarget(response.headers, response.finalUrl);
    if (!nextHeaderName.isEmpty())
        answer.nextHeader = QString::fromUtf8(response.header(nextHeaderName.toLatin1()));
    answer.response = std::move(response);
    const int status = answer.response.status;
    bool isDefault = false;
    const StatusRule rule = ruleFor(answer.response, definition, answer.retryAfter.has_value(), &isDefault);
    if (isDefault && status == 304) {
        answer.outcome = Answer::Outcome::NotModified;
        return answer;
    }
    if (isDefault && status >= 200 && status < 300 && rule == StatusRule::Fail) {
        if (const auto taken = takeBody(answer, request); !taken)
            return fail(taken.error());
        return answer;
    }
    switch (rule) {
    case StatusRule::Fail:
        return fail(statusError(request, answer.response));
    case StatusRule::Empty:
        break;
    case StatusRule::IgnorePage:
        answer.outcome = Answer::Outcome::IgnorePage;
        break;
    case StatusRule::Throttle: {
        answer.outcome = Answer::Outcome::Throttled;
        Error throttle = statusError(request, answer.response);
        throttle.name = u"Throttled"_s;
        throttle.retryable = true;
        throttle.nextStep =
            u"Nothing to do: the API says when to ask again. Poll less often if it happens a lot"_s;
        answer.throttle = std::move(throttle);
        break;
    }
    }
    answer.response.body.clear();
    return answer;
}

Error tokenRanOut()
{
    return {.kind = ErrorKind::Http,
            .name = u"TokenRanOut"_s,
            .title = u"The access token ran out while the request waited for its turn"_s,
            .retryable = true};
}

Error redacted(Error error, const Secrets &secrets)
{
    error.title = secrets.redact(error.title);
    error.detail = secrets.redact(error.detail);
    error.nextStep = secrets.redact(error.nextStep);
    return error;
}

} // namespace

/// A request may have queued for long: it is signed when it leaves, and with a token that is still good.
QCoro::Task<Result<void>> Client::dress(Request *request, Leave before, QString token)
{
    const auto hasRunOut = [&] {
        return request->grant && !token.isEmpty() && !m_tokens.isGood(*request->grant, token);
    };
    if (hasRunOut()) // before a share of the budget is spent for it
        co_return fail(tokenRanOut());
    if (before) {
        if (auto allowed = co_await before(request); !allowed)
            co_return allowed;
    }
    if (hasRunOut())
        co_return fail(tokenRanOut());
    if (!request->signature)
        co_return Result<void>{};
    co_return sign(*request, *request->signature, m_clock.now());
}

QCoro::Task<Result<Response>> Client::send(Request request)
{
    constexpr int mostStale = 3; // tokens that are good for no time at all are sent in the end
    const Leave before = std::exchange(request.mayLeave, {});
    int refused = 0;
    for (int stale = 0;;) {
        QString token;
        if (request.grant) {
            auto given = co_await m_tokens.token(request.grant);
            if (!given)
                co_return fail(given.error());
            token = *given;
            if (auto set =
                    setHeader(request, u"Authorization"_s, u"Bearer "_s + token, request.grant->credential);
                !set)
                co_return fail(set.error());
        }
        request.mayLeave = [this, before, looked = stale < mostStale ? token : QString()](Request *leaving) {
            return dress(leaving, before, looked);
        };
        auto came = co_await m_transport.send(request);
        if (!came && came.error().name == tokenRanOut().name && stale < mostStale) {
            ++stale;
            continue;
        }
        const bool isRefused = request.grant && came && came->status == 401 && !came->credentialsDropped;
        if (isRefused)
            m_tokens.refuse(*request.grant, token);
        if (!isRefused || ++refused > 1)
            co_return came;
    }
}

QCoro::Task<Result<Answer>> Client::fetch(Request request, ResponseDefinition response,
                                          std::optional<Validator> validator, QString nextHeaderName)
{
    if (validator)
        makeConditional(request, *validator);
    auto came = co_await send(request);
    if (!came)
        co_return fail(redacted(came.error(), m_secrets));
    const int status = came->status;
    auto answer = judge(request, std::move(*came), response, nextHeaderName, m_clock.now());
    if (!answer) {
        Error error = redacted(answer.error(), m_secrets);
        error.httpStatus = status;
        co_return fail(std::move(error));
    }
    if (answer->throttle)
        answer->throttle = redacted(*answer->throttle, m_secrets);
    co_return answer;
}

} // namespace watukuy::http
