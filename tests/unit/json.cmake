# SPDX-License-Identifier: GPL-3.0-or-later
find_package(rapidcheck REQUIRED)
watukuy_suite(test_canonical ${CMAKE_CURRENT_SOURCE_DIR}/test_canonical.cpp watukuy-json)
watukuy_suite(test_json_find ${CMAKE_CURRENT_SOURCE_DIR}/test_json_find.cpp watukuy-json)
watukuy_suite(test_pagebody ${CMAKE_CURRENT_SOURCE_DIR}/test_pagebody.cpp watukuy-json)
watukuy_suite(test_json_properties ${CMAKE_CURRENT_SOURCE_DIR}/test_json_properties.cpp watukuy-json rapidcheck)
watukuy_suite(test_schema ${CMAKE_CURRENT_SOURCE_DIR}/test_schema.cpp watukuy-json)
watukuy_suite(test_expression_properties ${CMAKE_CURRENT_SOURCE_DIR}/test_expression_properties.cpp watukuy-json rapidcheck)
