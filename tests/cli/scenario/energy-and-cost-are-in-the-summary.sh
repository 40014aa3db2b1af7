# one node that is down for a while: what it drew, what it cost, and who was interrupted
printf 'job_id,submit,duration,gpus\nA,0,20,4\nB,0,20,2\n' >t.csv
cat >s.yaml <<'YAML'
schema: orrery.scenario/1
events:
  - {at: 10, do: down, nodes: node0, for: 10}
  - {at: 0, do: price, price: 36}
power: {host: 100, gpus: [{type: V100, idle: 10, tdp: 110}]}
YAML
orrery run -t t.csv -c nodes=2,gpus=4,type=V100 -p fifo --scenario s.yaml --no-wall -o out -q
grep -A1 -E '"(energy|cost)"' out/summary.json
grep -E '"(total|idle|active|asleep|transition|held|nodes_up|interruptions)"' out/summary.json
cut -d, -f1,3,4,8 out/attempts.csv
grep -A3 '"scenario"' out/manifest.json | head -2
