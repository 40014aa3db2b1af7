cp "$SRC/traces/tiny.csv" .
cp "$SRC/tests/baseline/tiny.yaml" b.yaml
sed -i "s/jct.mean: 4971.75/jct.mean: 4000/" b.yaml
orrery check b.yaml --jobs-diff 3 --case fifo
