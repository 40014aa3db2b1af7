printf 'job_id,submit,gpus\n1,0,1\n' >t.csv
orrery run -c nodes=2,gpus=4 -p fifo -t t.csv
