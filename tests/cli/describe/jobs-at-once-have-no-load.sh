printf 'job_id,submit,duration,gpus\n1,0,10,1\n2,0,5,8\n' >t.csv
orrery describe -c nodes=2,gpus=4 t.csv | tail -n 2
orrery describe -c nodes=2,gpus=4 t.csv --json | tail -n 7
