#!/usr/bin/env bash
# Runs the command line through its cases and compares what comes out, byte for byte.
#
#   run.sh PATH_OF_ORRERY SOURCE_FOLDER [NAME...]     names as topic/case; none: all
#   ORRERY_UPDATE=1 run.sh ...                        writes the expected files anew; then read the diff
#
# A case is <topic>/<case>.sh, run by bash in a scratch folder of its own with `orrery` on the PATH, $SRC the source folder,
# no terminal and stdin empty. Beside it: .stdout, .stderr (absent: nothing is printed) and .exit (absent: 0). Where lines
# vary there is .stdout.glob or .stderr.glob instead: a pattern of bash a line, "..." for any number of lines. A case that
# can't be run here says why on stderr and ends with 77.
set -u

orrery=$(realpath "$1")
src=$(realpath "$2")
shift 2
here=$src/tests/cli
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
ln -s "$orrery" "$scratch/bin/orrery"
passed=0 failed=0 skipped=0 failures=()

# Do the lines of $2 match the patterns of $1?
matches() {
    local patterns lines i=0 any=0 line
    mapfile -t patterns <"$1"
    mapfile -t lines <"$2"
    for line in "${lines[@]+"${lines[@]}"}"; do
        while [[ $i -lt ${#patterns[@]} && ${patterns[i]} == "..." ]]; do
            any=1
            i=$((i + 1))
        done
        # shellcheck disable=SC2053
        if [[ $i -lt ${#patterns[@]} && $line == ${patterns[i]} ]]; then
            i=$((i + 1)) any=0
        elif [[ $any -eq 0 ]]; then
            echo "  no pattern for: $line"
            return 1
        fi
    done
    while [[ $i -lt ${#patterns[@]} && ${patterns[i]} == "..." ]]; do
        i=$((i + 1))
    done
    [[ $i -eq ${#patterns[@]} ]] && return 0
    echo "  nothing matches: ${patterns[i]}"
    return 1
}

# $1: expected file without .glob; $2: what came
compare() {
    if [[ -f $1.glob ]]; then
        matches "$1.glob" "$2"
    elif [[ -n ${ORRERY_UPDATE:-} ]]; then
        if [[ -s $2 ]]; then cp "$2" "$1"; else rm -f "$1"; fi
    elif [[ -f $1 ]]; then
        cmp -s "$1" "$2" || { diff -a -u "$1" "$2" | sed 's/^/  /'; return 1; }
    elif [[ -s $2 ]]; then
        echo "  printed, but not expected (${1##*.}):"
        sed 's/^/  /' "$2"
        return 1
    fi
}

run_case() {
    local case=${1%.sh} work=$scratch/work want=0 got ok=0
    rm -rf "$work"
    mkdir "$work"
    (
        cd "$work" || exit 1
        unset CI CLICOLOR_FORCE GITHUB_ACTIONS ORRERY_PLUGIN_PATH
        PATH=$scratch/bin:$PATH SRC=$src LC_ALL=C NO_COLOR=1 HOME=$work \
            timeout -k 5 120 bash "$case.sh" </dev/null >"$scratch/stdout" 2>"$scratch/stderr"
    )
    got=$?
    if [[ $got -eq 77 ]]; then
        skipped=$((skipped + 1))
        echo "skipped ${case#"$here"/}: $(cat "$scratch/stderr")"
        return
    fi
    [[ -f $case.exit ]] && want=$(<"$case.exit")
    if [[ -n ${ORRERY_UPDATE:-} ]]; then
        if [[ $got -ne 0 ]]; then echo "$got" >"$case.exit"; else rm -f "$case.exit"; fi
    elif [[ $got -ne $want ]]; then
        echo "  exit status $got instead of $want"
        ok=1
    fi
    compare "$case.stdout" "$scratch/stdout" || ok=1
    compare "$case.stderr" "$scratch/stderr" || ok=1
    if [[ $ok -eq 0 ]]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        failures+=("${case#"$here"/}")
        echo "failed ${case#"$here"/}"
    fi
}

if [[ $# -gt 0 ]]; then
    for name in "$@"; do run_case "$here/$name.sh"; done
else
    for file in "$here"/*/*.sh; do run_case "$file"; done
fi
note=
[[ $skipped -gt 0 ]] && note=", $skipped skipped"
echo "$passed passed, $failed failed$note"
for name in "${failures[@]+"${failures[@]}"}"; do echo "  $name"; done
[[ $failed -eq 0 ]]
