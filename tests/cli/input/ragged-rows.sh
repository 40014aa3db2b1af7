printf 'job_id,submit,duration,gpus\n1,0,10,1\n2,5,10\n3,6,10,1\n' >t.csv
orrery run -c nodes=2,gpus=4 -p fifo -t t.csv
