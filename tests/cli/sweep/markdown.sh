cat >plan.yaml <<END
schema: orrery.sweep/1
base: {trace: $SRC/traces/tiny.csv, cluster: "nodes=1,gpus=4"}
grid: {policy: [fifo, srtf], scale-load: [1, 3], seed: 1..2}
baseline: {policy: fifo}
metrics: [jct.mean, "mean(jct where gpus >= 2)", {metric: "share(wait_first < 60s)", better: higher}]
END
orrery sweep plan.yaml --markdown
