printf 'job_id,submit,duration,gpus\n1,0,10,1\n' >t.csv
orrery run -t t.csv -c nodes=2,gpus=4 -p fifo -o -
