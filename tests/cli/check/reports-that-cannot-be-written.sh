cp "$SRC/traces/tiny.csv" .
cp "$SRC/tests/baseline/tiny.yaml" b.yaml
orrery check b.yaml --junit nowhere/out.xml
