cp "$SRC/traces/tiny.csv" .
cp "$SRC/tests/baseline/tiny.yaml" b.yaml
# what comes out depends on the cases alone
sed -i "s/jct.mean: 1647.4166666666667/jct.mean: 1600/" b.yaml
for j in 1 2 7; do
    orrery check b.yaml -j $j --json --junit $j.xml --metrics $j.txt --markdown $j.md >$j.json
done
for file in xml txt md json; do cmp 1.$file 2.$file && cmp 1.$file 7.$file; done
