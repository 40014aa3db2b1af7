# A workload drawn for each seed is the same for every policy, and in every process.
cat >plan.yaml <<'END'
schema: orrery.sweep/1
base: {cluster: "nodes=2,gpus=8"}
synth: {jobs: 100, load: 0.9, gpus: 16, max-gpus: 8, arrivals: poisson}
grid: {policy: [fifo, srtf], seed: 1..5}
baseline: {policy: fifo}
metrics: [jct.mean, service.mean]
END
orrery sweep plan.yaml -j 3 >a
orrery sweep plan.yaml -j 1 | cmp - a
cat a
