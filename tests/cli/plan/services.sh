# how many nodes are enough for services, and for jobs beside them
printf '%s\n' 'schema: orrery.services/1' 'name: few' 'services:' '  - name: a' '    slo: 20ms' \
    '    arrivals: {kind: poisson, rate: 300/s, limit: 2000}' \
    '    variants: [{name: v, max_batch: 8, profile: {type: V100, alpha: 2ms, beta: 1ms}}]' \
    '    replicas: [{type: V100, count: 3}]' >s.yaml
printf 'job_id,submit,duration,gpus\n1,0,10,1\n2,0,5,2\n3,1,2,1\n' >t.csv
orrery plan --services s.yaml --serve aimd --target 'slo_attain >= 0.99' --node gpus=2,type=V100 --nodes 1..4
orrery plan --services s.yaml --target 'slo_attain >= 0.99' --node gpus=2,type=K80 --nodes 1..4 --csv
orrery plan -t t.csv -p fifo --services s.yaml --target 'wait_first.max < 1s' --target 'slo_attain > 0.9' \
    --node gpus=2,type=V100 --nodes 1..4 --json
orrery plan --serve aimd --target 'slo_attain > 0' --node gpus=2
orrery plan --services s.yaml -p fifo --target 'slo_attain > 0' --node gpus=2
orrery plan --services s.yaml --split vc --target 'slo_attain > 0' --node gpus=2
orrery plan --services s.yaml --scale-load 50 --target 'slo_attain > 0.9' --node gpus=4,type=V100 --nodes 1..2
