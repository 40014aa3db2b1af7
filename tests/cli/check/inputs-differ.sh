cp "$SRC/traces/tiny.csv" .
cp "$SRC/tests/baseline/tiny.yaml" b.yaml
sed -i "s/^12,1150/12,1151/" tiny.csv
orrery check b.yaml
