# Nothing is judged by half of the runs, and no report is written. One signal: a second one ends the program at once.
cat >b.yaml <<END
schema: orrery.baseline/1
base: {trace: "$SRC/traces/helios-5k.csv", cluster: 8x8-v100}
cases:
  - {name: long, policy: las, seeds: 1..500, expect: {jct.mean: 1}}
END
sed -i "s/expect/inputs: {trace: $(sha256sum <"$SRC/traces/helios-5k.csv" | cut -c1-64), cluster: 0889effa5053f31bfdba3fe9aa2ac2a3699e8d7155f62423064dacf913610a35}, &/" b.yaml
timeout --foreground --preserve-status -s INT 2 orrery check b.yaml --junit out.xml
echo "status $?"
[ ! -e out.xml ]
