cp "$SRC/traces/tiny.csv" .
cp "$SRC/tests/baseline/tiny.yaml" b.yaml
sed -i "s/jct.mean: 1647.4166666666667/jct.mean: 1600/; s/preemptions: 0/preemptions: 2/" b.yaml
orrery check b.yaml
