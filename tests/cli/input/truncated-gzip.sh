{ echo job_id,submit,duration,gpus; seq 1 2000 | sed 's/$/,0,10,1/'; } | gzip -n >whole.gz
head -c 2000 whole.gz >t.csv.gz
orrery run -c nodes=2,gpus=4 -p fifo -t t.csv.gz
