#!/bin/sh
# Reads every #include and fails on an arrow that points upward. Usage: layering.sh ROOT | layering.sh --self-test
#
#   tools -> study -> report, verify -> metrics, config, trace, log -> sim -> serve -> sched -> predict -> model -> job -> cluster
#         -> engine, solve -> base
#
# Areas of the same level don't know each other. A public header stands at the level of the lowest area that may see its
# types. Policies and plugins include <orrery/...> and the C library without its clocks; public headers include each other
# and the C library.
set -eu

check() { # ROOT: prints offending includes as file:line: ...; fails if there are any
    cd "$1"
    find include src policies tests/plugin -name '*.[ch]' 2>/dev/null | LC_ALL=C sort | xargs awk '
    BEGIN {
        n = split("base|engine solve|cluster|job|model|predict|sched|serve|sim|trace config metrics log|verify report|study", rows, "|")
        for (i = 1; i <= n; i++) { m = split(rows[i], row, " "); for (j = 1; j <= m; j++) level[row[j]] = i }
        public_at("base", "api error time version knob")
        public_at("solve", "solve shares evolve curves goodput slots queueing batching bookings")
        public_at("cluster", "cluster topology node scenario cells mig")
        public_at("job", "trace policy plan query places sim services serve serving")
        public_at("model", "profile fragment throughputs applications")
        public_at("predict", "history")
        public_at("sched", "drive elastic share_rounds blocks")
        public_at("trace", "metrics select synth")
        m = split("float inttypes limits math stdarg stdbool stddef stdint stdio stdlib string", row, " ")
        for (j = 1; j <= m; j++) plain[row[j] ".h"] = 1
    }
    function public_at(area, list,    row, k, m) {
        m = split(list, row, " "); for (k = 1; k <= m; k++) public["orrery/" row[k] ".h"] = level[area]
    }
    function bad(why) { printf "%s:%d: %s: %s\n", FILENAME, FNR, why, $0; failed = 1 }
    FNR == 1 {
        split(FILENAME, path, "/"); top = path[1]; area = path[2]; files++
        if (top == "src" && !(area in level)) bad("no area of this name: add it to tests/layering.sh at its level")
    }
    !/^[ \t]*#[ \t]*include[ \t]*["<]/ { next }
    {
        name = $0; sub(/^[^"<]*["<]/, "", name); sub(/[">].*/, "", name); includes++
        angle = $0 ~ /^[^"]*</
    }
    top != "src" {
        if (!angle || !(name ~ /^orrery\// || name in plain)) bad("only <orrery/...> and the plain C library here")
        next
    }
    name ~ /\.\./ { bad("no way around the include path"); next }
    name == "orrery/orrery.h" { bad("include what you use"); next }
    name ~ /^orrery\// {
        if (!(name in public)) bad("no level for this header: add it to tests/layering.sh")
        else if (public[name] > level[area]) bad("upward")
        next
    }
    angle { next }
    split(name, part, "/") == 2 && part[1] != area {
        if (!(part[1] in level)) bad("no such area")
        else if (level[part[1]] >= level[area]) bad("upward")
    }
    END {
        if (!files) { print "no sources found"; failed = 1 }
        printf "%d includes in %d files\n", includes, files
        exit failed
    }'
}

expect() { # 0|1 FILE LINE: a tree that holds FILE with LINE passes or fails
    rm -rf "$tmp/tree" && mkdir -p "$tmp/tree/$(dirname "$2")"
    printf '%s\n' "$3" >"$tmp/tree/$2"
    status=0; (check "$tmp/tree") >"$tmp/out" || status=1
    [ "$status" = "$1" ] && return
    echo "FAILED: expected $1 from $2: $3"; cat "$tmp/out"; exit 1
}

self_test() {
    tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
    expect 0 src/cluster/a.c '#include "engine/queue.h"'
    expect 0 src/cluster/a.c '#include "other.h"'
    expect 0 src/cluster/a.c '#include <yaml.h>'
    expect 1 src/engine/a.c '#include "cluster/index.h"'
    expect 1 src/engine/a.c '  #  include "cluster/index.h"'
    expect 1 src/engine/a.c '#include "solve/lp.h"'
    expect 1 src/engine/a.h '#include <orrery/cluster.h>'
    expect 1 src/base/a.c '#include "../sim/sim.h"'
    expect 1 src/base/a.c '#include <orrery/unheard.h>'
    expect 1 src/news/a.c '#include "base/mem.h"'
    expect 0 policies/sched/a.c '#include <orrery/policy.h>'
    expect 0 policies/sched/a.c '#include <math.h>'
    expect 1 policies/sched/a.c '#include <time.h>'
    expect 1 policies/sched/a.c '#include "sched/list.h"'
    expect 1 tests/plugin/a.c '#include "base/mem.h"'
    expect 1 include/orrery/a.h '#include <gsl/gsl_rng.h>'
    echo "16 of 16 as expected"
}

case "${1:?usage: layering.sh ROOT | --self-test}" in
--self-test) self_test ;;
*) check "$1" ;;
esac
