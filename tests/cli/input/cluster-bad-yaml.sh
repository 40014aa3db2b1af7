printf 'job_id,submit,duration,gpus\n1,0,10,1\n' >t.csv
printf 'schema: orrery.cluster/1\nname: [mine\n' >c.yaml
orrery run -t t.csv -p fifo -c c.yaml
