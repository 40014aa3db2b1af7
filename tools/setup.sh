#!/usr/bin/env bash
# From a fresh Debian 12/13 or Ubuntu 24.04 machine to a first comparison: installs what is needed, builds the release,
# replays the bundled sample under five policies.
#
#   tools/setup.sh [--no-install]
set -euo pipefail
cd "$(dirname "$0")/.."

# Building; the libraries of tools/cmake/depends.cmake; the library of the tests.
packages=(gcc libc6-dev cmake ninja-build pkg-config git
          libyaml-dev libcjson-dev libgsl-dev zlib1g-dev libzstd-dev nettle-dev uthash-dev libsqlite3-dev libglpk-dev libqhull-dev
          libcmocka-dev)

usage() {
    echo "usage: tools/setup.sh [--no-install]"
    echo "  --no-install  the packages are there already: ${packages[*]}"
}

install_packages() {
    if ! command -v apt-get >/dev/null; then
        echo "setup.sh: no apt-get here. Install what matches these Debian packages, then use --no-install:" >&2
        echo "  ${packages[*]}" >&2
        exit 1
    fi
    local as_root=()
    if [ "$(id -u)" != 0 ]; then
        as_root=(sudo)
    fi
    "${as_root[@]}" apt-get update -q
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${packages[@]}"
}

install=yes
for argument in "$@"; do
    case $argument in
    --no-install) install=no ;;
    --packages) printf '%s\n' "${packages[@]}"; exit 0 ;; # for the check that the list is complete
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 64 ;;
    esac
done

if [ "$install" = yes ]; then
    install_packages
fi
generator=()
if [ ! -e build/CMakeCache.txt ]; then
    generator=(-G Ninja)
fi
# shellcheck disable=SC2086 # options are words
cmake -C tools/presets/release.cmake -S . -B build "${generator[@]}" -DORRERY_TESTS=OFF ${ORRERY_SETUP_OPTIONS:-}
cmake --build build

echo
echo '$ build/orrery run -t traces/philly-2k.csv -c configs/clusters/8x8-v100.yaml -p fifo -p fifo,hol=skip -p srtf -p tiresias -p las'
build/orrery run -t traces/philly-2k.csv -c configs/clusters/8x8-v100.yaml \
    -p fifo -p fifo,hol=skip -p srtf -p tiresias -p las
