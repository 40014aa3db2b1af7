# Everything wrong in a plan is said with its place before anything is run.
try() {
    { echo "schema: orrery.sweep/1"; echo 'base: {trace: none.csv, cluster: "nodes=1"}'; cat; } >plan.yaml
    orrery sweep plan.yaml
    echo "status $?"
}
try <<<'grid: {polcy: [fifo]}'
try <<<'grid: {policy: [fifo, fifi]}'
try <<<'grid: {policy: [{name: las, knobs: {quantumm: [1, 2]}}]}'
try <<<'grid: {seed: [1, x]}'
try <<<'grid: {seed: [1, 2, 1]}'
try <<<'grid: {seed: 1..3, clock: [exact, round=x]}'
printf 'grid: {policy: [fifo, srtf]}\nbaseline: {policy: fif}\n' | try
printf 'grid: {policy: [fifo, srtf]}\nmetrics: [jct.mean, jct.men]\n' | try
printf 'grid: {policy: [fifo, srtf]}\nmetrics: ["mean(jct where gpu > 2)"]\n' | try
try <<<'grid: {policy: [fifo]}'
printf 'grid: {policy: [fifo]}\nsynth: {jobs: 10}\n' | try
printf 'grid: {policy: [fifo], seed: 1..10, limit: 5..1}\n' | try
orrery sweep
echo "status $?"
orrery sweep plan.yaml plan.yaml
echo "status $?"
orrery sweep --merge plan.yaml --list
