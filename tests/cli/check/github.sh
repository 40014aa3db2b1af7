cp "$SRC/traces/tiny.csv" .
cp "$SRC/tests/baseline/tiny.yaml" b.yaml
export GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=summary.md GITHUB_OUTPUT=output
echo "before" | tee summary.md >output
sed -i "s/jct.mean: 1647.4166666666667/jct.mean: 1600/; s/gpu_alloc: 0.3761862230657586/gpu_alloc: 0.37/; s/name: srtf/name: \"a, b: 100%\"/" b.yaml
orrery check b.yaml
echo "status $?"
cat summary.md output
