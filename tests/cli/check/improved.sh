cp "$SRC/traces/tiny.csv" .
cp "$SRC/tests/baseline/tiny.yaml" b.yaml
sed -i "s/jct.mean: 4971.75/jct.mean: 5000/; s/gpu_alloc: 0.3761862230657586/gpu_alloc: 0.37/" b.yaml
orrery check b.yaml
echo "status $?"
orrery check b.yaml --strict
