#!/bin/bash
# Shards by GNU parallel, as tools/batch/README.md tells: joined they are the bytes of an undivided run.
#
#   parallel.sh PATH_OF_ORRERY SOURCE_FOLDER        77: it can't be tried here, and why
set -eu

orrery=$(realpath "$1")
src=$(realpath "$2")
if ! parallel --version 2>/dev/null | grep -q 'GNU parallel'; then
    echo "skipped: there is no GNU parallel (Debian: parallel)"
    exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export HOME=$dir
cat >plan.yaml <<END
schema: orrery.sweep/1
base: {trace: $src/traces/tiny.csv, cluster: "nodes=1,gpus=4"}
grid: {policy: [fifo, srtf, las], scale-load: [1, 2], seed: 1..3}
baseline: {policy: fifo}
metrics: [jct.mean, gpu_alloc]
END
"$orrery" sweep plan.yaml -o undivided >/dev/null
parallel --will-cite --halt soon,fail=1 "$orrery" sweep plan.yaml --shard {}/4 -j 1 -q -o out/{} ::: 1 2 3 4 >/dev/null 2>log ||
    { cat log; exit 1; }
"$orrery" sweep --merge out/1 out/2 out/3 out/4 -o whole >/dev/null
diff -r undivided whole
echo "four shards: the same bytes as undivided"
