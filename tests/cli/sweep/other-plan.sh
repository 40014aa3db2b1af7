# A folder of another grid, another input or another shard is refused; other questions to the same cells aren't.
cp "$SRC/traces/tiny.csv" t.csv
cat >plan.yaml <<'END'
schema: orrery.sweep/1
base: {trace: t.csv, cluster: "nodes=1,gpus=4"}
grid: {policy: [fifo, srtf]}
END
orrery sweep plan.yaml -o out -q >/dev/null
echo "metrics: jct.max" >>plan.yaml
orrery sweep plan.yaml -o out
sed 's/srtf/sjf/' plan.yaml >grid.yaml
orrery sweep grid.yaml -o out
echo "status $?"
orrery sweep plan.yaml -o out --shard 1/2
echo "status $?"
echo "# changed" >>t.csv
orrery sweep plan.yaml -o out
echo "status $?"
orrery sweep grid.yaml -o out --force | tail -1
mkdir full && touch full/file
orrery sweep plan.yaml -o full
