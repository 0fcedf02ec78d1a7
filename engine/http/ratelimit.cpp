// SPDX-License-Identifier: GPL-3.0-or-later
// Rate-limit headers, family by family. What a family says is used only if something of it reads.
#include <cmath>

#include "engine/http/headers.h"
#include "engine/http/structuredfields.h"

namespace watukuy::http {

using namespace Qt::StringLiterals;

namespace {

constexpr double secondsFrom = 1e9;          ///< smaller is a delta, otherwise an epoch in seconds ...
constexpr double millisFrom = 1e11;          ///< ... or in milliseconds
constexpr double mostBack = 86'400;          ///< plausible resets: a day back (a clock that is off) ...
constexpr double mostAhead = 400.0 * 86'400; ///< ... to a bit over a year ahead

/// One quota as a server states it.
struct Quota {
    QByteArray name;
    std::optional<double> limit, remaining, reset;

    [[nodiscard]] bool saysSomething() const { return limit || remaining || reset; }
};

/// The lines of one header, joined as RFC 9110 5.2 has it.
QByteArray joined(const Headers &headers, QByteArrayView name)
{
    QByteArray all;
    for (const auto &[key, value] : headers) {
        if (key.compare(name, Qt::CaseInsensitive) != 0)
            continue;
        if (!all.isEmpty())
            all += ", ";
        all += value;
    }
    return all.trimmed();
}

/// The number at the front of a text ("100, 100;w=60", "12 of 100"); negative or none = nothing.
std::optional<double> leadingNumber(QByteArrayView text)
{
    const QByteArrayView rest = text.trimmed();
    qsizetype end = 0;
    bool dot = false;
    while (end < rest.size() &&
           ((rest[end] >= '0' && rest[end] <= '9') || (rest[end] == '.' && !dot && end > 0))) {
        dot = dot || rest[end] == '.';
        ++end;
    }
    bool ok = false;
    const double value = rest.first(end).toDouble(&ok);
    return ok ? std::optional{value} : std::nullopt;
}

std::optional<double> notNegative(const structured::BareItem *item)
{
    const auto number = item ? structured::numberOf(*item) : std::nullopt;
    return number && *number >= 0 ? number : std::nullopt;
}

/// Parts of `text` between `separator`s that stand outside of quotes.
std::vector<QByteArray> splitOutsideQuotes(const QByteArray &text, char separator)
{
    std::vector<QByteArray> parts(1);
    bool quoted = false;
    for (qsizetype at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (quoted && c == '\\' && at + 1 < text.size()) {
            parts.back() += c;
            parts.back() += text[++at];
            continue;
        }
        if (c == '"')
            quoted = !quoted;
        if (c == separator && !quoted)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

void setField(Quota &quota, QByteArrayView key, std::optional<double> value)
{
    if (key == "r" || key == "remaining")
        quota.remaining = value;
    else if (key == "t" || key == "reset")
        quota.reset = value;
    else if (key == "q" || key == "limit")
        quota.limit = value;
}

/// `"name";r=50;t=30, ...` as RFC 9651 has it.
std::optional<std::vector<Quota>> strictQuotas(const QByteArray &text)
{
    const auto list = structured::parseList(text);
    if (!list)
        return std::nullopt;
    std::vector<Quota> quotas;
    for (const structured::Member &member : *list) {
        const auto *item = std::get_if<structured::Item>(&member);
        const auto *name = item ? std::get_if<std::string>(&item->value) : nullptr;
        if (!name)
            return std::nullopt;
        Quota quota{.name = QByteArray::fromStdString(*name)};
        for (const auto &[key, value] : item->parameters)
            setField(quota, key, notNegative(&value));
        quotas.push_back(std::move(quota));
    }
    return quotas;
}

/// What real servers send instead: `r=5 ; t=2`, `limit=100, remaining=50, reset=30`, `R=9;T=4`.
std::vector<Quota> looseQuotas(const QByteArray &text)
{
    std::vector<Quota> quotas;
    Quota nameless;
    for (const QByteArray &element : splitOutsideQuotes(text, ',')) {
        Quota quota;
        for (const QByteArray &raw : splitOutsideQuotes(element, ';')) {
            const QByteArray part = raw.trimmed();
            const qsizetype equals = part.indexOf('=');
            if (equals > 0)
                setField(quota, part.left(equals).trimmed().toLower(), leadingNumber(part.mid(equals + 1)));
            else if (part.size() >= 2 && part.startsWith('"') && part.endsWith('"'))
                quota.name = part.mid(1, part.size() - 2).replace("\\\"", "\"").replace("\\\\", "\\");
        }
        if (!quota.name.isEmpty()) {
            quotas.push_back(std::move(quota));
            continue;
        }
        // The older dictionary spreads one quota over several elements.
        nameless.limit = nameless.limit ? nameless.limit : quota.limit;
        nameless.remaining = nameless.remaining ? nameless.remaining : quota.remaining;
        nameless.reset = nameless.reset ? nameless.reset : quota.reset;
    }
    if (nameless.saysSomething())
        quotas.insert(quotas.begin(), std::move(nameless));
    return quotas;
}

std::vector<Quota> quotasIn(const QByteArray &text)
{
    if (text.isEmpty())
        return {};
    auto strict = strictQuotas(text);
    return strict && !strict->empty() ? std::move(*strict) : looseQuotas(text);
}

/// The quota that forces the longest pause between two requests; the first of equals.
const Quota *tightest(const std::vector<Quota> &quotas)
{
    const auto pause = [](const Quota &quota) {
        return quota.reset.value_or(0) / std::max(quota.remaining.value_or(1), 1.0);
    };
    const Quota *found = nullptr;
    for (const Quota &quota : quotas) {
        if (quota.saysSomething() && (!found || pause(quota) > pause(*found)))
            found = &quota;
    }
    return found;
}

std::optional<qint64> whole(std::optional<double> value)
{
    return value && *value < 9e15 ? std::optional{qint64(std::floor(*value))} : std::nullopt;
}

std::optional<Instant> afterSeconds(std::optional<double> seconds, Instant now)
{
    if (!seconds || *seconds > mostAhead)
        return std::nullopt;
    return now + Duration{std::llround(*seconds * 1000)};
}

/// A reset as a delta or an epoch, by its size; nothing when it is not plausible.
std::optional<Instant> resetOf(std::optional<double> value, Instant now)
{
    if (!value)
        return std::nullopt;
    if (*value < secondsFrom)
        return afterSeconds(value, now);
    const double ms = *value < millisFrom ? *value * 1000 : *value;
    const double ahead = (ms - double(toEpochMs(now))) / 1000;
    if (ahead < -mostBack || ahead > mostAhead)
        return std::nullopt;
    return fromEpochMs(std::llround(ms));
}

std::optional<RateLimit> ietf(const Headers &headers, Instant now)
{
    RateLimit limit{.source = u"ietf"_s};
    const QByteArray policy = joined(headers, "RateLimit-Policy");
    const std::vector<Quota> states = quotasIn(joined(headers, "RateLimit"));
    const std::vector<Quota> policies = quotasIn(policy);
    const Quota *state = tightest(states);
    if (state) {
        limit.limit = whole(state->limit);
        limit.remaining = whole(state->remaining);
        limit.resetAt = afterSeconds(state->reset, now);
    }
    const auto named = std::ranges::find_if(
        policies, [&](const Quota &candidate) { return state && candidate.name == state->name; });
    if (!limit.limit && !policies.empty())
        limit.limit = whole(named != policies.end() ? named->limit : policies.front().limit);
    if (!limit.limit && !limit.remaining && !limit.resetAt)
        return std::nullopt;
    limit.policy = QString::fromLatin1(policy);
    return limit;
}

std::optional<RateLimit> family(const Headers &headers, Instant now, const QString &source,
                                const std::vector<QByteArray> &prefixes)
{
    RateLimit limit{.source = source};
    for (const QByteArray &prefix : prefixes) {
        if (!limit.limit)
            limit.limit = whole(leadingNumber(joined(headers, prefix + "Limit")));
        if (!limit.remaining)
            limit.remaining = whole(leadingNumber(joined(headers, prefix + "Remaining")));
        if (!limit.resetAt)
            limit.resetAt = afterSeconds(leadingNumber(joined(headers, prefix + "Reset-After")), now);
        if (!limit.resetAt)
            limit.resetAt = resetOf(leadingNumber(joined(headers, prefix + "Reset")), now);
    }
    if (!limit.limit && !limit.remaining && !limit.resetAt)
        return std::nullopt;
    return limit;
}

} // namespace

std::optional<RateLimit> readRateLimit(const Headers &headers, Instant now)
{
    if (auto limit = ietf(headers, now))
        return limit;
    if (auto limit = family(headers, now, u"legacy"_s, {"RateLimit-"}))
        return limit;
    return family(headers, now, u"vendor"_s, {"X-RateLimit-", "X-Rate-Limit-"});
}

} // namespace watukuy::http
