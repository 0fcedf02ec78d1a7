// SPDX-License-Identifier: GPL-3.0-or-later
// Link headers: what is read stands in the text, reads back as written, and the next page is absolute.
#include <algorithm>

#include "engine/http/headers.h"
#include "tests/fuzz/property.h"

using namespace Qt::StringLiterals;
using namespace watukuy;
using fuzz::require;

namespace {

const QUrl base(u"https://api.example.com/v1/items?page=1#top"_s);

QByteArray written(const std::vector<http::Link> &links)
{
    QByteArrayList texts;
    for (const http::Link &link : links) {
        QByteArray relations = link.relations.join(u' ').toLatin1();
        relations.replace("\\", "\\\\").replace("\"", "\\\"");
        texts.append('<' + link.target.toUtf8() + ">; rel=\"" + relations + '"');
    }
    return texts.join(", ");
}

bool isSame(const http::Link &left, const http::Link &right)
{
    return left.target == right.target && left.relations == right.relations;
}

void checkLinks(const QByteArray &value, const std::vector<http::Link> &links)
{
    require(links.size() <= static_cast<size_t>(value.count('<')), "every link has an opening bracket",
            {{"value", value}});
    for (const http::Link &link : links) {
        require(!link.target.contains(u'>') && link.target.trimmed() == link.target,
                "a target is what stands between the brackets", {{"value", value}, {"target", link.target}});
        if (value.isValidUtf8())
            require(value.contains(link.target.toUtf8()), "a target is a part of the text",
                    {{"value", value}, {"target", link.target}});
        for (const QString &relation : link.relations)
            require(!relation.isEmpty() && !relation.contains(u' ') && relation == relation.toLower(),
                    "a relation is one word in small letters", {{"value", value}, {"relation", relation}});
    }
    // A byte-order mark before a target is taken off once.
    if (std::ranges::any_of(links, [](const http::Link &link) { return link.target.startsWith(u'\ufeff'); }))
        return;
    const std::vector<http::Link> again = http::readLinks(written(links));
    require(std::ranges::equal(again, links, isSame), "links read back as they were written",
            {{"value", value}, {"written", written(links)}, {"again", written(again)}});
}

void checkNext(const QByteArray &value, const std::vector<http::Link> &links)
{
    const QString next = http::nextTarget({{"Server", "x"}, {"LINK", value}}, base);
    const auto link =
        std::ranges::find_if(links, [](const http::Link &one) { return one.relations.contains(u"next"_s); });
    if (link == links.end()) {
        require(next.isEmpty(), "without rel=next there is no next page", {{"value", value}, {"next", next}});
        return;
    }
    if (!link->target.isEmpty() && !link->target.startsWith(u'#') && !QUrl(link->target).isValid())
        require(next != base.toString(QUrl::FullyEncoded), "a target that is no URL is not the page itself",
                {{"value", value}, {"target", link->target}});
    if (next.isEmpty())
        return;
    const QUrl read(next, QUrl::StrictMode);
    require(read.isValid() && !read.isRelative(), "the next page is absolute",
            {{"value", value}, {"next", next}, {"error", read.errorString()}});
    require(read.toString(QUrl::FullyEncoded) == next, "the next page is written the same again",
            {{"value", value}, {"next", next}, {"again", read.toString(QUrl::FullyEncoded)}});
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const QByteArray value(reinterpret_cast<const char *>(data), static_cast<qsizetype>(size));
    const std::vector<http::Link> links = http::readLinks(value);
    checkLinks(value, links);
    checkNext(value, links);
    return 0;
}
