# SPDX-License-Identifier: GPL-3.0-or-later
watukuy_suite(test_http_headers ${CMAKE_CURRENT_SOURCE_DIR}/test_http_headers.cpp watukuy-http)
watukuy_suite(test_structured_fields ${CMAKE_CURRENT_SOURCE_DIR}/test_structured_fields.cpp watukuy-http)
watukuy_suite(test_http_prepare ${CMAKE_CURRENT_SOURCE_DIR}/test_http_prepare.cpp watukuy-http)
pkg_check_modules(brotlienc REQUIRED IMPORTED_TARGET libbrotlienc)
watukuy_suite(test_inflater ${CMAKE_CURRENT_SOURCE_DIR}/test_inflater.cpp watukuy-http PkgConfig::brotlienc PkgConfig::zstd ZLIB::ZLIB)
