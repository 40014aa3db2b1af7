cp "$SRC/traces/tiny.csv" .
cp "$SRC/tests/baseline/tiny.yaml" b.yaml
sed -i "s/jct.mean: 1647.4166666666667/jct.mean: 1600/; s/^    policy: fifo/&\n    cluster: \"<\&>.yaml\"/; s/name: noisy/name: \"a < b \& c\"/; s/makespan: \[/makespan: [0, /" b.yaml
orrery check b.yaml --junit out.xml >/dev/null 2>&1
echo "status $?"
cat out.xml
