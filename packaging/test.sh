#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what is missing, builds everything into build/dev and runs every test.
# Arguments go to ctest, e.g. `packaging/test.sh -R canonical`. WATUKUY_WERROR=ON makes warnings errors.
set -eu

case ${1:-} in
-h | --help)
    sed -n 's/^# //; 3,4p' "${BASH_SOURCE[0]}"
    exit 0
    ;;
esac

. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"
mkdir -p "$top/build"
install_packages debian-packages.txt debian-packages-test.txt

configure dev -DWATUKUY_TESTS=ON "-DWATUKUY_WERROR=${WATUKUY_WERROR:-OFF}"
say "Building in build/dev ..."
cmake --build "$top/build/dev" --parallel "$jobs"

cd "$top"
exec ctest --preset dev --parallel "$jobs" --no-tests=error "$@"
