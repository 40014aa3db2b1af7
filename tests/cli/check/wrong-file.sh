cp "$SRC/traces/tiny.csv" .
cp "$SRC/tests/baseline/tiny.yaml" b.yaml
echo "schema: orrery.cluster/1" >c.yaml
orrery check c.yaml
echo "status $?"
sed -i "s/baseline.1/baseline\/2/" b.yaml
orrery check b.yaml
echo "status $?"
orrery check nowhere.yaml
