cp "$SRC/traces/tiny.csv" .
cp "$SRC/tests/baseline/tiny.yaml" b.yaml
sed -i "s/jct.mean: 4971.75/jct.maen: 1/; s/jct.p50: 6139.5/jct.p50: [1, 2]/; s/gpu_alloc: 0.3761862230657586/gpu_alloc: null/" b.yaml
orrery check b.yaml --case fifo
