printf 'job_id,submit,duration,gpus,model\n1,0,10,1,bert\n' >t.csv
orrery run -t t.csv -c nodes=2 -p fifo --interference pears
