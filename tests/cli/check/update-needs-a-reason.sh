cp "$SRC/traces/tiny.csv" .
cp "$SRC/tests/baseline/tiny.yaml" b.yaml
orrery check b.yaml --update
echo "status $?"
orrery check b.yaml -m "it is better"
