# One object a cell, in cell order, whatever ended first; failed cells have their error, and the first gives the status.
cat >plan.yaml <<END
schema: orrery.sweep/1
base: {trace: $SRC/traces/tiny.csv, cluster: "nodes=1,gpus=4"}
grid: {policy: [fifo, srtf], max-events: [0, 5]}
metrics: jct.mean
END
orrery sweep plan.yaml --json -j 3 >lines
echo "status $?"
cut -d, -f1-6 lines | sed 's/"version.*//'
grep -c '"schema":"orrery.summary/1"' lines
orrery sweep plan.yaml
