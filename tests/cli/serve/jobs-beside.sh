# each policy with each serving module; jobs have the GPUs that executors leave; what verify proves of it
printf 'job_id,submit,duration,gpus\n1,0,10,1\n2,0,5,2\n3,1,2,1\n' >t.csv
printf '%s\n' 'schema: orrery.services/1' 'name: beside' 'services:' '  - name: a' '    slo: 20ms' \
    '    arrivals: {kind: regular, rate: 100/s, limit: 400}' \
    '    variants: [{name: v, max_batch: 2, profile: {alpha: 5ms, beta: 1ms}}]' '    replicas: 2' >s.yaml
orrery run -t t.csv --services s.yaml -c nodes=1,gpus=4 -p fifo -p srtf --serve none --serve aimd -o out --no-wall
ls out
orrery verify out/fifo-none
jq -c '.jobs.completed, .metrics.requests.answered, .policy.asked, .serving.label' out/srtf-aimd/summary.json
orrery run --services s.yaml -t t.csv -c nodes=1,gpus=4 -p fifo --serve aimd --csv
