cp "$SRC/traces/tiny.csv" .
cp "$SRC/tests/baseline/tiny.yaml" b.yaml
# the reference is of fifo; what runs then is sjf, and the numbers differ
sed -i "s/^metrics/reference: logs\n&/" b.yaml
orrery check b.yaml --update -m "keep logs"
ls logs
sed -i "s/policy: fifo/policy: sjf/" b.yaml
orrery check b.yaml --jobs-diff 3 --case fifo
echo "status $?"
rm logs/fifo.orrlog
orrery check b.yaml --jobs-diff 3 --case fifo | grep "told"
