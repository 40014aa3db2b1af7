printf 'schema: orrery.services/1\nwarm_up: 1s\nservices:\n  - name: tag\n    slo: 10ms\n    arrivals: {kind: poisson, rate: 100/s}\n    to: [{service: rank, fan_out: 1.5}]\n    variants: [{name: net, accuracy: 0.7, weights: 45MB, max_batch: 8, profile: {alpha: 5ms, beta: 1ms}}]\n  - name: rank\n    copies: 1\n    variants: [{name: net, profile: {stages: {1: [10ms, 20ms]}}}]\n  - name: rank\n    variants: [{name: slow, profile: {latency: {1: 1s}}}]\nexecutors:\n  - {type: T4, count: 2, slots: 2, hosts: [tag, rank]}\n' >s.yaml
orrery describe s.yaml
orrery describe s.yaml --json | grep -E '"(service|slo|rate|capacity|load|executors|best_[a-z]*|hosts|gpus|notes|schema)"' | tr -d '\t' | tr '\n' ' '
echo
orrery describe s.yaml --svg p.svg
echo $?
sed -i 's/rate: 100/rte: 100/' s.yaml
orrery describe s.yaml
