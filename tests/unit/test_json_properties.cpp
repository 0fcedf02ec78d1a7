// SPDX-License-Identifier: GPL-3.0-or-later
// Canonical JSON for every value: what means the same has one form, what differs has another.
#include <rapidcheck.h>

#include <QTest>

#include "engine/json/canonical.h"
#include "engine/json/rawvalue.h"

using namespace watukuy;

namespace {

/// A JSON value written in one of its many ways; `plain` is always the same for the same value.
struct Written {
    QByteArray plain;
    QByteArray varied;
};

QByteArray space()
{
    return *rc::gen::element<QByteArray>("", "", "", " ", "\n", "\t", " \r\n ");
}

Written writtenString()
{
    const auto units = *rc::gen::container<std::vector<int>>(
        rc::gen::weightedOneOf<int>({{8, rc::gen::inRange<int>(0x20, 0x7f)},
                                     {1, rc::gen::inRange<int>(0, 0x20)},
                                     {2, rc::gen::inRange<int>(0xa0, 0xd800)},
                                     {1, rc::gen::inRange<int>(0xe000, 0x10000)},
                                     {1, rc::gen::inRange<int>(0x10000, 0x10ffff)}}));
    QString text;
    for (const int unit : units)
        text += QString::fromUcs4(reinterpret_cast<const char32_t *>(&unit), 1);
    QByteArray escaped = "\"";
    for (const QChar unit : text)
        escaped += "\\u" + QByteArray::number(unit.unicode(), 16).rightJustified(4, '0');
    const QByteArray plain = json::quoted(text);
    return {plain, *rc::gen::arbitrary<bool>() ? plain : escaped + '"'};
}

Written writtenNumber()
{
    const auto mantissa = *rc::gen::inRange<qint64>(1, 999'999'999'999'999);
    const int exponent = *rc::gen::inRange(-30, 30);
    const QByteArray sign = *rc::gen::arbitrary<bool>() ? "-" : "";
    const int zeros = *rc::gen::inRange(0, 5);
    const QByteArray digits = QByteArray::number(mantissa);
    return {sign + digits + 'e' + QByteArray::number(exponent),
            sign + digits + QByteArray(zeros, '0') + "E" + QByteArray::number(exponent - zeros)};
}

Written writtenValue(int depth);

Written writtenObject(int depth)
{
    struct Member {
        Written name;
        Written value;
    };
    std::map<QByteArray, Member> members;
    const int count = *rc::gen::inRange(0, 5);
    for (int member = 0; member < count; ++member) {
        const Written name = writtenString();
        members[name.plain] = {name, writtenValue(depth - 1)};
    }
    QByteArrayList plain;
    QByteArrayList varied;
    for (const auto &[key, member] : members) {
        plain.append(member.name.plain + ':' + member.value.plain);
        varied.append(space() + member.name.varied + space() + ':' + space() + member.value.varied + space());
    }
    std::ranges::reverse(varied);
    return {'{' + plain.join(',') + '}', '{' + varied.join(',') + space() + '}'};
}

Written writtenArray(int depth)
{
    QByteArrayList plain;
    QByteArrayList varied;
    const int count = *rc::gen::inRange(0, 5);
    for (int element = 0; element < count; ++element) {
        const Written value = writtenValue(depth - 1);
        plain.append(value.plain);
        varied.append(space() + value.varied + space());
    }
    return {'[' + plain.join(',') + ']', '[' + varied.join(',') + space() + ']'};
}

Written writtenValue(int depth)
{
    const int kind = *rc::gen::inRange(0, depth > 0 ? 7 : 4);
    if (kind == 0)
        return writtenString();
    if (kind <= 2)
        return writtenNumber();
    if (kind == 3) {
        const auto word = *rc::gen::element<QByteArray>("true", "false", "null");
        return {word, word};
    }
    return kind == 4 ? writtenArray(depth) : writtenObject(depth);
}

QByteArray canonicalOf(const QByteArray &raw)
{
    const auto canonical = json::canonicalise(raw);
    RC_ASSERT(canonical.has_value());
    return canonical->text;
}

} // namespace

class TestJsonProperties : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void howAValueIsWrittenDoesNotMatter();
    void theCanonicalFormIsItsOwn();
    void differentNumbersHaveDifferentForms();
    void everyElementOfAnArrayIsFoundAsItStands();
    void noBytesMakeItCrash();
};

void TestJsonProperties::howAValueIsWrittenDoesNotMatter()
{
    QVERIFY(rc::check([] {
        const Written value = writtenObject(3);
        RC_ASSERT(canonicalOf(value.varied) == canonicalOf(value.plain));
    }));
}

void TestJsonProperties::theCanonicalFormIsItsOwn()
{
    QVERIFY(rc::check([] {
        const QByteArray canonical = canonicalOf(writtenValue(3).varied);
        RC_ASSERT(canonicalOf(canonical) == canonical);
    }));
}

void TestJsonProperties::differentNumbersHaveDifferentForms()
{
    QVERIFY(rc::check([] {
        const auto whole = *rc::gen::inRange<qint64>(9'007'199'254'740'000, 9'223'372'036'854'775'000);
        const auto apart = *rc::gen::inRange<qint64>(1, 1000);
        const QByteArray point = *rc::gen::element<QByteArray>("", ".0", "e0");
        RC_ASSERT(canonicalOf(QByteArray::number(whole) + point) !=
                  canonicalOf(QByteArray::number(whole - apart) + point));
    }));
}

void TestJsonProperties::everyElementOfAnArrayIsFoundAsItStands()
{
    QVERIFY(rc::check([] {
        std::vector<QByteArray> elements;
        const int count = *rc::gen::inRange(1, 6);
        for (int element = 0; element < count; ++element)
            elements.push_back(writtenValue(2).varied);
        const QByteArray body =
            "{\"a\":[" + QByteArrayList(elements.begin(), elements.end()).join(',') + "]}";
        for (int element = 0; element < count; ++element) {
            const auto path = json::Path::parse(QStringLiteral("a.%1").arg(element));
            const auto found = json::find(body, *path);
            RC_ASSERT(found.has_value() && found->has_value());
            RC_ASSERT((*found)->text == elements.at(size_t(element)).trimmed());
        }
    }));
}

void TestJsonProperties::noBytesMakeItCrash()
{
    QVERIFY(rc::check([] {
        QByteArray body = writtenObject(3).varied;
        const int cuts = *rc::gen::inRange(1, 4);
        for (int cut = 0; cut < cuts && !body.isEmpty(); ++cut) {
            const auto at = *rc::gen::inRange<qsizetype>(0, body.size());
            body[at] = *rc::gen::arbitrary<char>();
        }
        const auto canonical = json::canonicalise(body);
        if (canonical)
            RC_ASSERT(canonicalOf(canonical->text) == canonical->text);
        (void)json::find(body, *json::Path::parse(QStringLiteral("a.0")));
    }));
}

QTEST_APPLESS_MAIN(TestJsonProperties)

#include "test_json_properties.moc"
