# SPDX-License-Identifier: GPL-3.0-or-later
find_package(rapidcheck REQUIRED)
watukuy_suite(test_schedule ${CMAKE_CURRENT_SOURCE_DIR}/test_schedule.cpp watukuy-schedule)
watukuy_suite(test_schedule_vectors ${CMAKE_CURRENT_SOURCE_DIR}/test_schedule_vectors.cpp watukuy-schedule)
watukuy_suite(test_schedule_properties ${CMAKE_CURRENT_SOURCE_DIR}/test_schedule_properties.cpp watukuy-schedule rapidcheck)
