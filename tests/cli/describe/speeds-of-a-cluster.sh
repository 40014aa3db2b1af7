printf 'model,gpus,gpu_type,steps_per_s\nnet,1,k80,1\nnet,1,v100,4\nnet,1,p100,2\n' >t.csv
printf 'schema: orrery.cluster/1\nnodes:\n  - {count: 1, gpus: 2, type: K80}\n  - {count: 1, gpus: 2, type: T4}\n' >c.yaml
orrery describe c.yaml --throughputs t.csv
orrery describe c.yaml --throughputs t.csv --json | grep -A40 '"throughputs"'
orrery describe t.csv --throughputs t.csv
