// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cursor/progressguard.h"

#include <bit>

namespace watukuy::cursor {

void ProgressGuard::notePage(const QByteArray &request)
{
    ++m_pages;
    if (std::has_single_bit(static_cast<unsigned>(m_pages)))
        m_marks.milestone = request;
}

bool ProgressGuard::isSameAgain(const QByteArray &content)
{
    const bool isSame = !content.isEmpty() && content == m_marks.lastContent;
    m_marks.lastContent = content;
    return isSame;
}

} // namespace watukuy::cursor
