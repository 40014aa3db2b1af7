cp "$SRC/traces/tiny.csv" .
cp "$SRC/tests/baseline/tiny.yaml" b.yaml
sed -i "s/^      preemptions: 0/&\n      mean(jct where gpus >= 4): {value: 100, better: lower}\n      share(wait_first < 60s): 0.1/" b.yaml
orrery check b.yaml --case fifo
