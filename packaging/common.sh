# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034 # jobs and top are for those who source this
# Shared by run.sh, test.sh and .ci/run: what is missing on this machine, and how builds are configured.
# Sourced, not run. `top` is the folder of the project.

top=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
jobs=$(nproc 2>/dev/null || echo 2)

# Programs started from cron or a bare chroot have no locale; Qt wants a UTF-8 one.
if [ -z "${LC_ALL:-}${LANG:-}" ]; then
    export LC_ALL=C.UTF-8
fi

say() { printf '%s\n' "$*" >&2; }

is_debian() {
    [ -r /etc/os-release ] && command -v apt-get >/dev/null && command -v dpkg-query >/dev/null || return 1
    (
        . /etc/os-release
        case " ${ID:-} ${ID_LIKE:-} " in *" debian "* | *" ubuntu "*) exit 0 ;; esac
        exit 1
    )
}

# The lines of the given lists, without comments.
wanted_packages() {
    local list
    for list in "$@"; do
        sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$top/packaging/$list"
    done
}

is_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null | cut -c1-2)" = ii ]
}

known_to_apt() { apt-cache show --no-all-versions "$1" >/dev/null 2>&1; }

# For each wanted line that is not installed, the name to install. A line of which this release knows
# no name is printed as it stands, unless it is optional.
missing_packages() {
    local line name names found
    while IFS= read -r line; do
        names=${line#\?}
        found=
        for name in ${names//|/ }; do
            if is_installed "$name"; then continue 2; fi
        done
        for name in ${names//|/ }; do
            if known_to_apt "$name"; then found=$name; break; fi
        done
        if [ -n "$found" ]; then
            printf '%s\n' "$found"
        elif [ "$line" = "$names" ]; then
            printf '%s\n' "$line"
        fi
    done < <(wanted_packages "$@")
}

# Installs what is missing of the given lists. Touches no network when nothing is.
install_packages() {
    local missing name unknown=() runner=()
    if ! is_debian; then
        check_foreign_tools "$@"
        return
    fi
    mapfile -t missing < <(missing_packages "$@")
    [ "${#missing[@]}" -gt 0 ] || return 0

    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            say "These packages are missing: ${missing[*]}"
            say "Install them as root (apt-get install ...), then start this again."
            exit 2
        fi
        runner=(sudo)
    fi
    "${runner[@]}" apt-get update -q >&2
    mapfile -t missing < <(missing_packages "$@") # the lists may know more now
    for name in "${missing[@]}"; do
        known_to_apt "$name" || unknown+=("${name//|/ or }")
    done
    if [ "${#unknown[@]}" -gt 0 ]; then
        say "This release has no package ${unknown[*]}."
        say "Watukuy needs the libraries of Debian 12, Ubuntu 24.04 or newer (Qt 6.4, GCC 12)."
        exit 2
    fi
    say "Installing ${missing[*]}"
    "${runner[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -q -y --no-install-recommends "${missing[@]}" >&2
}

# Other systems: nothing is installed for people, but they are told what to install.
check_foreign_tools() {
    local tool missing=()
    for tool in cmake ninja c++ pkg-config; do
        command -v "$tool" >/dev/null || missing+=("$tool")
    done
    if [ "${#missing[@]}" -gt 0 ]; then
        say "Missing here: ${missing[*]}"
        list_needs "$@"
        exit 2
    fi
}

list_needs() {
    say "Please install, under the names of your system, what these Debian packages hold:"
    wanted_packages "$@" | sed -e 's/^?//' -e 's/|.*//' | tr '\n' ' ' | fold -s -w 100 >&2
    say ""
}

# configure PRESET [CMAKE ARGUMENTS]: configures build/PRESET.
configure() {
    local preset=$1
    shift
    local arguments=(--preset "$preset" "$@")
    if command -v ccache >/dev/null; then
        arguments+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
        export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    fi
    if command -v mold >/dev/null; then
        arguments+=(-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=mold)
    fi
    if ! (cd "$top" && cmake "${arguments[@]}" >"$top/build/configure-$preset.log" 2>&1); then
        cat "$top/build/configure-$preset.log" >&2
        if ! is_debian; then
            list_needs debian-packages.txt
            exit 2
        fi
        exit 1
    fi
}
