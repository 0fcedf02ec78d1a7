// SPDX-License-Identifier: GPL-3.0-or-later
// Small values that stores keep as JSON text: errors, rate limits, poll summaries, histories.
#pragma once

#include <optional>

#include <QByteArray>
#include <QList>
#include <QStringList>

#include "engine/model/event.h"
#include "engine/model/state.h"

namespace watukuy::rowcodec {

/// Text in, nothing for an empty or unreadable one out: a damaged detail must not hide its row.
[[nodiscard]] QByteArray encode(const Error &error);
[[nodiscard]] std::optional<Error> decodeError(const QByteArray &json);

[[nodiscard]] QByteArray encode(const RateLimit &limit);
[[nodiscard]] std::optional<RateLimit> decodeRateLimit(const QByteArray &json);

[[nodiscard]] QByteArray encode(const PollSummary &summary);
[[nodiscard]] std::optional<PollSummary> decodePollSummary(const QByteArray &json);

/// Empty lists become empty text.
[[nodiscard]] QByteArray encode(const QList<AttemptRecord> &history);
[[nodiscard]] QList<AttemptRecord> decodeHistory(const QByteArray &json);

[[nodiscard]] QByteArray encode(const QList<ItemIssue> &issues);
[[nodiscard]] QList<ItemIssue> decodeIssues(const QByteArray &json);

[[nodiscard]] QByteArray encode(const QStringList &names);
[[nodiscard]] QStringList decodeNames(const QByteArray &json);

/// A history keeps its newest entries only, so that a row stays small whatever happens.
inline constexpr int maxHistory = 100;
void addToHistory(QList<AttemptRecord> &history, const AttemptRecord &record);

} // namespace watukuy::rowcodec
