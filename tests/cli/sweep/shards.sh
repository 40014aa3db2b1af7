# Shards join to the bytes of the whole; what is missing is named.
cat >plan.yaml <<END
schema: orrery.sweep/1
base: {trace: $SRC/traces/tiny.csv, cluster: "nodes=1,gpus=4"}
grid: {policy: [fifo, srtf, las], scale-load: [1, 2], seed: 1..3}
baseline: {policy: fifo}
metrics: jct.mean
END
orrery sweep plan.yaml -o whole >whole.txt
for i in 1 2 4; do orrery sweep plan.yaml --shard $i/4 -o s$i; done
orrery sweep --merge s1 s2 s4 -o joined
echo "status $?"
orrery sweep plan.yaml --shard 3/4 -o s3
mv plan.yaml elsewhere.yaml
orrery sweep --merge s4 s1 s3 s2 -o joined >joined.txt
diff -r whole joined && cmp whole.txt joined.txt && echo same
orrery sweep --merge s1 s2 s3 s4 | cmp - whole.txt
orrery sweep elsewhere.yaml --shard 5/4 -o s5
echo "status $?"
orrery sweep elsewhere.yaml --shard 1/4
