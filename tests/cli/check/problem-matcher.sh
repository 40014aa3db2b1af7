# the expression that we ship for GitHub finds file, line, column, severity, message and code of our messages
cp "$SRC/traces/tiny.csv" .
cp "$SRC/tests/baseline/tiny.yaml" b.yaml
echo | grep -qP '' 2>/dev/null || { echo "grep has no -P here" >&2; exit 77; }
regexp=$(sed -n 's/.*"regexp": "\(.*\)",$/\1/p' "$SRC/tools/packaging/orrery-matcher.json" | sed 's/\\\\/\\/g')
sed -i 's/jct.mean: 4971.75/jct.maen: 1/; s/policy: srtf$/polcy: srtf/' b.yaml
orrery check b.yaml 2>messages
sed -i 's/polcy: srtf/policy: srtf/' b.yaml
orrery check b.yaml --case fifo 2>>messages >/dev/null
orrery run -t tiny.csv -c nowhere.yaml -p fifo 2>>messages
grep -P "$regexp" messages
grep -vP "$regexp" messages
