#!/usr/bin/env bash
# Is the list of packages in tools/setup.sh complete? A machine that has been used for a while has more on it than a fresh
# one, so "it built" proves nothing: this asks which packages own the headers, the pkg-config modules and the programs
# that the build really used, and fails if one of them is neither in the list nor a dependency of one that is.
#
#   packages.sh BUILD_DIR     a Ninja build with the tests
set -euo pipefail

build=$(realpath "$1")
cd "$(dirname "$0")/.."
if ! command -v dpkg >/dev/null || ! command -v apt-cache >/dev/null; then
    echo "skipped: not a Debian system"
    exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

headers() {
    ninja -C "$build" -t deps | sed -n 's/^ *\(\/usr\/.*\)/\1/p' | sort -u
}
modules() {
    local module
    for module in $(sed -n '/^set(orrery_modules/,/)/s/^ \+\([^ ]\+\) .*/\1/p' tools/cmake/depends.cmake) cmocka; do
        find /usr/lib /usr/share -path "*/pkgconfig/$module.pc"
    done
}
programs() {
    local name
    for name in gcc cc cmake ninja pkg-config git; do
        command -v "$name"
    done
}
# All at once first, since each look-up reads the whole database. /usr/bin/x and /bin/x are one file on a merged system,
# but the database knows one of the names only; alternatives are links.
owners() {
    local found path name
    mapfile -t found
    dpkg -S "${found[@]}" >"$scratch/owned" 2>/dev/null || true
    for path in "${found[@]}"; do
        grep -q -F -x -e "$path" <(sed 's/^[^ ]*: //' "$scratch/owned") && continue
        for name in "$(realpath "$path")" "${path#/usr}"; do
            dpkg -S "$name" 2>/dev/null >>"$scratch/owned" && continue 2
        done
        echo "no-package($path)" >>"$scratch/owned"
    done
    sed 's/[:,].*//' "$scratch/owned" | sort -u
}

tools/setup.sh --packages >"$scratch/listed"
xargs apt-cache depends --recurse --important --installed <"$scratch/listed" |
    grep -v '^ ' | sed 's/:.*//' | cat - "$scratch/listed" | sort -u >"$scratch/brought"
{ headers; modules; programs; } >"$scratch/used"
owners <"$scratch/used" >"$scratch/owners"
comm -23 "$scratch/owners" "$scratch/brought" >"$scratch/unlisted"

echo "$(wc -l <"$scratch/used") files of $(wc -l <"$scratch/owners") packages: $(paste -sd' ' "$scratch/owners")"
if [ -s "$scratch/unlisted" ]; then
    echo "used, but not brought by tools/setup.sh: $(paste -sd' ' "$scratch/unlisted")"
    exit 1
fi
