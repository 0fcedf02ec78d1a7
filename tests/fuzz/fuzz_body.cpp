// SPDX-License-Identifier: GPL-3.0-or-later
// Response bodies taken apart, and the canonical form of what they hold; simdjson's DOM parser is the judge.
#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include <simdjson.h>

#include "engine/json/canonical.h"
#include "engine/json/pagebody.h"
#include "tests/fuzz/property.h"

using namespace Qt::StringLiterals;
using namespace watukuy;
using fuzz::require;
using json::BodyFormat;
using json::BodyShape;
using json::PageBody;
namespace dom = simdjson::dom;

namespace {

json::Path path(const QString &text)
{
    return *json::Path::parse(text);
}

/// The first byte of the input takes one.
const std::array shapes{
    BodyShape{},
    BodyShape{.items = path(u"data"_s)},
    BodyShape{.items = path(u"data.items"_s), .hasMore = path(u"more"_s), .cursor = path(u"/data/c~1d"_s)},
    BodyShape{.items = path(u"data"_s), .keyField = u"id"_s},
    BodyShape{.keyField = u"k\"\u00e9y"_s, .total = path(u"total"_s)},
    BodyShape{.items = path(u"0.data"_s), .next = path(u"1.next"_s)},
    BodyShape{.items = path(u"a\\.b.1"_s), .cursor = path(u"a\\.b.0"_s)},
    BodyShape{.format = BodyFormat::NdJson},
    BodyShape{.format = BodyFormat::Csv},
};

/// What the DOM parser refuses though it is JSON, or what it would read with a loss.
bool isBeyondDom(simdjson::error_code error)
{
    return error == simdjson::NUMBER_ERROR || error == simdjson::NUMBER_OUT_OF_RANGE ||
           error == simdjson::DEPTH_ERROR || error == simdjson::CAPACITY || error == simdjson::MEMALLOC;
}

bool hasLoneSurrogate(const QByteArray &raw)
{
    return json::withoutLoneSurrogates(raw) != raw;
}

bool isSame(dom::element left, dom::element right);

bool isSameArray(dom::array left, dom::array right)
{
    return std::ranges::equal(left, right, isSame);
}

/// Of a repeated name the last value counts; `right` is canonical and repeats none.
bool isSameObject(dom::object left, dom::object right)
{
    std::map<std::string_view, dom::element> members;
    for (const auto &[name, value] : left)
        members.insert_or_assign(name, value);
    if (members.size() != right.size())
        return false;
    return std::ranges::all_of(right, [&](const auto &member) {
        const auto found = members.find(member.key);
        return found != members.end() && isSame(found->second, member.value);
    });
}

bool isSame(dom::element left, dom::element right)
{
    if (left.is_number() && right.is_number()) {
        const double first = left.get_double().value_unsafe();
        const double second = right.get_double().value_unsafe();
        return first == second;
    }
    if (left.type() != right.type())
        return false;
    switch (left.type()) {
    case dom::element_type::ARRAY:
        return isSameArray(left.get_array().value_unsafe(), right.get_array().value_unsafe());
    case dom::element_type::OBJECT:
        return isSameObject(left.get_object().value_unsafe(), right.get_object().value_unsafe());
    case dom::element_type::STRING:
        return left.get_string().value_unsafe() == right.get_string().value_unsafe();
    case dom::element_type::BOOL:
        return left.get_bool().value_unsafe() == right.get_bool().value_unsafe();
    default:
        return true;
    }
}

/// The canonical form of `raw`, judged by the DOM parser; nothing when it is not JSON.
std::optional<QByteArray> checkCanonical(const QByteArray &text)
{
    static dom::parser first, second;
    const QByteArray raw = text.startsWith("\xEF\xBB\xBF") ? text.mid(3) : text;
    const auto canonical = json::canonicalise(text);
    dom::element whole;
    const auto error = first.parse(raw.constData(), static_cast<size_t>(raw.size())).get(whole);
    constexpr qsizetype deepest = 512;
    if (!error && !canonical)
        require(raw.count('[') + raw.count('{') > deepest, "what is JSON has a canonical form",
                {{"raw", raw}, {"error", canonical.error().oneLine()}});
    if (!canonical)
        return {};
    require(!error || isBeyondDom(error) || hasLoneSurrogate(raw), "what has a canonical form is JSON",
            {{"raw", raw},
             {"canonical", canonical->text},
             {"error", QString::fromUtf8(simdjson::error_message(error))}});
    const auto again = json::canonicalise(canonical->text);
    require(again && again->text == canonical->text && again->duplicateNames == 0,
            "a canonical form is its own canonical form",
            {{"raw", raw},
             {"canonical", canonical->text},
             {"again", again ? again->text : again.error().oneLine().toUtf8()}});
    if (error)
        return canonical->text;
    dom::element read;
    const auto broken =
        second.parse(canonical->text.constData(), static_cast<size_t>(canonical->text.size())).get(read);
    if (isBeyondDom(broken))
        return canonical->text;
    require(!broken && isSame(whole, read), "a canonical form says what the text says",
            {{"raw", raw}, {"canonical", canonical->text}});
    return canonical->text;
}

/// An item as it is, trimmed and, but for lone surrogates and keyed objects, a part of the body.
void checkItem(const QByteArray &item, const QByteArray &body, const BodyShape &shape)
{
    const QByteArrayView spaces(" \t\r\n");
    require(!item.isEmpty() && !spaces.contains(item.front()) && !spaces.contains(item.back()),
            "an item has no spaces around it", {{"item", item}});
    require(!hasLoneSurrogate(item), "an item has no lone surrogates", {{"item", item}});
    const bool isSlice = shape.format != BodyFormat::Csv && shape.keyField.isEmpty();
    if (isSlice && !hasLoneSurrogate(body))
        require(body.contains(item), "an item is a part of the body", {{"item", item}, {"body", body}});
    const auto canonical = checkCanonical(item);
    if (shape.format == BodyFormat::Csv)
        require(canonical.has_value(), "a record becomes JSON", {{"item", item}});
    if (canonical && !shape.keyField.isEmpty() && body.trimmed().startsWith('{'))
        require(canonical->startsWith('{') || !item.startsWith('{'), "a keyed item is an object",
                {{"item", item}});
}

/// A body that is JSON from end to end: nothing of it may be lost or invented.
void checkWhole(const QByteArray &body, const Result<PageBody> &page, const BodyShape &shape)
{
    const auto canonical = checkCanonical(body);
    const bool isList = canonical && canonical->startsWith('[');
    if (!isList && !(canonical && canonical->startsWith('{')))
        return; // a body is an object or a list
    if (!shape.items.isWhole() || shape.format != BodyFormat::Json)
        return;
    require(page.has_value(), "a body that is JSON can be taken apart",
            {{"body", body}, {"error", page ? QString() : page.error().oneLine()}});
    QByteArrayList items;
    for (const QByteArray &item : page->items) {
        const auto inside = json::canonicalise(item);
        require(inside.has_value(), "every item of a body that is JSON is JSON",
                {{"body", body}, {"item", item}});
        items.append(inside->text);
    }
    if (isList && !hasLoneSurrogate(body))
        require('[' + items.join(',') + ']' == *canonical, "the items of a list are the list",
                {{"body", body}, {"items", items.join(',')}});
}

qsizetype linesIn(const QByteArray &body)
{
    qsizetype lines = 0;
    for (const QByteArray &line : body.split('\n'))
        lines += line.trimmed().isEmpty() ? 0 : 1;
    return lines;
}

QByteArray pointerTo(const QString &name)
{
    QString step = name;
    return '/' + step.replace(u'~', u"~0"_s).replace(u'/', u"~1"_s).toUtf8();
}

QByteArray csvField(const QString &text)
{
    return '"' + text.toUtf8().replace("\"", "\"\"") + '"';
}

/// What was read from CSV, written as CSV, reads the same.
void checkCsv(const PageBody &page)
{
    if (page.items.empty())
        return;
    const QStringList names = json::namesAt(page.items.front());
    if (QStringList distinct = names; distinct.removeDuplicates() > 0)
        return;
    QByteArrayList lines{{}};
    for (const QString &name : names)
        lines.first() += (lines.first().isEmpty() ? "" : ",") + csvField(name);
    for (const QByteArray &item : page.items) {
        QByteArray line;
        for (const QString &name : names) {
            const auto value = json::find(item, path(QString::fromUtf8(pointerTo(name))));
            require(value && *value && (*value)->kind == json::Kind::String, "a record has every field",
                    {{"item", item}, {"name", name}});
            line += (line.isEmpty() ? "" : ",") + csvField((*value)->scalarText());
        }
        lines.append(line);
    }
    const auto again = json::takeApart(lines.join("\r\n"), BodyShape{.format = BodyFormat::Csv});
    require(again && again->broken.empty() && again->items == page.items,
            "records written again are read again", {{"text", lines.join("\r\n")}});
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz::Input input(data, size);
    const BodyShape &shape = shapes.at(input.choice(shapes.size()));
    const QByteArray body = input.rest();
    const auto page = json::takeApart(body, shape);
    if (page) {
        for (const QByteArray &item : page->items)
            checkItem(item, body, shape);
        for (const json::BrokenItem &broken : page->broken)
            require(!broken.raw.isEmpty() && !broken.reason.isEmpty(), "what is broken is told why");
        for (const auto &member : {page->hasMore, page->cursor, page->next, page->total}) {
            if (member)
                require(body.contains(member->text), "what steers paging stands in the body",
                        {{"member", member->text}});
        }
    } else {
        require(page.error().kind == ErrorKind::Body, "a body that cannot be taken apart is to blame itself",
                {{"error", page.error().oneLine()}});
        require(shape.format == BodyFormat::Json, "lines and records are set aside one by one");
    }
    if (shape.format == BodyFormat::NdJson && !body.startsWith("\xEF\xBB\xBF"))
        require(qsizetype(page->items.size() + page->broken.size()) == linesIn(body), "no line is lost",
                {{"body", body}});
    if (shape.format == BodyFormat::Csv)
        checkCsv(*page);
    checkWhole(body, page, shape);
    return 0;
}
