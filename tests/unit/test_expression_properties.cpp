// SPDX-License-Identifier: GPL-3.0-or-later
// An expression over bytes finds what the same expression over characters finds.
#include <regex>

#include <rapidcheck.h>

#include <QRegularExpression>
#include <QTest>

#include "engine/json/expression.h"

using namespace watukuy;
using namespace Qt::StringLiterals;

namespace {

/// Of every length in UTF-8, some of them neighbours, some the first or last of their length.
QString character()
{
    return *rc::gen::element<QString>(u"a"_s, u"b"_s, u"z"_s, u"1"_s, u"_"_s, u" "_s, u"\u007f"_s,
                                      u"\u0080"_s, u"ñ"_s, u"ò"_s, u"\u07ff"_s, u"\u0800"_s, u"€"_s, u"₭"_s,
                                      u"\ud7ff"_s, u"\ue000"_s, u"\uffff"_s, u"\U00010000"_s, u"😀"_s,
                                      u"😁"_s, u"\U0010ffff"_s);
}

QString classMember()
{
    if (*rc::gen::inRange(0, 4) == 0)
        return *rc::gen::element<QString>(u"\\d"_s, u"\\D"_s, u"\\W"_s, u"\\u00f1"_s, u"\\ud83d\\ude00"_s);
    const QString first = character();
    const QString last = character();
    const bool isRange = *rc::gen::arbitrary<bool>() && first.toUcs4().first() <= last.toUcs4().first();
    return isRange ? first + u'-' + last : first;
}

QString atom(int depth)
{
    switch (*rc::gen::inRange(0, depth > 0 ? 6 : 4)) {
    case 0:
        return character();
    case 1:
        return u"."_s;
    case 2:
        return *rc::gen::element<QString>(u"\\d"_s, u"\\D"_s, u"\\W"_s, u"\\x7a"_s, u"\\u20ac"_s);
    case 3: {
        QString members = *rc::gen::element<QString>(u"["_s, u"[^"_s);
        const int count = *rc::gen::inRange(1, 4);
        for (int index = 0; index < count; ++index)
            members += classMember();
        return members + u']';
    }
    case 4:
        return u"(?:"_s + atom(depth - 1) + u'|' + atom(depth - 1) + u')';
    default:
        return u'(' + atom(depth - 1) + atom(depth - 1) + u')';
    }
}

QString expression()
{
    QString text = *rc::gen::element<QString>(u""_s, u"^"_s);
    const int count = *rc::gen::inRange(1, 4);
    for (int index = 0; index < count; ++index)
        text += atom(2) + *rc::gen::element<QString>(u""_s, u""_s, u"?"_s, u"*"_s, u"+"_s, u"{2}"_s);
    return text + *rc::gen::element<QString>(u""_s, u"$"_s);
}

} // namespace

class TestExpressionProperties : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bytes_are_matched_as_characters_are()
    {
        int matches = 0;
        QVERIFY(rc::check([&] {
            const QString written = expression();
            QString text;
            const int length = *rc::gen::inRange(0, 6);
            for (int index = 0; index < length; ++index)
                text += character();
            // PCRE needs to be told of the escapes that it writes otherwise, and of "$" at a line's end.
            QString forPcre = written;
            forPcre.replace(u"\\ud83d\\ude00"_s, u"\\x{1f600}"_s)
                .replace(u"\\u00f1"_s, u"\\x{f1}"_s)
                .replace(u"\\u20ac"_s, u"\\x{20ac}"_s);
            const QRegularExpression characters(forPcre, QRegularExpression::DontCaptureOption);
            RC_PRE(characters.isValid());
            const auto bytes = json::byteExpression(written);
            RC_ASSERT(bytes.has_value());
            const bool isFound = characters.match(text).hasMatch();
            matches += isFound ? 1 : 0;
            RC_LOG() << written.toStdString() << " on " << text.toStdString() << " as " << bytes->text;
            RC_ASSERT(std::regex_search(text.toStdString(), std::regex(bytes->text)) == isFound);
        }));
        QVERIFY(matches > 10); // else it would say nothing
    }
};

QTEST_GUILESS_MAIN(TestExpressionProperties)
#include "test_expression_properties.moc"
