# a case may begin with an experiment file in place of `base`; where that has several policies the case says which
cp "$SRC/traces/tiny.csv" .
printf 'schema: orrery.experiment/1\ntrace: tiny.csv\ncluster: nodes=1\npolicies: [fifo, srtf]\n' >e.yaml
printf 'schema: orrery.experiment/1\ntrace: tiny.csv\ncluster: nodes=1\npolicies: [las]\n' >one.yaml
cat >b.yaml <<'END'
schema: orrery.baseline/1
base: {trace: nowhere.csv, cluster: nowhere}
metrics: [jct.mean]
cases:
  - {name: two, experiment: e.yaml, policy: srtf, limit: 5}
  - {name: one, experiment: one.yaml}
END
orrery check b.yaml --update -m "first numbers"
grep -o 'expect.*' b.yaml
orrery check b.yaml
sed -i 's/, policy: srtf//' b.yaml
orrery check b.yaml
