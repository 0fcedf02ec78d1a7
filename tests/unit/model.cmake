# SPDX-License-Identifier: GPL-3.0-or-later
watukuy_suite(test_model ${CMAKE_CURRENT_SOURCE_DIR}/test_model.cpp watukuy-model)
