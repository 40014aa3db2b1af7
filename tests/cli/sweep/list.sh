cat >plan.yaml <<'END'
schema: orrery.sweep/1
grid:
  policy: [fifo, {name: las, knobs: {quantum: [0, 60s]}}]
  scale-load: [0.5, 1]
  seed: 1..2
exclude:
  - {policy: fifo, scale-load: 0.5}
  - {seed: 2, policy: ["las,quantum=60s"]}
END
orrery sweep plan.yaml --list
orrery sweep plan.yaml --list --shard 2/3 --json
