# SPDX-License-Identifier: GPL-3.0-or-later
find_package(rapidcheck REQUIRED)
watukuy_suite(test_budget ${CMAKE_CURRENT_SOURCE_DIR}/test_budget.cpp watukuy-budget rapidcheck)
