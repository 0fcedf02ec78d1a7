# SPDX-License-Identifier: GPL-3.0-or-later
find_package(rapidcheck REQUIRED)
watukuy_suite(test_template ${CMAKE_CURRENT_SOURCE_DIR}/test_template.cpp watukuy-definition)
watukuy_suite(test_secrets ${CMAKE_CURRENT_SOURCE_DIR}/test_secrets.cpp watukuy-definition)
watukuy_suite(test_located_json ${CMAKE_CURRENT_SOURCE_DIR}/test_located_json.cpp watukuy-definition)
watukuy_suite(test_workspace ${CMAKE_CURRENT_SOURCE_DIR}/test_workspace.cpp watukuy-definition)
watukuy_suite(test_workspace_errors ${CMAKE_CURRENT_SOURCE_DIR}/test_workspace_errors.cpp watukuy-definition)
watukuy_suite(test_workspace_schema ${CMAKE_CURRENT_SOURCE_DIR}/test_workspace_schema.cpp watukuy-definition)
watukuy_suite(test_activewindows ${CMAKE_CURRENT_SOURCE_DIR}/test_activewindows.cpp watukuy-definition rapidcheck)
