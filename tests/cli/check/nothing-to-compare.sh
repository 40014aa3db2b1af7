cp "$SRC/traces/tiny.csv" .
cp "$SRC/tests/baseline/tiny.yaml" b.yaml
printf "schema: orrery.baseline/1\ncases: []\n" >none.yaml
orrery check none.yaml
echo "status $?"
sed -i "/expect:/,/preemptions: 0/d" b.yaml
orrery check b.yaml --case fifo
echo "status $?"
sed -i "s/    policy: srtf$/&\n    measure: jobs:50..60/" b.yaml
orrery check b.yaml --case srtf
