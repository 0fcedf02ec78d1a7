#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what is missing, builds, and opens Watukuy on its demo workspace.
set -eu

usage() {
    cat <<'TEXT'
usage: packaging/run.sh [--headless] [--for DURATION]

Installs what is missing (Debian, Ubuntu), builds into build/release, and opens the desktop program on the
demo workspace. Without a display the demo runs on the command line and prints its events.

  --headless       run the demo on the command line even when there is a display
  --for DURATION   end the command-line demo after that time, e.g. 20s (implies --headless)
TEXT
}

headless=no
duration=
while [ $# -gt 0 ]; do
    case $1 in
    --headless) headless=yes ;;
    --for)
        [ $# -ge 2 ] || { usage >&2; exit 2; }
        duration=$2
        headless=yes
        shift
        ;;
    --for=*)
        duration=${1#--for=}
        headless=yes
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        printf 'packaging/run.sh does not know %s.\n\n' "$1" >&2
        usage >&2
        exit 2
        ;;
    esac
    shift
done
if [ -n "$duration" ] && ! [[ $duration =~ ^[0-9]+(ms|s|m|h|d)$ ]]; then
    printf 'packaging/run.sh: --for %s is no duration: write a number and a unit, e.g. 20s.\n' "$duration" >&2
    exit 2
fi
if [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    headless=yes
fi

. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"
mkdir -p "$top/build"
if [ "$headless" = yes ]; then
    target=watukuy
    install_packages debian-packages.txt
else
    target=watukuy-desktop
    install_packages debian-packages.txt debian-packages-desktop.txt
fi
configure release -DWATUKUY_TESTS=OFF
say "Building $target in build/release ..."
cmake --build "$top/build/release" --parallel "$jobs" --target "$target" >&2

if [ "$headless" = yes ]; then
    exec "$top/build/release/bin/watukuy" demo ${duration:+--for "$duration"}
fi
exec "$top/build/release/bin/watukuy-desktop" --demo
