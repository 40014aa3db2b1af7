printf 'job_id,submit,duration,gpus,gpu_type\n1,0,10,1,A\n2,0,5,8,\n3,100,2,4,A|B\n4,100,2,1,C\n5,100,2,64,\n' >t.csv
printf 'schema: orrery.cluster/1\nnodes:\n  - {count: 1, gpus: 8, type: A}\n  - {count: 1, gpus: 8, type: B}\n' >c.yaml
orrery describe -c c.yaml t.csv | sed -n '/^offered/,$p'
orrery describe -c c.yaml t.csv --json | sed -n '/"offered_load"/,$p'
