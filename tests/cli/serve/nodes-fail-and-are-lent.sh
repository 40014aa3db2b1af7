# a node fails under executors; nodes that belong to serving are lent to jobs and called back; verify proves what jobs did meanwhile
printf '%s\n' 'schema: orrery.scenario/1' 'events:' '  - {at: 10s, do: down, count: 1, for: 20s}' >down.yaml
printf '%s\n' 'schema: orrery.services/1' 'name: fails' 'services:' '  - name: a' '    slo: 20ms' '    start: {machine: 1s}' \
    '    arrivals: {kind: regular, rate: 10/s, until: 40s}' \
    '    variants: [{name: v, max_batch: 1, profile: {alpha: 5ms}}]' '    replicas: 1' >fails.yaml
# from 10 to 31 nobody answers, 211 of 399, and 10 come while those are served; the other node takes over within a second
orrery run --services fails.yaml -c nodes=1,gpus=1 --scenario down.yaml -o alone --no-wall >/dev/null
orrery run --services fails.yaml -c nodes=2,gpus=1 --scenario down.yaml -o two --no-wall >/dev/null
jq -c '.metrics.requests | .arrived, .answered, .lost' alone/summary.json two/summary.json
jq -c '.metrics.slo_attain' alone/summary.json two/summary.json

printf 'job_id,submit,duration,gpus\n1,0,1000,1\n2,0,1000,1\n3,0,400,1\n' >t.csv
printf '%s\n' 'schema: orrery.services/1' 'name: lends' 'nodes: [{count: 3}]' 'services:' '  - name: a' '    slo: 300ms' \
    '    arrivals: {kind: counts, values: [500, 9000], bin: 500s}' \
    '    variants: [{name: v, max_batch: 1, profile: {alpha: 100ms}}]' '    replicas: 1' >lends.yaml
for serve in aryl:no-loans aryl,lead=10s; do
    orrery run -t t.csv --services lends.yaml -c nodes=4,gpus=1 -p fifo --serve $serve -o ${serve%%[:,]*}-$serve --no-wall >/dev/null
done
ls
for d in aryl-*; do
    orrery verify $d
    jq -c '.metrics | .jct.mean, .loans, .loan_interrupts, .loan_time, .slo_attain' $d/summary.json
done
# nodes that aren't there, and a scenario that lends what belongs to serving
sed -i 's/count: 3/nodes: nowhere/' lends.yaml
orrery run -t t.csv --services lends.yaml -c nodes=4,gpus=1 -p fifo
printf '%s\n' 'schema: orrery.scenario/1' 'events:' '  - {at: 10s, do: loan, count: 1, for: 20s}' >loan.yaml
sed -i 's/nodes: nowhere/count: 1/' lends.yaml
orrery run -t t.csv --services lends.yaml -c nodes=4,gpus=1 -p fifo --scenario loan.yaml
