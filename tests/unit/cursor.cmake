# SPDX-License-Identifier: GPL-3.0-or-later
find_package(rapidcheck REQUIRED)
watukuy_suite(test_timestampvalue ${CMAKE_CURRENT_SOURCE_DIR}/test_timestampvalue.cpp watukuy-cursor)
watukuy_suite(test_cursor_vectors ${CMAKE_CURRENT_SOURCE_DIR}/test_cursor_vectors.cpp watukuy-cursor)
watukuy_suite(test_strategies ${CMAKE_CURRENT_SOURCE_DIR}/test_strategies.cpp watukuy-cursor)
watukuy_suite(test_paging ${CMAKE_CURRENT_SOURCE_DIR}/test_paging.cpp watukuy-cursor)
watukuy_suite(test_cursor_properties ${CMAKE_CURRENT_SOURCE_DIR}/test_cursor_properties.cpp watukuy-cursor rapidcheck)
