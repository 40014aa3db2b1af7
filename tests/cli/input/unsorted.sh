printf 'job_id,submit,duration,gpus\n2,5,10,1\n1,0,10,1\n' >t.csv
orrery run -c nodes=2,gpus=4 -p fifo -t t.csv --csv
