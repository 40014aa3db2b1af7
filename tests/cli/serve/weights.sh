# two models of 100 MB that take turns where one fits: each request but the first of a waits 100 ms for its weights
cat >s.yaml <<'EOF'
schema: orrery.services/1
name: turns
store: {bandwidth: 1GB/s, capacity: 150MB}
services:
  - name: a
    arrivals: {kind: regular, rate: 1/s, limit: 2}
    variants: [{name: v, weights: 100MB, max_batch: 1, profile: {alpha: 10ms}}]
  - name: b
    arrivals: {kind: regular, rate: 1/s, from: 500ms, limit: 2}
    variants: [{name: v, weights: 100MB, max_batch: 1, profile: {alpha: 10ms}}]
executors:
  - {name: gpu, hosts: [a, b]}
EOF
orrery run --services s.yaml -c nodes=1,gpus=1
orrery run --services s.yaml -c nodes=1,gpus=1 --json --no-wall |
    jq -c '.metrics | .requests.cold, .weight_loads, .weight_evictions, .channel_busy'
orrery describe s.yaml | grep store
echo '--- a model that never fits'
sed -i 's/capacity: 150MB/capacity: 50MB/' s.yaml
orrery run --services s.yaml -c nodes=1,gpus=1
