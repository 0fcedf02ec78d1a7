// SPDX-License-Identifier: GPL-3.0-or-later
// What the suites of the poll cycle share: listings, and a rig that polls them.
#pragma once

#include <QTest>

#include "tests/support/enginerig.h"

namespace watukuy::tests {

using demo::ListingApi;
using demo::ListingKind;
using demo::ServerReply;
using demo::ServerRequest;

inline const QByteArray byPage = R"("request":{"url":"$API/items","query":{"page":"${page}","limit":"3"}},
  "response":{"items":"items","hasMore":"more","total":"total"},"identity":"id",
  "cursor":{"strategy":"snapshotDiff"})";

inline const QByteArray byKeyset = R"("request":{"url":"$API/items",
  "query":{"updated_since":"${cursor.value}","after_id":"${cursor.tieBreak}","limit":"500"}},
  "response":{"items":"data","hasMore":"has_more"},"identity":"id",
  "cursor":{"strategy":"timestamp","field":"updatedAt","tieBreak":"id","initial":"2025-01-01T00:00:00Z"})";

/// A poller whose listing is one bare array.
inline const QByteArray wholeList =
    R"("request":{"url":"$API/items"},"identity":"id","cursor":{"strategy":"snapshotDiff"})";

inline QByteArray listOf(const QList<int> &ids)
{
    QByteArrayList items;
    for (const int id : ids)
        items.append("{\"id\":" + QByteArray::number(id) + ",\"n\":1}");
    return '[' + items.join(',') + ']';
}

inline QList<int> upTo(int last)
{
    QList<int> ids;
    for (int id = 1; id <= last; ++id)
        ids.append(id);
    return ids;
}

inline bool hasWarning(const RunReport &report, const QString &code)
{
    return std::ranges::any_of(report.warnings, [&](const Warning &warning) { return warning.code == code; });
}

inline QStringList createdUpTo(int last)
{
    QStringList lines;
    for (int id = 1; id <= last; ++id)
        lines.append(QStringLiteral("created %1").arg(id));
    return lines;
}

/// To stand beside the pollers: a budget `b` of these members.
inline QByteArray theBudget(const QByteArray &members)
{
    return ",\"budgets\":{\"b\":{" + members + "}}";
}

/// A suite that polls `m_api`, on one kind of store.
class CycleSuite : public QObject {
public:
    explicit CycleSuite(StoreKind kind)
        : m_kind(kind)
    {
    }

protected:
    /// A rig whose server lists `m_api`.
    std::unique_ptr<EngineRig> rigFor(const QByteArray &members, ListingKind kind)
    {
        auto rig = std::make_unique<EngineRig>(m_kind, members);
        rig->answer = [this, kind](const ServerRequest &request) { return m_api.list(request, kind); };
        return rig;
    }

    static RunReport runCleanly(EngineRig &rig)
    {
        RunReport report = rig.tick();
        if (report.error)
            QTest::qFail(qPrintable(report.error->oneLine()), __FILE__, __LINE__);
        return report;
    }

    /// In steps of six seconds, for what happens in minutes.
    static void passInSteps(EngineRig &rig, Duration by)
    {
        constexpr Duration step{6000};
        for (Duration passed{0}; passed < by; passed += step) {
            rig.clock.advance(step);
            rig.settle();
        }
    }

    static void expectQuiet(EngineRig &rig, int runs = 2)
    {
        for (int run = 0; run < runs; ++run) {
            rig.clock.advance(std::chrono::hours{1});
            (void)runCleanly(rig);
            QCOMPARE(rig.news(), QStringList());
        }
    }

    StoreKind m_kind;
    ListingApi m_api{[] { return qint64(1'767'225'600'000); }};
};

} // namespace watukuy::tests
