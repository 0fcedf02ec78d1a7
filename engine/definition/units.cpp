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
