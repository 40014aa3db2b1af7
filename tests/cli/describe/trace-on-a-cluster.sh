printf 'job_id,submit,duration,gpus\n1,0,10,1\n2,0,5,8\n3,100,2,4\n' >t.csv
orrery describe -c nodes=2,gpus=4 t.csv | sed -n "/^offered/,\$p"
orrery describe -c nodes=2,gpus=4 t.csv --json | sed -n "/offered_load/,\$p"
