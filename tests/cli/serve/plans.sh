# an experiment, what it comes to, and a sweep over modules and sizes
printf '%s\n' 'schema: orrery.services/1' 'name: few' 'services:' '  - name: a' '    slo: 20ms' \
    '    arrivals: {kind: poisson, rate: 300/s, limit: 2000}' \
    '    variants: [{name: v, max_batch: 8, profile: {alpha: 2ms, beta: 1ms}}]' '    replicas: 1' >s.yaml
printf '%s\n' 'schema: orrery.experiment/1' 'services: s.yaml' 'cluster: nodes=1,gpus=1' 'serves: [none, aimd]' >x.yaml
orrery run x.yaml --csv | cut -d, -f1-4,12
orrery run x.yaml --serve aimd --print-config | grep -E '^(serv|poli|trace)'
printf '%s\n' 'schema: orrery.sweep/1' 'base: {services: s.yaml, cluster: "nodes=1,gpus=1"}' 'grid:' \
    '  serve: [none, {name: aimd, knobs: {add: [1, 4]}}]' '  seed: [1, 2]' >p.yaml
orrery sweep p.yaml -j 1 -q
printf '%s\n' 'schema: orrery.sweep/1' 'base: {services: s.yaml, cluster: "nodes=1,gpus=1"}' 'grid: {serve: [aimdd]}' >p.yaml
orrery sweep p.yaml -q 2>&1
