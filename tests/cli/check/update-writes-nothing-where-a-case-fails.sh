cp "$SRC/traces/tiny.csv" .
cp "$SRC/tests/baseline/tiny.yaml" b.yaml
sed -i "s/policy: srtf$/policy: sfrt/; s/jct.mean: 4971.75/jct.mean: 5000/" b.yaml
cp b.yaml old.yaml
orrery check b.yaml --update -m "no"
echo "status $?"
cmp old.yaml b.yaml
