# names of the other kind, nothing to serve, nothing to schedule
orrery run -t "$SRC/traces/tiny.csv" -c nodes=2,gpus=4 -p aimd
orrery run --services two-models -c nodes=1,gpus=4,type=V100 --serve fifo
orrery run --services two-models -c nodes=1,gpus=4,type=V100 --serve aimdd
orrery run --services two-models -c nodes=1,gpus=4,type=V100 --serve aimd,step=2
orrery run --services two-models -c nodes=1,gpus=4,type=V100 --serve aimd+aimd
orrery run --services two-models -c nodes=1,gpus=4,type=V100 -p fifo
orrery run -t "$SRC/traces/tiny.csv" -c nodes=2,gpus=4 -p fifo --serve aimd
orrery run -t "$SRC/traces/tiny.csv" -c nodes=2,gpus=4 -p fifo --write requests -o out
printf "%s\n" "schema: orrery.services/1" "services:" "  - name: a" "    variants: [{name: v, max_batch: 2, profile: {alpha: 5ms, beta: 1ms}}]" "    arrivals: {kind: poisson, rate: 10/s}" "    replicas: 2" >s.yaml
orrery run --services s.yaml -c nodes=1,gpus=1 --until 10s
orrery run --services s.yaml -c nodes=1,gpus=2
