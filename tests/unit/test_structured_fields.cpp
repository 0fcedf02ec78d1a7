// SPDX-License-Identifier: GPL-3.0-or-later
// The HTTP working group's cases for structured fields against the parser.
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "engine/http/structuredfields.h"

using namespace Qt::StringLiterals;
namespace sf = watukuy::http::structured;

namespace {

QByteArray fromBase32(const QByteArray &text)
{
    static const QByteArray alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    QByteArray bytes;
    quint32 bits = 0;
    int count = 0;
    for (const char c : text) {
        if (c == '=')
            break;
        bits = bits << 5 | quint32(alphabet.indexOf(c));
        count += 5;
        if (count >= 8) {
            count -= 8;
            bytes += char(bits >> count & 0xff);
        }
    }
    return bytes;
}

/// The parsed value in the notation of the vectors.
QJsonValue noted(const sf::BareItem &item)
{
    struct Noting {
        QJsonValue operator()(qint64 value) const { return value; }
        QJsonValue operator()(const sf::Decimal &value) const { return value.value; }
        QJsonValue operator()(const std::string &value) const { return QString::fromStdString(value); }
        QJsonValue operator()(bool value) const { return value; }
        QJsonValue operator()(const sf::Token &value) const
        {
            return typed(u"token"_s, QString::fromLatin1(value.text));
        }
        QJsonValue operator()(const QByteArray &value) const
        {
            return typed(u"binary"_s, QString::fromLatin1(value.toHex()));
        }
        QJsonValue operator()(const sf::Date &value) const { return typed(u"date"_s, value.seconds); }
        QJsonValue operator()(const sf::DisplayString &value) const
        {
            return typed(u"displaystring"_s, value.text);
        }
        static QJsonValue typed(const QString &type, const QJsonValue &value)
        {
            return QJsonObject{{u"__type"_s, type}, {u"value"_s, value}};
        }
    };
    return std::visit(Noting{}, item);
}

QJsonArray noted(const sf::Parameters &parameters)
{
    QJsonArray all;
    for (const auto &[name, value] : parameters)
        all += QJsonArray{QString::fromLatin1(name), noted(value)};
    return all;
}

QJsonArray noted(const sf::Item &item)
{
    return {noted(item.value), noted(item.parameters)};
}

QJsonArray noted(const sf::Member &member)
{
    if (const auto *item = std::get_if<sf::Item>(&member))
        return noted(*item);
    const auto &inner = std::get<sf::InnerList>(member);
    QJsonArray items;
    for (const sf::Item &item : inner.items)
        items += noted(item);
    return {items, noted(inner.parameters)};
}

std::optional<QJsonArray> parsed(const QString &type, const QByteArray &field)
{
    QJsonArray all;
    if (type == u"item") {
        const auto item = sf::parseItem(field);
        return item ? std::optional{noted(*item)} : std::nullopt;
    }
    if (type == u"list") {
        const auto list = sf::parseList(field);
        if (!list)
            return std::nullopt;
        for (const sf::Member &member : *list)
            all += noted(member);
        return all;
    }
    const auto dictionary = sf::parseDictionary(field);
    if (!dictionary)
        return std::nullopt;
    for (const auto &[name, member] : *dictionary)
        all += QJsonArray{QString::fromLatin1(name), noted(member)};
    return all;
}

/// Byte sequences stand in base32 in the vectors; in hex here.
QJsonValue withHex(const QJsonValue &value)
{
    if (value.isArray()) {
        QJsonArray all;
        for (const QJsonValue &element : value.toArray())
            all += withHex(element);
        return all;
    }
    QJsonObject object = value.toObject();
    if (object[u"__type"].toString() != u"binary")
        return value;
    object[u"value"] = QString::fromLatin1(fromBase32(object[u"value"].toString().toLatin1()).toHex());
    return object;
}

} // namespace

class TestStructuredFields : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyPublishedCaseParsesAsItShould_data()
    {
        QTest::addColumn<QJsonObject>("row");
        for (const char *name :
             {"dictionary", "item", "key-generated", "list", "number", "param-dict", "string", "token"}) {
            QFile file(
                QStringLiteral(WATUKUY_VECTORS "/structured-fields/%1.json").arg(QLatin1StringView(name)));
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QJsonArray rows = QJsonDocument::fromJson(file.readAll()).array();
            QVERIFY(!rows.isEmpty());
            for (const QJsonValue &row : rows)
                QTest::addRow("%s: %s", name, qPrintable(row[u"name"].toString())) << row.toObject();
        }
    }

    void everyPublishedCaseParsesAsItShould()
    {
        QFETCH(const QJsonObject, row);
        QStringList lines;
        for (const QJsonValue &line : row[u"raw"].toArray())
            lines += line.toString();
        const auto result = parsed(row[u"header_type"].toString(), lines.join(u", "_s).toLatin1());
        if (row[u"must_fail"].toBool()) {
            QVERIFY2(!result, "was accepted");
            return;
        }
        if (row[u"can_fail"].toBool() && !result)
            return;
        QVERIFY2(result, "was refused");
        QCOMPARE(*result, withHex(row[u"expected"]).toArray());
    }

    void datesAndDisplayStringsOfTheNewerRevision()
    {
        QCOMPARE(sf::parseItem("@1659578233")->value, sf::BareItem(sf::Date{1659578233}));
        QCOMPARE(sf::parseItem("%\"f%c3%bc\"")->value, sf::BareItem(sf::DisplayString{u"f\u00fc"_s}));
        QVERIFY(!sf::parseItem("@1.5"));
        QVERIFY(!sf::parseItem("%\"%C3%BC\"")); // upper-case hex is refused
        QVERIFY(!sf::parseItem("%\"%c3\""));    // not UTF-8
    }
};

QTEST_GUILESS_MAIN(TestStructuredFields)
#include "test_structured_fields.moc"
