printf 'job_id,submit,duration,gpus,user\n1,0,10,1,ann\n2,5,10,1,b\xffb\n' >t.csv
orrery run -c nodes=2,gpus=4 -p fifo -t t.csv
