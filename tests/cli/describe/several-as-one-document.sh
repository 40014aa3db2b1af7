printf 'job_id,submit,duration,gpus\n1,0,10,1\n2,0,5,8\n' >t.csv
orrery describe t.csv nodes=4,gpus=8 --json | grep '"schema":'
