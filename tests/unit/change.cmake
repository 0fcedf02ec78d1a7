# SPDX-License-Identifier: GPL-3.0-or-later
watukuy_suite(test_change ${CMAKE_CURRENT_SOURCE_DIR}/test_change.cpp watukuy-change)
