// SPDX-License-Identifier: GPL-3.0-or-later
// The progress guard (spec-engine 2): notices a scan that goes round in circles.
#pragma once

#include <QByteArray>
#include <QSet>

namespace watukuy::cursor {

/// What of a scan's guard is stored between its pieces.
struct ProgressMarks {
    QByteArray milestone;   ///< a request that was sent
    QByteArray lastContent; ///< fingerprint of the items of the last page

    bool operator==(const ProgressMarks &) const = default;
};

/// Within one run every repeated request is noticed at once. Over many runs it takes as many requests as
/// the circle and the way to it are long, a few times over: one milestone is kept, which moves on whenever
/// the number of requests has doubled (Brent's way to find a cycle). Not thread-safe.
class ProgressGuard {
public:
    explicit ProgressGuard(ProgressMarks marks = {}, int pages = 0)
        : m_marks(std::move(marks))
        , m_pages(pages)
    {
    }

    /// True when the request of this hash was sent before.
    [[nodiscard]] bool wasAsked(const QByteArray &request) const
    {
        return m_asked.contains(request) || request == m_marks.milestone;
    }
    void noteAsked(const QByteArray &request) { m_asked.insert(request); }
    /// The request of this hash had an answer that the scan goes on from.
    void notePage(const QByteArray &request);
    /// True when the page before had the same items. An empty page is never the same again.
    [[nodiscard]] bool isSameAgain(const QByteArray &content);

    [[nodiscard]] const ProgressMarks &marks() const { return m_marks; }

private:
    ProgressMarks m_marks;
    int m_pages;
    QSet<QByteArray> m_asked;
};

} // namespace watukuy::cursor
