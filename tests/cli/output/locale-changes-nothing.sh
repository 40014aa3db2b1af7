printf 'job_id,submit,duration,gpus\n1,0,10.5,1\n2,0.25,5,8\n' >t.csv
orrery run -t t.csv -c nodes=2,gpus=4 -p fifo --json >a
LC_ALL=de_DE.UTF-8 orrery run -t t.csv -c nodes=2,gpus=4 -p fifo --json >b
cmp a b
