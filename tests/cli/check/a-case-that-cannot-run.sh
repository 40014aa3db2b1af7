cp "$SRC/traces/tiny.csv" .
cp "$SRC/tests/baseline/tiny.yaml" b.yaml
sed -i "s/policy: srtf$/policy: sfrt/; s/policy: fifo$/policy: fifo\n    max-events: 5/" b.yaml
orrery check b.yaml
