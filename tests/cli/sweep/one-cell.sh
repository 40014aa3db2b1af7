# A cell alone is told as a run is, and its files are those of a run.
cp "$SRC/traces/tiny.csv" .
cat >plan.yaml <<END
schema: orrery.sweep/1
base: {trace: tiny.csv, cluster: "nodes=1,gpus=4"}
grid: {policy: [fifo, srtf], scale-load: [1, 3]}
END
orrery sweep plan.yaml --cell 4 -o four
ls four
orrery sweep plan.yaml --json | sed -n 's/.*"summary":\(.*\)}$/\1/p' | sed -n 4p >a
orrery sweep plan.yaml --cell 4 --json >b
cmp a b
orrery sweep plan.yaml --cell 5
