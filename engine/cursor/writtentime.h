// SPDX-License-Identifier: GPL-3.0-or-later
// A timestamp together with the form it was written in, so that a moved one can be written alike.
#pragma once

#include <optional>
#include <variant>

#include <QByteArray>
#include <QDateTime>
#include <QString>
#include <QStringView>

#include "engine/cursor/timestampvalue.h"

namespace watukuy::cursor {

/// RFC 3339 and its looser relatives: a date alone, a blank for the `T`, no seconds, no offset.
struct IsoForm {
    QChar separator;          ///< between date and time; null = a date alone
    bool seconds = true;      ///< written
    QChar fractionMark;       ///< `.` or `,`
    int fractionDigits = 0;   ///< as written, also beyond nine
    QString zone;             ///< as written, with a blank before it if there was one; empty = local
    qint64 offsetSeconds = 0; ///< of `zone`
};

/// The three date forms of RFC 7231, 7.1.1.1, and RFC 5322's with a numeric offset.
struct HttpForm {
    enum class Kind { Fixdate, Rfc850, Asctime };
    Kind kind = Kind::Fixdate;
    bool weekday = true;
    bool shortYear = false; ///< written with two digits
    QString zone;           ///< `GMT`, `+0200`; empty for Asctime
    qint64 offsetSeconds = 0;
};

/// `/Date(1587482538893+0200)/`
struct DotNetForm {
    QString suffix; ///< the offset as written, without meaning for the instant
};

/// A count of `unitDigits`-th parts of a second since 1970: 0 = s, 3 = ms, 6 = us, 9 = ns.
struct EpochForm {
    int unitDigits = 0;
    int fractionDigits = 0;
};

/// One of the poller's own formats.
struct QtForm {
    QString format;
    bool ownZone = false; ///< the text names its offset or zone itself
    QDateTime read;       ///< what Qt read, when ownZone
};

struct WrittenTime {
    Timestamp at;
    std::variant<IsoForm, HttpForm, DotNetForm, EpochForm, QtForm> form;
};

[[nodiscard]] std::optional<WrittenTime> readIso(QStringView text, const QByteArray &timeZone);
[[nodiscard]] std::optional<WrittenTime> readHttpDate(QStringView text);
[[nodiscard]] std::optional<WrittenTime> readDotNet(QStringView text);
/// `unit` is "", "s", "ms", "us" or "ns"; "" decides by magnitude.
[[nodiscard]] std::optional<WrittenTime> readEpoch(QStringView text, QStringView unit);
[[nodiscard]] std::optional<WrittenTime> readQtFormat(const QString &text, const QString &format,
                                                      const QByteArray &timeZone);

// Each writes `at` in a form, rounded down to what the form can say.
[[nodiscard]] QString write(const Timestamp &at, const IsoForm &form, const QByteArray &timeZone);
[[nodiscard]] QString write(const Timestamp &at, const HttpForm &form);
[[nodiscard]] QString write(const Timestamp &at, const DotNetForm &form);
[[nodiscard]] QString write(const Timestamp &at, const EpochForm &form);
[[nodiscard]] QString write(const Timestamp &at, const QtForm &form, const QByteArray &timeZone);

/// `instant` with nanoseconds.
[[nodiscard]] Timestamp toTimestamp(Instant instant);
[[nodiscard]] Timestamp earlier(const Timestamp &at, Duration by);

} // namespace watukuy::cursor
