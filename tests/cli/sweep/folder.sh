# What a folder holds is the same for any -j; taken up again nothing is run twice.
cat >plan.yaml <<END
schema: orrery.sweep/1
base: {trace: $SRC/traces/tiny.csv, cluster: "nodes=1,gpus=4"}
grid: {policy: [fifo, srtf, las], scale-load: [1, 2], seed: 1..5}
baseline: {policy: fifo}
metrics: [jct.mean, gpu_alloc]
END
orrery sweep plan.yaml -o one -j 1 >one.txt
orrery sweep plan.yaml -o many -j 7 >many.txt
ls one
diff -r one many && cmp one.txt many.txt && echo same
head -3 one/cells.csv
head -2 one/stats.csv
orrery sweep plan.yaml -o one >again.txt
cmp one.txt again.txt && diff -r one many && echo still the same
