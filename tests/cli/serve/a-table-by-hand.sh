# one request every 4 ms, each taking 6 ms, in time within 11 ms; a queue of one; and services that stand side by side
cat >s.yaml <<'END'
schema: orrery.services/1
name: by-hand
services:
  - name: free
    slo: 11ms
    arrivals: {kind: regular, rate: 250/s, limit: 5}
    variants: [{name: v, accuracy: 0.9, max_batch: 8, profile: {alpha: 5ms, beta: 1ms}}]
    replicas: 1
  - name: tight
    slo: 100ms
    bound: 1
    arrivals: {kind: regular, rate: 250/s, limit: 5}
    variants: [{name: v, accuracy: 0.8, max_batch: 8, profile: {alpha: 19ms, beta: 1ms}}]
    replicas: 1
END
orrery run --services s.yaml -c nodes=1,gpus=2
orrery run --services s.yaml -c nodes=1,gpus=2 --csv --metric latency.p999
orrery run --services s.yaml -c nodes=1,gpus=2 --json --no-wall |
    jq -c '.trace, .policy, .jobs, .metrics.jct, .metrics.slo_attain, .serving.services.tight.metrics.latency_all.p50,
        .serving.services.tight.metrics.requests.full, .serving.services.free.batch_sizes, .serving.resolved'
