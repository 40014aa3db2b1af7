# SIGINT keeps what is finished and ends with 130; the same command goes on.
cat >plan.yaml <<END
schema: orrery.sweep/1
base: {trace: $SRC/traces/helios-5k.csv, cluster: "nodes=40,gpus=8"}
grid: {policy: [fifo, srtf, las], scale-load: [1, 2, 4], seed: 1..60}
metrics: jct.mean
END
orrery sweep plan.yaml -o part -j 2 2>err &
pid=$!
while ! [ -s part/cells.part.jsonl ]; do sleep 0.02; done
kill -INT $pid
wait $pid
echo "status $?"
sed 's/with [0-9]* of/with some of/' err
ls part
