echo job_id,submit,duration,gpus >t.csv
orrery run -c nodes=2,gpus=4 -p fifo -t t.csv
