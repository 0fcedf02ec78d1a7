// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/json/path.h"

namespace watukuy::json {

using namespace Qt::StringLiterals;

namespace {

/// RFC 6901: `~1` is a slash, `~0` a tilde, any other tilde a mistake.
Result<QStringList> pointerSegments(const QString &text)
{
    QStringList segments = text.mid(1).split(u'/');
    for (QString &segment : segments) {
        for (qsizetype at = segment.indexOf(u'~'); at >= 0; at = segment.indexOf(u'~', at + 1)) {
            const QChar next = at + 1 < segment.size() ? segment.at(at + 1) : QChar();
            if (next != u'0' && next != u'1') {
                return fail({.kind = ErrorKind::Workspace,
                             .name = u"PathError"_s,
                             .title = u"\"%1\" is no JSON Pointer"_s.arg(text),
                             .detail = u"A ~ must be followed by 0 or 1 (RFC 6901)."_s,
                             .nextStep = u"Write ~0 for a tilde and ~1 for a slash in a name."_s});
            }
            segment.replace(at, 2, next == u'1' ? u"/"_s : u"~"_s);
        }
    }
    return segments;
}

QStringList dottedSegments(const QString &text)
{
    QStringList segments;
    QString segment;
    for (qsizetype at = 0; at < text.size(); ++at) {
        if (text.at(at) == u'\\' && at + 1 < text.size() &&
            (text.at(at + 1) == u'.' || text.at(at + 1) == u'\\')) {
            segment += text.at(++at);
        } else if (text.at(at) == u'.') {
            segments.append(std::exchange(segment, {}));
        } else {
            segment += text.at(at);
        }
    }
    segments.append(segment);
    return segments;
}

} // namespace

Result<Path> Path::parse(const QString &text)
{
    Path path;
    path.m_text = text;
    if (text.isEmpty())
        return path;
    if (!text.startsWith(u'/')) {
        path.m_segments = dottedSegments(text);
        return path;
    }
    auto segments = pointerSegments(text);
    if (!segments)
        return fail(segments.error());
    path.m_segments = std::move(*segments);
    return path;
}

} // namespace watukuy::json
