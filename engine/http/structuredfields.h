// SPDX-License-Identifier: GPL-3.0-or-later
// Structured field values (RFC 9651): the strict parser of section 4.2.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include <QByteArray>
#include <QByteArrayView>
#include <QString>

namespace watukuy::http::structured {

struct Token {
    QByteArray text;
    bool operator==(const Token &) const = default;
};
struct Date {
    qint64 seconds = 0;
    bool operator==(const Date &) const = default;
};
struct Decimal {
    double value = 0;
    bool operator==(const Decimal &) const = default;
};
struct DisplayString {
    QString text;
    bool operator==(const DisplayString &) const = default;
};

/// Integer, Decimal, String (bytes of ASCII), Token, Byte Sequence, Boolean, Date, Display String.
using BareItem = std::variant<qint64, Decimal, std::string, Token, QByteArray, bool, Date, DisplayString>;

/// In order, each name once: a repeated one took the place of the first with its own value.
using Parameters = std::vector<std::pair<QByteArray, BareItem>>;

struct Item {
    BareItem value;
    Parameters parameters;
    bool operator==(const Item &) const = default;
};
struct InnerList {
    std::vector<Item> items;
    Parameters parameters;
    bool operator==(const InnerList &) const = default;
};
using Member = std::variant<Item, InnerList>;
using List = std::vector<Member>;
using Dictionary = std::vector<std::pair<QByteArray, Member>>;

/// Nothing when the field is malformed: then the whole field is to be ignored. Several field lines
/// are joined with ", " before.
[[nodiscard]] std::optional<Item> parseItem(QByteArrayView field);
[[nodiscard]] std::optional<List> parseList(QByteArrayView field);
[[nodiscard]] std::optional<Dictionary> parseDictionary(QByteArrayView field);

/// A number as a double, whether Integer or Decimal.
[[nodiscard]] std::optional<double> numberOf(const BareItem &item);

} // namespace watukuy::http::structured
