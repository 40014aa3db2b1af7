printf 'job_id,submit,duration,gpus,model\n1,0,10,1,bert\n' >t.csv
orrery run -t t.csv -c nodes=6,gpus=4 -p fifo --interference pairs
