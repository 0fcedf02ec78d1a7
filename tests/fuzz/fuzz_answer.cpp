// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies that are not read as items: their charset, and what an error body says.
#include <array>

#include "engine/http/headers.h"
#include "tests/fuzz/property.h"

using namespace Qt::StringLiterals;
using namespace watukuy;
using fuzz::require;

namespace {

constexpr std::array single{"iso-8859-1", "ISO_8859-1", "latin1", "iso-8859-15", "windows-1252", "CP1252"};

/// A charset of single bytes reads everything, byte by byte.
void checkSingleBytes(const char *charset, const QByteArray &body)
{
    const QByteArray type = QByteArray("text/plain; Charset=\"") + charset + '"';
    const auto read = http::toUtf8(body, type);
    require(read.has_value(), "a charset of single bytes reads everything", {{"type", type}, {"body", body}});
    require(read->isValidUtf8(), "what was read is UTF-8", {{"type", type}, {"body", body}});
    const QString text = QString::fromUtf8(*read);
    require(text.size() == body.size(), "every byte is a character",
            {{"type", type}, {"body", body}, {"read", *read}});
    for (qsizetype at = 0; at < body.size(); ++at) {
        if (static_cast<uint8_t>(body.at(at)) < 0x80)
            require(text.at(at) == QLatin1Char(body.at(at)), "ASCII stays as it is", {{"body", body}});
    }
}

void checkCharset(const QByteArray &type, const QByteArray &body)
{
    const auto read = http::toUtf8(body, type);
    if (!read) {
        require(read.error().kind == ErrorKind::Body && !read.error().title.isEmpty(),
                "a charset that cannot be read is the body's fault", {{"type", type}});
        return;
    }
    require(*read == body || read->isValidUtf8(), "what was read is UTF-8", {{"type", type}, {"body", body}});
    if (body.isEmpty())
        require(read->isEmpty(), "nothing is nothing in every charset", {{"type", type}});
}

void checkProblem(const QByteArray &type, const QByteArray &body)
{
    constexpr qsizetype longest = 500;
    const http::Problem problem = http::readProblem(type, body);
    for (const QString &text : {problem.title, problem.detail}) {
        require(text.size() <= longest, "what an error says is short", {{"text", text}});
        require(text == text.simplified(), "what an error says is one line", {{"text", text}});
    }
    require(problem.detail.isEmpty() || (!problem.title.isEmpty() && problem.title != problem.detail),
            "a detail adds to its title", {{"title", problem.title}, {"detail", problem.detail}});
    const http::Problem spaced = http::readProblem(type, "\r\n " + body + '\n');
    require(spaced.title == problem.title && spaced.detail == problem.detail,
            "spaces around a body do not matter", {{"body", body}});
}

} // namespace

/// The first line is the Content-Type, all behind it the body.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz::Input input(data, size);
    const char *charset = single.at(input.choice(single.size()));
    const QByteArray rest = input.rest();
    const qsizetype end = rest.indexOf('\n');
    const QByteArray type = end < 0 ? QByteArray() : rest.left(end);
    const QByteArray body = rest.mid(end + 1);
    checkSingleBytes(charset, body);
    checkCharset(type, body);
    checkProblem(type, body);
    return 0;
}
