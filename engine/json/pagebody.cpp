// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/json/pagebody.h"

#include "engine/json/csv.h"
#include "engine/json/token.h"
#include "engine/json/walk.h"

namespace watukuy::json {

using namespace Qt::StringLiterals;
using walk::ondemand::array;
using walk::ondemand::document;
using walk::ondemand::object;
using walk::ondemand::parser;
using walk::ondemand::value;

namespace {

QByteArray toBytes(std::string_view raw)
{
    return withoutLoneSurrogates(QByteArray(raw.data(), static_cast<qsizetype>(raw.size())));
}

simdjson::error_code cutArray(value from, std::vector<QByteArray> &items)
{
    array elements;
    if (const auto error = from.get_array().get(elements))
        return error;
    for (auto element : elements) {
        value item;
        std::string_view raw;
        if (const auto error = std::move(element).get(item))
            return error;
        if (const auto error = walk::rawOf(item).get(raw))
            return error;
        items.push_back(toBytes(raw));
    }
    return simdjson::SUCCESS;
}

/// `{"data":{"k1":{...}}}`: the key becomes the first member of each item.
simdjson::error_code cutKeyed(value from, const QString &keyField, std::vector<QByteArray> &items)
{
    object members;
    if (const auto error = from.get_object().get(members))
        return error;
    const QByteArray name = canonicalString(keyField);
    for (auto member : members) {
        walk::ondemand::field field;
        if (const auto error = std::move(member).get(field))
            return error;
        const char *quote = field.key().raw() - 1;
        const char *end = quote + 1;
        while (*end != '"')
            end += *end == '\\' ? 2 : 1;
        const QByteArray key = toBytes({quote, end + 1});
        std::string_view raw;
        if (const auto error = walk::rawOf(field.value()).get(raw))
            return error;
        const QByteArray item = toBytes(raw);
        const QByteArray rest = item.startsWith('{') ? item.mid(1).trimmed() : ",\"value\":" + item + '}';
        const bool isEmptyObject = rest == "}";
        items.push_back('{' + name + ':' + key + (isEmptyObject || rest.startsWith(',') ? "" : ",") + rest);
    }
    return simdjson::SUCCESS;
}

simdjson::error_code cutItems(value from, const BodyShape &shape, std::vector<QByteArray> &items)
{
    walk::ondemand::json_type type{};
    if (const auto error = from.type().get(type))
        return error;
    if (type == walk::ondemand::json_type::array)
        return cutArray(from, items);
    if (type == walk::ondemand::json_type::null)
        return simdjson::SUCCESS;
    if (type == walk::ondemand::json_type::object && !shape.keyField.isEmpty())
        return cutKeyed(from, shape.keyField, items);
    std::string_view raw;
    if (const auto error = walk::rawOf(from).get(raw))
        return error;
    items.push_back(toBytes(raw));
    return simdjson::SUCCESS;
}

Error missingItems(const BodyShape &shape, QByteArrayView body)
{
    const QStringList names = namesAt(body);
    return {.kind = ErrorKind::Body,
            .name = u"ItemsPathError"_s,
            .title = u"Nothing is at response.items \"%1\""_s.arg(shape.items.text()),
            .detail = names.isEmpty() ? u"The body has no names at its root."_s
                                      : u"The body has: %1"_s.arg(names.join(u", "_s)),
            .nextStep = u"Point response.items at the list; \"watukuy test\" shows the answer."_s};
}

/// Walks along the names of `response.items`; an absent step is no error of the parser.
class ItemsCutter {
public:
    ItemsCutter(const BodyShape &shape, std::vector<QByteArray> &items)
        : m_shape(shape)
        , m_items(items)
    {
    }

    simdjson::error_code cut(value from, qsizetype depth)
    {
        if (depth == m_shape.items.segments().size()) {
            m_found = true;
            m_items.clear();
            return cutItems(from, m_shape, m_items);
        }
        object members;
        if (from.get_object().get(members))
            return walk::skip(from);
        const QString &wanted = m_shape.items.segments().at(depth);
        for (auto member : members) {
            std::string_view name;
            if (const auto error = member.unescaped_key().get(name))
                return error;
            const bool isWanted = textOfUtf8({name.data(), static_cast<qsizetype>(name.size())}) == wanted;
            value inner;
            if (const auto error = std::move(member.value()).get(inner))
                return error;
            if (const auto error = isWanted ? cut(inner, depth + 1) : walk::skip(inner))
                return error;
        }
        return simdjson::SUCCESS;
    }

    [[nodiscard]] bool found() const { return m_found; }

private:
    const BodyShape &m_shape;
    std::vector<QByteArray> &m_items;
    bool m_found = false;
};

/// Items of a JSON body; the whole text must be one value and nothing after it.
Result<void> takeJsonApart(QByteArrayView body, const BodyShape &shape, PageBody &page)
{
    walk::PaddedText padded;
    parser reader;
    const std::string_view text = padded.hold(body);
    document root;
    value whole;
    std::string_view all;
    auto error = reader.iterate(padded.view()).get(root);
    const bool isIndexed = !error;
    if (!error)
        error = root.raw_json().get(all);
    if (!error && walk::trimmed(all).size() != walk::trimmed(text).size())
        error = simdjson::TRAILING_CONTENT;
    if (!error) {
        root.rewind();
        error = root.get_value().get(whole);
    }
    ItemsCutter cutter(shape, page.items);
    if (!error)
        error = cutter.cut(whole, 0);
    if (error) {
        const char *at = nullptr;
        const bool known = isIndexed && root.current_location().get(at) == simdjson::SUCCESS;
        return fail(walk::bodyError(QString::fromLatin1(simdjson::error_message(error)),
                                    known ? at - text.data() : -1));
    }
    if (cutter.found())
        return {};
    const bool isNumbered = std::ranges::any_of(shape.items.segments(), [](const QString &segment) {
        return !segment.isEmpty() &&
               std::ranges::all_of(segment, [](QChar character) { return character.isDigit(); });
    });
    if (isNumbered) {
        const auto list = find(body, shape.items);
        BodyShape inside = shape;
        inside.items = {};
        if (list && *list)
            return takeJsonApart((*list)->text, inside, page);
    }
    return fail(missingItems(shape, body));
}

void takeLinesApart(QByteArrayView body, PageBody &page)
{
    for (qsizetype start = 0; start < body.size();) {
        qsizetype end = body.indexOf('\n', start);
        end = end < 0 ? body.size() : end;
        const QByteArray line = body.sliced(start, end - start).trimmed().toByteArray();
        start = end + 1;
        if (line.isEmpty())
            continue;
        if (const auto whole = find(line, Path()); whole)
            page.items.push_back(withoutLoneSurrogates(line));
        else
            page.broken.push_back({line, whole.error().detail});
    }
}

Result<void> readMember(QByteArrayView body, const std::optional<Path> &path, std::optional<RawValue> &member)
{
    if (!path)
        return {};
    auto value_ = find(body, *path);
    if (!value_)
        return fail(value_.error());
    member = std::move(*value_);
    return {};
}

} // namespace

Result<PageBody> takeApart(const QByteArray &body, const BodyShape &shape)
{
    PageBody page;
    QByteArrayView text(body);
    if (text.startsWith("\xEF\xBB\xBF"))
        text = text.sliced(3);
    if (text.trimmed().isEmpty())
        return page;
    if (shape.format == BodyFormat::NdJson) {
        takeLinesApart(text, page);
        return page;
    }
    if (shape.format == BodyFormat::Csv) {
        takeCsvApart(text, page);
        return page;
    }
    Result<void> done = takeJsonApart(text, shape, page);
    for (const auto &[path, member] :
         {std::pair{&shape.hasMore, &page.hasMore}, std::pair{&shape.cursor, &page.cursor},
          std::pair{&shape.next, &page.next}, std::pair{&shape.total, &page.total}}) {
        if (done)
            done = readMember(text, *path, *member);
    }
    if (!done)
        return fail(done.error());
    return page;
}

} // namespace watukuy::json
