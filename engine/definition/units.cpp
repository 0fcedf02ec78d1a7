// SPDX-License-Identifier: GPL-3.0-or-later
#include <QRegularExpression>

#include "engine/definition/workspace.h"

namespace watukuy {

using namespace Qt::StringLiterals;

namespace {

/// Instants plus any duration of a workspace stay far inside their range.
constexpr Duration longest = std::chrono::days{36'500};

} // namespace

std::optional<Duration> parseDuration(const QString &text)
{
    static const QRegularExpression form(u"\\A([0-9]{1,13})(ms|s|m|h|d)\\z"_s);
    const auto match = form.match(text);
    if (!match.hasMatch())
        return {};
    const qint64 count = match.captured(1).toLongLong();
    const QString unit = match.captured(2);
    const qint64 factor = unit == u"ms"  ? 1
                          : unit == u"s" ? 1000
                          : unit == u"m" ? 60'000
                          : unit == u"h" ? 3'600'000
                                         : 86'400'000;
    if (count > longest.count() / factor)
        return {};
    return Duration{count * factor};
}

QString durationText(Duration duration)
{
    const qint64 ms = duration.count();
    for (const auto &[factor, unit] : {std::pair{86'400'000, u"d"_s}, std::pair{3'600'000, u"h"_s},
                                       std::pair{60'000, u"m"_s}, std::pair{1000, u"s"_s}}) {
        if (ms >= factor && ms % factor == 0)
            return QString::number(ms / factor) + unit;
    }
    return QString::number(ms) + u"ms"_s;
}

std::optional<qint64> parseSize(const QString &text)
{
    static const QRegularExpression form(u"\\A([0-9]{1,15})(B|KB|MB|GB)?\\z"_s);
    const auto match = form.match(text);
    if (!match.hasMatch())
        return {};
    const qint64 count = match.captured(1).toLongLong();
    const QString unit = match.captured(2);
    const int shift = unit == u"KB" ? 10 : unit == u"MB" ? 20 : unit == u"GB" ? 30 : 0;
    if (count > (std::numeric_limits<qint64>::max() >> shift))
        return {};
    return count << shift;
}

} // namespace watukuy
