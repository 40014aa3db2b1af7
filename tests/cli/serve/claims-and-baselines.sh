# a claim about serving with its services in it, and a baseline that is filled in and then holds
cat >c.yaml <<'END'
schema: orrery.claim/1
system: Example
survey: "4"
source: worked out by hand
claim: Five requests that come every 4 ms and take 6 ms each are answered after 6 to 14 ms.
serve: none
case: {cluster: "nodes=1,gpus=1"}
requests: |
  schema: orrery.services/1
  name: five
  services:
    - name: five
      slo: 11ms
      arrivals: {kind: regular, rate: 250/s, limit: 5}
      variants: [{name: v, max_batch: 8, profile: {alpha: 5ms, beta: 1ms}}]
      replicas: 1
metric: latency.mean
expect: [value == 10ms, policy.slo_attain@five == 0.6, policy.requests.late == 2]
END
orrery survey c.yaml
sed 's/alpha: 5ms/alpha: five/' c.yaml >wrong.yaml
orrery survey wrong.yaml
sed '/^serve:/d' c.yaml >neither.yaml
orrery survey neither.yaml
printf '%s\n' 'schema: orrery.baseline/1' 'base: {services: two-models, cluster: "nodes=1,gpus=4,type=V100"}' \
    'metrics: [requests.arrived, latency_all.p99, slo_attain@tag]' 'cases:' '  - name: aimd' '    serve: aimd' >b.yaml
orrery check b.yaml --update -m first
orrery check b.yaml | tail -1
