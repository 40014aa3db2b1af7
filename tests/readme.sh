#!/usr/bin/env bash
# Does what README.md says, in a copy of the tree: saves each block fenced as ```LANGUAGE FILE under that name, runs each line
# `$ command` of the ```console blocks in order, and compares what it prints with the lines below it, if there are any
# (a line `...` stands for any lines). What stands between `<!-- orrery ... -->` and `<!-- end -->` must be what that command
# prints; with ORRERY_UPDATE_DOCS set it is written anew. The two commands that set up and test are left out: the build is there already.
#
#   readme.sh ORRERY SOURCE_DIR
set -euo pipefail

orrery=$(realpath -- "$1")
source_dir=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
ran=0 failed=0

tree=$scratch/orrery
mkdir -p "$tree/build"
cp -R "$source_dir"/{README.md,LICENSE,include,policies,configs,traces,tools} "$tree"
ln -s "$orrery" "$tree/build/orrery"
cd "$tree"

# Text as a pattern that matches just itself, save for lines of three dots.
pattern_of() {
    sed -e 's/[][*?\\(){}|!+@]/\\&/g' -e 's/^\.\.\.$/*/'
}

run() { # COMMAND EXPECTED
    case $1 in
    "" | tools/setup.sh* | tools/test.sh* | git\ clone* | cd\ *) return 0 ;;
    esac
    ran=$((ran + 1))
    local status=0 out
    out=$(bash -c "$1" 2>"$scratch/stderr" </dev/null) || status=$?
    if [ "$status" != 0 ]; then
        echo "FAILED (status $status): $1"
        cat "$scratch/stderr"
    elif [ -n "$2" ]; then
        local pattern
        pattern=$(pattern_of <<<"$2")
        # shellcheck disable=SC2053 # a pattern is meant
        [[ $out == $pattern ]] && return 0
        echo "FAILED, the README shows something else: $1"
        diff <(echo "$2") <(echo "$out") || true
    else
        return 0
    fi
    failed=$((failed + 1))
}

block='' file='' command='' expected=''
while IFS= read -r line <&3 || [ -n "$line" ]; do
    case $block:$line in
    none:'```console') block=console ;;
    none:'```'*' '*) block=file file=${line#* } && : >"$file" ;;
    none:'```'*) block=other ;;
    none:*) ;;
    *:'```')
        run "$command" "$expected"
        block=none command='' expected=''
        ;;
    file:*) printf '%s\n' "$line" >>"$file" ;;
    console:'$ '*)
        run "$command" "$expected"
        command=${line#'$ '} expected=''
        ;;
    console:*) expected+=${expected:+$'\n'}$line ;;
    :*) block=none ;;
    esac
done 3<README.md

# Tables that a command makes.
while IFS= read -r mark; do
    command=${mark#'<!-- '} command=build/${command%' -->'}
    ran=$((ran + 1))
    bash -c "$command" </dev/null >"$scratch/table" 2>"$scratch/stderr" || { cat "$scratch/stderr"; failed=$((failed + 1)); }
    awk -v mark="$mark" '$0 == "<!-- end -->" {on = 0} on {print} $0 == mark {on = 1}' README.md >"$scratch/shown"
    cmp -s "$scratch/table" "$scratch/shown" && continue
    if [ -n "${ORRERY_UPDATE_DOCS:-}" ]; then
        awk -v mark="$mark" -v table="$scratch/table" '$0 == "<!-- end -->" {off = 0} !off {print}
            $0 == mark {off = 1; while ((getline line < table) > 0) print line}' README.md >"$scratch/new"
        cp "$scratch/new" README.md
        cp "$scratch/new" "$source_dir/README.md"
        continue
    fi
    echo "FAILED, the README shows something else: $command"
    diff "$scratch/shown" "$scratch/table" || true
    failed=$((failed + 1))
done < <(grep '^<!-- orrery ' README.md)

echo "$ran commands of README.md, $failed failed"
[ "$ran" -gt 0 ] && [ "$failed" = 0 ]
