// SPDX-License-Identifier: GPL-3.0-or-later
// Rate-limit headers and structured fields: bounds of what is read, and fields that read back as written.
#include <array>

#include "engine/http/headers.h"
#include "engine/http/structuredfields.h"
#include "tests/fuzz/property.h"

using namespace Qt::StringLiterals;
using namespace watukuy;
using fuzz::require;
namespace structured = http::structured;

namespace {

constexpr Instant now = fromEpochMs(1'767'225'600'000); // 2026-01-01
constexpr Duration mostBack = std::chrono::days{1};
constexpr Duration mostAhead = std::chrono::days{400};

/// The first byte of a line takes one.
const std::array<QByteArray, 12> names{
    "RateLimit",         "RateLimit-Policy",      "RateLimit-Limit",    "RateLimit-Remaining",
    "RateLimit-Reset",   "RateLimit-Reset-After", "X-RateLimit-Limit",  "X-RateLimit-Remaining",
    "X-RateLimit-Reset", "X-Rate-Limit-Limit",    "X-Rate-Limit-Reset", "X-RateLimit-Reset-After"};

http::Headers headersOf(const QByteArray &lines)
{
    http::Headers headers;
    for (const QByteArray &line : lines.split('\n')) {
        if (!line.isEmpty())
            headers.emplace_back(names.at(static_cast<uint8_t>(line.front()) % names.size()), line.mid(1));
    }
    return headers;
}

/// Writes values as RFC 9651 section 4.1 has it.
class Writer {
public:
    QByteArray list(const structured::List &members)
    {
        QByteArrayList texts;
        for (const structured::Member &one : members)
            texts.append(member(one));
        return texts.join(", ");
    }

    QByteArray dictionary(const structured::Dictionary &members)
    {
        QByteArrayList texts;
        for (const auto &[name, value] : members)
            texts.append(name + '=' + member(value));
        return texts.join(", ");
    }

    QByteArray item(const structured::Item &one) { return bare(one.value) + parameters(one.parameters); }

private:
    QByteArray member(const structured::Member &one)
    {
        if (const auto *single = std::get_if<structured::Item>(&one))
            return item(*single);
        const auto &inner = std::get<structured::InnerList>(one);
        QByteArrayList texts;
        for (const structured::Item &each : inner.items)
            texts.append(item(each));
        return '(' + texts.join(' ') + ')' + parameters(inner.parameters);
    }

    QByteArray parameters(const structured::Parameters &all)
    {
        QByteArray text;
        for (const auto &[name, value] : all)
            text += ';' + name + '=' + bare(value);
        return text;
    }

    QByteArray bare(const structured::BareItem &value)
    {
        return std::visit([](const auto &one) { return text(one); }, value);
    }

    static QByteArray text(qint64 value) { return QByteArray::number(value); }
    static QByteArray text(bool value) { return value ? "?1" : "?0"; }
    static QByteArray text(const structured::Token &token) { return token.text; }
    static QByteArray text(const structured::Date &date) { return '@' + QByteArray::number(date.seconds); }
    static QByteArray text(const QByteArray &bytes) { return ':' + bytes.toBase64() + ':'; }
    static QByteArray text(const structured::Decimal &decimal)
    {
        return QByteArray::number(decimal.value, 'f', 3);
    }
    static QByteArray text(const std::string &string)
    {
        return '"' + QByteArray::fromStdString(string).replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
    static QByteArray text(const structured::DisplayString &display)
    {
        QByteArray encoded;
        for (const char byte : display.text.toUtf8()) {
            if (byte < 0x20 || byte >= 0x7f || byte == '%' || byte == '"')
                encoded +=
                    '%' + QByteArray::number(static_cast<unsigned char>(byte), 16).rightJustified(2, '0');
            else
                encoded += byte;
        }
        return "%\"" + encoded + '"';
    }
};

void checkFields(const QByteArray &field)
{
    Writer writer;
    if (const auto list = structured::parseList(field)) {
        const QByteArray written = writer.list(*list);
        require(structured::parseList(written) == list, "a list reads back as it was written",
                {{"field", field}, {"written", written}});
    }
    if (const auto dictionary = structured::parseDictionary(field)) {
        const QByteArray written = writer.dictionary(*dictionary);
        require(structured::parseDictionary(written) == dictionary,
                "a dictionary reads back as it was written", {{"field", field}, {"written", written}});
    }
    if (const auto item = structured::parseItem(field)) {
        const QByteArray written = writer.item(*item);
        require(structured::parseItem(written) == item, "an item reads back as it was written",
                {{"field", field}, {"written", written}});
        const auto list = structured::parseList(field);
        require(list && list->size() == 1 && list->front() == structured::Member(*item),
                "an item is a list of one", {{"field", field}});
        const auto number = structured::numberOf(item->value);
        require(!number || (*number > -1e15 && *number < 1e15), "a number has at most 15 digits",
                {{"field", field}});
    }
}

void checkLimit(const RateLimit &limit)
{
    require(limit.source == u"ietf" || limit.source == u"legacy" || limit.source == u"vendor",
            "the source is a family", {{"source", limit.source}});
    require(limit.limit || limit.remaining || limit.resetAt, "a limit that was read says something");
    require(limit.limit.value_or(0) >= 0 && limit.remaining.value_or(0) >= 0, "no count is negative",
            {{"limit", limit.limit.value_or(0)}, {"remaining", limit.remaining.value_or(0)}});
    if (limit.resetAt)
        require(*limit.resetAt >= now - mostBack && *limit.resetAt <= now + mostAhead, "a reset is plausible",
                {{"ms from now", (*limit.resetAt - now).count()}});
    if (limit.resetAt && limit.source == u"ietf")
        require(*limit.resetAt >= now, "a delta is not negative",
                {{"ms from now", (*limit.resetAt - now).count()}});
    require(limit.source == u"ietf" || limit.policy.isEmpty(), "only one family has a policy");
}

/// The same headers with other capitals, and in lines of their own among others.
void checkForms(const http::Headers &headers, const std::optional<RateLimit> &limit)
{
    http::Headers capitals;
    for (const auto &[name, value] : headers) {
        capitals.emplace_back("X-Other", "RateLimit: 1");
        capitals.emplace_back(name.toUpper(), value);
    }
    require(http::readRateLimit(capitals, now) == limit, "capitals and other headers do not matter");

    http::Headers joined;
    for (const QByteArray &name : names) {
        QByteArray all;
        for (const auto &[key, value] : headers) {
            if (key == name)
                all += (all.isEmpty() ? "" : ", ") + value;
        }
        if (!all.isEmpty())
            joined.emplace_back(name, all);
    }
    require(http::readRateLimit(joined, now) == limit, "several lines are one list (RFC 9110 5.2)");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const QByteArray lines(reinterpret_cast<const char *>(data), static_cast<qsizetype>(size));
    const http::Headers headers = headersOf(lines);
    for (const auto &[name, value] : headers)
        checkFields(value);
    const auto limit = http::readRateLimit(headers, now);
    if (limit)
        checkLimit(*limit);
    checkForms(headers, limit);
    return 0;
}
