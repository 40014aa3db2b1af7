# the same nodes and jobs, with and without a policy that lets nodes sleep
orrery synth --shape helios --jobs 600 --gpus 64 --max-gpus 16 --load 0.3 -o t.csv
orrery run -t t.csv -c nodes=8,gpus=8,type=V100 -p fifo -p ces:venus,buffer=1 --scenario "$SRC/configs/scenarios/sleepy.yaml" \
    --no-wall -o out --csv -q >/dev/null
orrery compare out/fifo out/ces* --metric nodes_up --metric node_wakes --metric energy.total --metric jct.mean | head -9
orrery verify out/fifo out/ces* | grep -E '^out|violated'
