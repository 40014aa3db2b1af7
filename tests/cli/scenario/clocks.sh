# GPUs at a lower clock for a while: jobs end later and draw less, and the verifier agrees; clocks that can't be are refused
printf 'job_id,submit,duration,gpus\nA,0,20,4\nB,0,20,4\n' >t.csv
cat >s.yaml <<'YAML'
schema: orrery.scenario/1
events:
  - {at: 10s, do: clock, nodes: node0, clock: 0.5, for: 10s}
power: {gpus: [{type: V100, idle: 10, tdp: 110}], clocks: [{clock: 0.5}]}
YAML
orrery run -t t.csv -c nodes=2,gpus=4,type=V100 -p fifo --scenario s.yaml --no-wall -o out -q
cut -d, -f1,7-9 out/jobs.csv
grep -E '"(total|idle|active)"' out/summary.json
orrery verify out
sed 's/clock: 0.5, for/clock: 0.6, for/' s.yaml >bad.yaml
orrery run -t t.csv -c nodes=2,gpus=4,type=V100 -p fifo --scenario bad.yaml -q -o out2
sed 's/, clock: 0.5, for: 10s//' s.yaml >bad.yaml
orrery run -t t.csv -c nodes=2,gpus=4,type=V100 -p fifo --scenario bad.yaml -q -o out2
sed 's/clocks: .{clock: 0.5}/clocks: [{clock: 1}/' s.yaml >bad.yaml
orrery run -t t.csv -c nodes=2,gpus=4,type=V100 -p fifo --scenario bad.yaml -q -o out2
