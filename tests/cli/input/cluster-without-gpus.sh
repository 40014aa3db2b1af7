printf 'job_id,submit,duration,gpus\n1,0,10,1\n' >t.csv
orrery run -t t.csv -p fifo -c nodes=4,gpus=0
