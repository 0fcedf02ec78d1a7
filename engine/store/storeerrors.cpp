// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/store/storeerrors.h"

namespace watukuy::storeerrors {

using namespace Qt::StringLiterals;

Error leaseLost(const Key &key)
{
    return {
        .kind = ErrorKind::LeaseLost,
        .name = u"LeaseLostError"_s,
        .title = u"The lease of %1 was lost"_s.arg(key.toString()),
        .detail =
            u"another instance or an administrative command has taken the key over; nothing was written"_s,
        .nextStep = u"nothing to do: the cycle is abandoned, the new holder goes on"_s,
        .retryable = false};
}

Error unknownKey(const Key &key)
{
    return {.kind = ErrorKind::Usage,
            .name = u"UnknownKey"_s,
            .title = u"The store does not know the key %1"_s.arg(key.toString()),
            .detail = u"it was never created, or it was removed"_s,
            .nextStep = u"list the known keys with `watukuy inspect`"_s,
            .retryable = false};
}

Error notOpen()
{
    return {.kind = ErrorKind::Store,
            .name = u"StoreNotOpen"_s,
            .title = u"The store is not open"_s,
            .detail = u"it was not opened yet, or it was closed already"_s,
            .nextStep = u"open the store first"_s,
            .retryable = false};
}

Error unknownScan(const Key &key, qint64 scanId)
{
    return {.kind = ErrorKind::Internal,
            .name = u"UnknownScan"_s,
            .title = u"The scan %1 of %2 is not open"_s.arg(scanId).arg(key.toString()),
            .detail = u"it was completed, or another scan of its lane has begun; nothing was written"_s,
            .nextStep = u"the next cycle lists everything again"_s,
            .retryable = true};
}

bool isEmptyBudget(const std::vector<budget::Window> &windows)
{
    return windows.empty() || std::ranges::any_of(windows, [](const budget::Window &window) {
               return window.requests <= 0 || window.per <= Duration::zero();
           });
}

Error emptyBudget(const QString &budget)
{
    return {.kind = ErrorKind::Workspace,
            .name = u"EmptyBudget"_s,
            .title = u"The budget %1 allows no requests"_s.arg(budget),
            .detail = u"`requests` and `per` must both be more than 0"_s,
            .nextStep = u"correct the budget in the workspace"_s,
            .retryable = false};
}

} // namespace watukuy::storeerrors
