cp "$SRC/traces/tiny.csv" .
cp "$SRC/tests/baseline/tiny.yaml" b.yaml
sed -i "s/name: noisy/name: \x27a \"b\" \\\\c\x27/" b.yaml
orrery check b.yaml --metrics out.txt >/dev/null
echo "status $?"
cat out.txt
