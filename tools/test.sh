#!/usr/bin/env bash
# Builds everything with debug information and runs all tests. Options go to ctest: tools/test.sh -R trace
set -euo pipefail
cd "$(dirname "$0")/.."

build=${ORRERY_TEST_BUILD:-build-tests}
# shellcheck disable=SC2086 # options are words
cmake -C tools/presets/debug.cmake -S . -B "$build" -G Ninja -DORRERY_TESTS=ON ${ORRERY_TEST_OPTIONS:-}
cmake --build "$build"

status=0
ctest --test-dir "$build" --output-on-failure -j "$(nproc)" "$@" || status=$?

# Results of other simulators live outside the tree and are skipped where they are absent: say how many ran.
log=$build/Testing/Temporary/LastTest.log
ran=$(grep -c '^golden: .* ran' "$log" || true)
skipped=$(grep -c '^golden: .* skipped' "$log" || true)
echo
echo "golden cases: $ran ran, $skipped skipped"
sed -n 's/^golden: .* skipped *(*\(.*[^)]\))*$/\1/p' "$log" | sort | uniq -c | sort -rn
exit "$status"
