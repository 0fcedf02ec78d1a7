// SPDX-License-Identifier: GPL-3.0-or-later
// How much memory the process holds, where the C library tells.
#pragma once

#include <QtGlobal>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace watukuy::tests {

/// Bytes that were allocated and not freed, by all threads; 0 where nobody counts them.
inline qint64 liveHeap()
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    const struct mallinfo2 info = mallinfo2();
    return static_cast<qint64>(info.uordblks + info.hblkhd);
#else
    return 0;
#endif
}

} // namespace watukuy::tests
