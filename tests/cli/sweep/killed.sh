# kill -9 at several moments: what is in the journal stays there byte for byte, so no finished cell was run again, and in
# the end the folder is that of a sweep that nobody disturbed.
cat >plan.yaml <<END
schema: orrery.sweep/1
base: {trace: $SRC/traces/philly-2k.csv, cluster: "nodes=8,gpus=8"}
grid: {policy: [fifo, srtf, las], scale-load: [1, 2, 4], seed: 1..4}
baseline: {policy: fifo}
metrics: [jct.mean, wait_first.p95]
END
orrery sweep plan.yaml -o whole -q >whole.txt
journal=killed/cells.part.jsonl
for lines in 3 9 10 20; do
    orrery sweep plan.yaml -o killed -j 2 -q >/dev/null &
    pid=$!
    while [ "$(cat $journal 2>/dev/null | wc -l)" -lt $lines ] && kill -0 $pid 2>/dev/null; do sleep 0.005; done
    kill -9 $pid
    wait $pid 2>/dev/null
    [ -f $journal ] || break # it was faster
    # what stood there before is still there, as it was
    [ ! -f before ] || head -c "$(wc -c <before)" $journal | cmp - before
    # whole lines only: a torn one at the end doesn't count
    head -n "$(wc -l <$journal)" $journal >before
    [ "$(cut -d, -f2 before | sort | uniq -d)" = "" ] || echo "a cell was run twice"
done
finished=$(cat killed/cells*.jsonl | grep -c '}$')
# as if it had been cut off while it wrote
[ ! -f $journal ] || printf '{"schema":"orrery.cell/1","cell":36,"ax' >>$journal
orrery sweep plan.yaml -o killed >killed.txt 2>err
grep -q "$finished of 36 cells were finished already" err || cat err
diff -r whole killed && cmp whole.txt killed.txt && echo same
