cp "$SRC/traces/tiny.csv" .
cp "$SRC/tests/baseline/tiny.yaml" b.yaml
export GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=summary.md
sed -i "s/jct.mean: 1647.4166666666667/jct.mean: 1600/" b.yaml
orrery check b.yaml --no-github | grep -c "^::"
orrery check b.yaml --json | grep -c "^::"
grep -c "jct.mean" summary.md
