# Nothing is judged by half of the runs, and no report is written. One signal: a second one ends the program at once.
cat >b.yaml <<END
schema: orrery.baseline/1
base: {trace: "$SRC/traces/helios-5k.csv", cluster: 8x8-v100}
cases:
  - {name: long, policy: las, seeds: 1..500, expect: {jct.mean: 1}}
END
sed -i "s/expect/inputs: {trace: $(sha256sum <"$SRC/traces/helios-5k.csv" | cut -c1-64), cluster: 10f4e283a065f1f2a3995ab31b149f59be7f47fdef157ed0567e6cfe0670aabf}, &/" b.yaml
timeout --foreground --preserve-status -s INT 2 orrery check b.yaml --junit out.xml
echo "status $?"
[ ! -e out.xml ]
