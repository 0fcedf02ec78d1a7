// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies to UTF-8 by the charset that Content-Type names.
#include <array>

#include <QRegularExpression>
#include <QStringDecoder>

#include "engine/http/headers.h"

namespace watukuy::http {

using namespace Qt::StringLiterals;

namespace {

/// windows-1252, 0x80 to 0x9f; 0 = not assigned.
constexpr std::array<char16_t, 32> windows1252{
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

QString charsetOf(QByteArrayView contentType)
{
    static const QRegularExpression parameter(uR"re(;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;,]*)))re"_s,
                                              QRegularExpression::CaseInsensitiveOption);
    const auto match = parameter.match(QString::fromLatin1(contentType));
    const QString quoted = match.captured(1);
    return (quoted.isEmpty() ? match.captured(2) : quoted).trimmed().toLower();
}

template <typename Map>
QByteArray byTable(const QByteArray &body, Map toUnicode)
{
    QString text(body.size(), Qt::Uninitialized);
    for (qsizetype at = 0; at < body.size(); ++at)
        text[at] = QChar(toUnicode(static_cast<unsigned char>(body[at])));
    return text.toUtf8();
}

char16_t latin9(unsigned char byte)
{
    switch (byte) {
    case 0xA4:
        return 0x20AC;
    case 0xA6:
        return 0x0160;
    case 0xA8:
        return 0x0161;
    case 0xB4:
        return 0x017D;
    case 0xB8:
        return 0x017E;
    case 0xBC:
        return 0x0152;
    case 0xBD:
        return 0x0153;
    case 0xBE:
        return 0x0178;
    default:
        return byte;
    }
}

char16_t windowsWestern(unsigned char byte)
{
    if (byte < 0x80 || byte > 0x9f)
        return byte;
    const char16_t mapped = windows1252.at(byte - 0x80u);
    return mapped == 0 ? byte : mapped;
}

bool isOneOf(const QString &charset, std::initializer_list<QLatin1StringView> names)
{
    return std::ranges::any_of(names, [&](QLatin1StringView name) { return charset == name; });
}

} // namespace

Result<QByteArray> toUtf8(const QByteArray &body, QByteArrayView contentType)
{
    const QString charset = charsetOf(contentType);
    if (charset.isEmpty() || isOneOf(charset, {"utf-8"_L1, "utf8"_L1, "us-ascii"_L1, "ascii"_L1}))
        return body;
    if (isOneOf(charset, {"iso-8859-1"_L1, "latin1"_L1, "iso8859-1"_L1, "iso_8859-1"_L1}))
        return QString::fromLatin1(body).toUtf8();
    if (isOneOf(charset, {"iso-8859-15"_L1, "latin-9"_L1, "latin9"_L1, "iso8859-15"_L1, "iso_8859-15"_L1}))
        return byTable(body, latin9);
    if (isOneOf(charset, {"windows-1252"_L1, "cp1252"_L1}))
        return byTable(body, windowsWestern);

    const Error unknown{.kind = ErrorKind::Body,
                        .name = u"UnknownCharset"_s,
                        .title = u"The body is in a charset that is not known: %1"_s.arg(charset),
                        .detail = u"Content-Type: %1"_s.arg(QString::fromLatin1(contentType)),
                        .nextStep = u"Ask the API for UTF-8, for example with an Accept-Charset header"_s};
    QStringDecoder decoder(charset.toLatin1().constData(), QStringDecoder::Flag::Stateless);
    if (!decoder.isValid())
        return fail(unknown);
    const QString text = decoder(body);
    if (decoder.hasError()) {
        Error broken = unknown;
        broken.name = u"BrokenCharset"_s;
        broken.title = u"The body is not valid %1, the charset that it declares"_s.arg(charset);
        broken.nextStep = u"Check what the API really sends"_s;
        return fail(broken);
    }
    return text.toUtf8();
}

} // namespace watukuy::http
