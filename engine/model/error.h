// SPDX-License-Identifier: GPL-3.0-or-later
// What went wrong: the one error type that crosses module borders, and the Result that carries it.
#pragma once

#include <expected>
#include <optional>

#include <QMetaType>
#include <QString>

#include "engine/model/instant.h"

namespace watukuy {

/// What kind of thing failed. Decides exit codes, retry rules and the icon an operator sees.
enum class ErrorKind {
    Usage,        ///< the command line or an argument
    Workspace,    ///< the workspace file
    Secret,       ///< a secret reference could not be read
    Network,      ///< no answer: DNS, connect, TLS, timeout, cut body
    Http,         ///< an answer with a status that is a failure
    Body,         ///< an answer whose body is not what was declared
    Progress,     ///< the listing does not move on (spec-engine 2, progress guard)
    Validation,   ///< an item does not fit its schema
    LeaseLost,    ///< a newer epoch exists: this cycle must be abandoned
    Store,        ///< the store failed
    StoreFull,    ///< no space left: nothing was written, resumes alone
    StoreNewer,   ///< the store was written by a newer version
    StoreDamaged, ///< the file is no database or is damaged
    Sink,         ///< a sink is down or refused an event
    Refused,      ///< read-only, stale preview
    Cancelled,    ///< stopped on request
    Internal      ///< a fault of the program itself
};

/// An error as a value: what, why, what it means, and what the operator can do next.
/// `name` is a stable identifier (`HttpStatusError`, `LeaseLostError`, `PoisonHalt`); the texts are
/// English and free of secrets: user interfaces translate by `name` where they can.
struct Error {
    ErrorKind kind = ErrorKind::Internal;
    QString name;
    QString title;    ///< one line: what happened
    QString detail;   ///< where and why; may be empty
    QString nextStep; ///< what to do; may be empty
    bool retryable = false;
    int httpStatus = 0;               ///< of the answer that is the failure; 0 = there was none
    std::optional<Instant> notBefore; ///< trying again makes no sense earlier

    bool operator==(const Error &) const = default;

    /// `title: detail` on one line, for logs.
    [[nodiscard]] QString oneLine() const
    {
        return detail.isEmpty() ? title : title + QStringLiteral(": ") + detail;
    }
};

/// True for the error of a budget's share that could not be had in time: the work goes on later, from
/// Error::notBefore, and nothing failed.
[[nodiscard]] inline bool isDeferral(const Error &error)
{
    return error.name == QLatin1StringView("BudgetTimeout") ||
           error.name == QLatin1StringView("BudgetWaitEnded");
}

/// A value or an Error. No exception crosses a module border.
template <typename T>
using Result = std::expected<T, Error>;

/// An Error ready to be returned from a function with a Result.
[[nodiscard]] inline std::unexpected<Error> fail(Error error)
{
    return std::unexpected<Error>(std::move(error));
}

} // namespace watukuy

Q_DECLARE_METATYPE(watukuy::Error)
